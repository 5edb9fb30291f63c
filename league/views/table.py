"""The card table of a match, where its players sit and others look on."""

import time
from typing import Final

from csp.decorators import csp_update
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.services import preferences
from accounts.templatetags.viewer import viewer
from games.clocks import parse_clock
from games.models import Match, PlayerKind
from games.selectors.table_view import SEATS, table_view
from games.views.seated import open_table, state_now

#: What the table's page loads, all at once: without the list each module would wait for the one that names it.
MODULES: Final = (
    *(f"js/{name}.js" for name in ("dom", "cards", "rules", "live")),
    *(
        f"js/table/{name}.js"
        for name in (
            "board", "clock", "column", "keys", "motion", "post", "preferences", "result", "sound", "stage", "state",
            "tabs", "words",
        )
    ),
)  # fmt: skip


def now_ms() -> int:
    """The server's time, by which the page knows how far its own clock is off."""
    return round(time.time() * 1000)


@never_cache
@csp_update({"require-trusted-types-for": ["'script'"], "trusted-types": ["'none'"]})
@require_safe
def table(request: HttpRequest, code: str) -> HttpResponse:
    """The table as this viewer may see it. Matches of bots alone, and of seats that no table has, have their page."""
    match, seat = open_table(request, code)
    seats = list(match.seats.select_related("player"))
    if len(seats) not in SEATS or all(one.player.kind == PlayerKind.BOT for one in seats):
        return redirect(match.get_absolute_url())
    state = state_now(match, None if seat is None else seat.index)
    context = {
        "state": state,
        "table": table_view(state, deck=viewer({"request": request}).deck),
        "match_title": match.get_mode_display(),
        "match_subtitle": _pace(match),
        "match_url": match.get_absolute_url(),
        "preferences": preferences.at_the_table(request.user) if request.user.is_authenticated else None,
        "modules": MODULES,
        "now_ms": now_ms(),
        "section": "matches",
    }
    return render(request, "league/table.html", context)


def _pace(match: Match) -> str:
    """How the match is counted and what time there is, in a few words."""
    rules = match.parsed_rules
    parts = []
    if rules.kind == "first_to":
        parts.append(_("best of {n}").format(n=2 * rules.target - 1) if rules.target > 1 else _("one deal"))
    clock = parse_clock(match.clock)
    if clock is None:
        parts.append(_("no clock"))
    elif clock.bank_ms % 60_000 == 0:
        parts.append(_("{bank} min + {step} s").format(bank=clock.bank_ms // 60_000, step=clock.increment_ms // 1000))
    else:
        parts.append(_("{bank} s + {step} s").format(bank=clock.bank_ms // 1000, step=clock.increment_ms // 1000))
    return " · ".join([*parts, match.code])
