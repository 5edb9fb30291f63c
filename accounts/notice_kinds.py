"""The sentences of the inbox: a notice names its kind, the app that sends it says here how it reads."""

from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _

_sentences: dict[str, str | Promise] = {}


def register(sentences: Mapping[str, str | Promise]) -> None:
    """Name kinds of notices and their sentences, with `%(name)s` for parameters; called once, when an app is ready."""
    _sentences.update(sentences)


def sentence(kind: str, params: Mapping[str, Any]) -> str:
    """What a notice says, in the active language; a kind or a parameter that is no longer known gives a plain line."""
    text = _sentences.get(kind)
    try:
        return str(text) % params if text is not None else _("Something changed: open the page for more.")
    except (KeyError, TypeError, ValueError):
        return _("Something changed: open the page for more.")


def kinds() -> frozenset[str]:
    """All kinds that have a sentence."""
    return frozenset(_sentences)
