"""What the codes of uploads and checks mean on the site: bots.arena.sentences in the reader's language, and more.

A code that is not in the tables (of a newer arena) is shown as it is.
"""

from collections.abc import Mapping
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from bots.arena.sentences import MESSAGES, WHAT_TO_DO
from bots.house import HOUSE

#: What to do about a refused upload, one sentence a code; those of checks are in bots.arena.sentences.
ADVICE: Final[dict[str, str | Promise]] = {
    "upload.no_entry": _("Put it at the top of the zip, or name another file as entry in bot.toml."),
    "upload.too_large": _("Leave out what the bot does not need: 512 KiB as sent and 1 MiB unpacked are the limits."),
    "upload.too_many_files": _("Leave out what the bot does not need, or join small files."),
    "upload.file_too_large": _("Make this file smaller, or split it."),
    "upload.name": _(
        "Use relative names of at most 120 bytes (“à” takes two) and 4 levels, without “..”, colon, backslash."
    ),
    "upload.name_twice": _("Rename one of the two; capital and small letters count as the same."),
    "upload.compression": _("Make an ordinary zip, without a password."),
    "upload.not_a_zip": _("Make the zip anew and send it again; a single file must have a name that ends in .py."),
    "upload.file_type": _("Send source code and data only: nothing compiled, nothing packed, no links."),
    "upload.toml": _('It may hold language = "python" and entry = "bot.py", and nothing else.'),
}

#: Beside those of the arena: the check that is made at the upload itself, and what says more on a page.
MORE_MESSAGES: Final[dict[str, str | Promise]] = {
    "upload.unpacked": _("The archive can be read. Files: %(files)s, bytes: %(bytes)s."),
    "games_ok.self": _("%(deals)s deals without a fault."),
    "upload.unpacked_less": _("The archive can be read. Files: %(files)s, bytes: %(bytes)s. Left out: %(ignored)s."),
}

TITLES: Final[dict[str, str | Promise]] = {
    "unpack": _("Archive and names"),
    "syntax": _("Python syntax"),
    "form": _("Form: play, Bot or main"),
    "start": _("Loading and start"),
    "self_play": _("Against itself"),
    "cold": _("Single requests, each in a fresh process"),
    "reproducible": _("Same seed, same plays"),
    "verdict": _("Verdict"),
}


def title(check: str) -> str:
    """The heading of a check."""
    if check.startswith("more_"):
        return gettext("%(title)s: more deals") % {"title": title(check.removeprefix("more_"))}
    if check.startswith("against_"):
        return gettext("Against %(opponent)s") % {"opponent": opponent(check.removeprefix("against_"))}
    return str(TITLES.get(check, check))


def opponent(name: str) -> str:
    """The screen name of whom a version meets while it is checked."""
    return gettext("itself") if name == "self" else HOUSE.get(name, name)


def sentence(code: str, params: Mapping[str, Any]) -> str:
    """What happened."""
    if code == "upload.syntax":  # file and line stand before it
        return str(params.get("detail", ""))
    if code == "check.games_ok" and params.get("opponent") == "self":  # nobody wins against himself
        code = "games_ok.self"
    text = MORE_MESSAGES.get(code) or (gettext(MESSAGES[code]) if code in MESSAGES else "")
    return _filled(str(text), params) or str(params.get("detail") or code)


def advice(code: str, params: Mapping[str, Any]) -> str:
    """What to do about it (`fix.*`, or the code of a refused upload); empty when nothing is to be done."""
    text = ADVICE.get(code) or (gettext(WHAT_TO_DO[code]) if code in WHAT_TO_DO else "")
    return _filled(str(text), params)


def _filled(text: str, params: Mapping[str, Any]) -> str:
    try:
        return text % params
    except (KeyError, TypeError, ValueError):
        return ""
