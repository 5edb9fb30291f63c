"""Pages for authors: how to write a bot, the sources of the house bots, files to download."""

from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from bots import protocol
from bots.house import HOUSE
from bots.learn import fields, figures, files, highlight, position
from bots.learn.mistakes import MISTAKES
from bots.models import Bot
from bots.sandbox.interpreter import OLDEST
from bots.selectors.logs import LOG_DAYS
from games import faces

#: Parts of the guide: anchor and heading, in order.
CONTENTS: Final[tuple[tuple[str, Promise], ...]] = (
    ("first", gettext_lazy("A bot in ten minutes")),
    ("cards", gettext_lazy("Cards are two letters")),
    ("view", gettext_lazy("What your bot sees")),
    ("forms", gettext_lazy("Three forms of a bot")),
    ("protocol", gettext_lazy("The protocol under it")),
    ("limits", gettext_lazy("Limits and time")),
    ("faults", gettext_lazy("Faults and what follows")),
    ("chance", gettext_lazy("Chance and seeds")),
    ("checks", gettext_lazy("The checks of a version")),
    ("rating", gettext_lazy("How it is rated")),
    ("mistakes", gettext_lazy("Ten common mistakes")),
    ("house", gettext_lazy("Bots of the house")),
)
_SCHEMA: Final = Path(protocol.__file__).with_name("protocol.schema.json")
_COMMANDS: Final = ("install.sh", "play.sh", "check.sh", "ask.sh")


def _house() -> list[dict[str, Any]]:
    """The house bots with their pages, where they are installed."""
    pages = {
        bot.player.name: bot.get_absolute_url() for bot in Bot.objects.filter(is_house=True).select_related("player")
    }
    return [{"bot": bot, "page": pages.get(bot.shown, "")} for bot in figures.house()]


@require_safe
def guide(request: HttpRequest) -> HttpResponse:
    """Write your first bot: everything that an author needs, with a live position."""
    live = position.example()
    talk = (
        ("start", "to", live.start),
        ("ready", "from", live.ready),
        ("play", "to", live.play),
        ("card", "from", live.answer),
        ("deal_over", "to", live.deal_over),
        ("end", "to", live.finish),
    )
    context = {
        "contents": CONTENTS,
        "live": live,
        "backs": range(live.middle.hand_sizes[1 - position.SEAT]),
        "commands": {name.removesuffix(".sh"): files.snippet(name) for name in _COMMANDS},
        "code": {name: files.snippet(f"{name}.py") for name in files.BOTS},
        "manifest": files.snippet("bot.toml"),
        "ranks": [(rank, faces.POINTS.get(rank, 0)) for rank in faces.STRENGTH],
        "suits": faces.SUITS,
        "groups": fields.view_rows(),
        "match_fields": fields.match_rows(),
        "result_fields": fields.result_rows(),
        "talk": [(kind, way, highlight.json_line(position.spaced(line)), len(line) + 1) for kind, way, line in talk],
        "protocol": figures.protocol_limits(),
        "limits": figures.limits(),
        "upload_limits": figures.upload_limits(),
        "clock": figures.clock_example(),
        "faults": [(kind, *told) for kind, told in figures.FAULTS.items()],
        "consequences": figures.consequences(),
        "checks": figures.checks(),
        "provisional": figures.PROVISIONAL,
        "log_days": LOG_DAYS,
        "budget": settings.CHECK_BUDGET_S,
        "oldest": ".".join(map(str, OLDEST)),
        "mistakes": MISTAKES,
        "house": _house(),
        "section": "learn",
        "breadcrumb": [(_("Bots"), "/bots/"), (_("Write your first bot"), "")],
    }
    return render(request, "bots/learn.html", context)


@require_safe
def schema(request: HttpRequest) -> HttpResponse:
    """The JSON Schema of every message of the protocol."""
    return _file("protocol.schema.json", "application/schema+json", _SCHEMA.read_bytes())


@require_safe
def source(request: HttpRequest, name: str) -> HttpResponse:
    """The source of a house bot with line numbers."""
    if name not in HOUSE:
        raise Http404
    found = files.house_file(name)
    context = {
        "bot": figures.House(name, HOUSE[name], figures.HOUSE_TEXTS[name]),
        "page": next(one["page"] for one in _house() if one["bot"].name == name),
        "files": [(found.name, found.lines)],
        "others": [one for one in figures.house() if one.name != name],
        "section": "learn",
        "breadcrumb": [(_("Write your first bot"), reverse("bots:learn")), (HOUSE[name], "")],
    }
    return render(request, "bots/learn_source.html", context)


@require_safe
def download(request: HttpRequest, name: str) -> HttpResponse:
    """A bot of the house or of the guide, as a file."""
    try:
        return _file(f"{name}.py", "text/x-python; charset=utf-8", files.source(name))
    except KeyError:
        raise Http404 from None


def _file(name: str, kind: str, data: bytes) -> HttpResponse:
    return HttpResponse(data, content_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})
