"""Tournaments: the list, and the tabs of one."""

from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games.rules_texts import facts
from league.audit_texts import act
from league.models import Stage, Tournament, TournamentState
from league.permissions import Act, acts_of
from league.rules_texts import format_facts
from league.selectors import audit, fixtures, standings, tournaments
from league.standings_csv import written
from league.views.common import choice, find_tournament, last, listing, tournament_crumbs, whole, words

#: Tabs that look again by themselves: address name -> template of what changes.
PARTS = {
    "tournament": "league/_standings.html",
    "tournament-rounds": "league/_rounds.html",
    "tournament-matches": "league/_tournament_matches.html",
}
#: States in which they do.
_MOVING = (TournamentState.READY, TournamentState.RUNNING)


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """The tournaments that may be seen; `state` (open, live, over) and `q` narrow the list."""
    state, q = choice(request, "state", tournaments.GROUPS), words(request)
    found = tournaments.listed(request.user)
    if state:
        found = found.filter(state__in=tournaments.GROUPS[state])
    if q:
        found = found.filter(name__icontains=q)
    rows = listing(request, found)
    context = {
        "listing": rows,
        "rows": tournaments.rows(rows.items),
        "state": state,
        "q": q,
        "states": [("open", _("Open for entries")), ("live", _("Running")), ("over", _("Over"))],
        "section": "tournaments",
    }
    return render(request, "league/tournaments.html", context)


def _tabs(tournament: Tournament, tab: str) -> list[dict[str, Any]]:
    names = [
        ("tournament", _("Standings")),
        ("tournament-rounds", _("Rounds")),
        ("tournament-matches", _("Matches")),
        ("tournament-entries", _("Entries")),
        ("tournament-rules", _("Rules")),
        ("tournament-log", pgettext("public log of acts", "Log")),
    ]
    return [
        {
            "url": reverse(f"league:{name}", args=[tournament.code]),
            "label": label,
            "current": name == tab,
            "count": None,
        }
        for name, label in names
    ]


def tournament_page(
    request: HttpRequest, tournament: Tournament, tab: str, template: str, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    """A page of a tournament with its tabs and banner.

    A request of htmx gets the part that changes alone, or 204 while it is as the reader has `seen` it.
    """
    is_part = request.htmx and tab in PARTS  # type: ignore[attr-defined]
    progress = tournaments.progress([tournament])[tournament.pk]
    mark = tournaments.mark(tournament, progress)
    if is_part and request.GET.get("seen") == mark:
        return HttpResponse(status=204)
    tabs = _tabs(tournament, tab)
    label = next((one["label"] for one in tabs if one["current"] and tab != "tournament"), None)
    kept = [(name, value) for name, value in request.GET.items() if name != "seen"]
    context |= {
        "tournament": tournament,
        "league": tournament.league,
        "progress": progress,
        "poll_url": "?" + urlencode([*kept, ("seen", mark)]) if tournament.state in _MOVING else "",
        "is_part": is_part,
        "runs": Act.RULE in acts_of(request.user, tournament.league),
        "tab": tab,
        "tabs": tabs,
        "section": "tournaments",
        "breadcrumb": last(tournament_crumbs(tournament, *([(label, "")] if label else []))),
    }
    return render(request, PARTS[tab] if is_part else template, context, status=status)


def _stage(tournament: Tournament) -> Stage:
    return tournament.stages.get()


@never_cache
@require_safe
def tournament(request: HttpRequest, code: str) -> HttpResponse:
    """The standings, after round `after` or the latest; before the first result the entries."""
    found = find_tournament(request, code)
    table = standings.table(_stage(found), after=whole(request.GET.get("after"), most=999))
    context = {
        "table": table,
        "my_entries": tournaments.my_entry_ids(found, request.user),
        "entries": () if table.rows else tournaments.entries(found),
        "is_open": found.state == TournamentState.REGISTRATION,
    }
    return tournament_page(request, found, "tournament", "league/standings.html", context)


@never_cache
@require_safe
def explained(request: HttpRequest, code: str, entry: int) -> HttpResponse:
    """The arithmetic of one row of the standings."""
    found = find_tournament(request, code)
    row = standings.explained(_stage(found), entry=entry, after=whole(request.GET.get("after"), most=999))
    if row is None:
        raise Http404
    context = {
        "tournament": found,
        "explained": row,
        "after": whole(request.GET.get("after"), most=999),
        "section": "tournaments",
        "breadcrumb": last(tournament_crumbs(found, (row.row.entry.name, ""))),
    }
    template = "league/_explained.html" if request.htmx else "league/explained.html"  # type: ignore[attr-defined]
    return render(request, template, context)


@require_safe
def csv(request: HttpRequest, code: str) -> HttpResponse:
    """The standings as CSV."""
    found = find_tournament(request, code)
    table = standings.table(_stage(found), after=whole(request.GET.get("after"), most=999))
    name = f"{found.code}-{table.after}.csv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(written(table), content_type="text/csv; charset=utf-8", headers=headers)


@never_cache
@require_safe
def rounds(request: HttpRequest, code: str) -> HttpResponse:
    """The pairings of one round: `round`, or the one that is being played."""
    found = find_tournament(request, code)
    all_rounds = fixtures.rounds(_stage(found))
    wanted = whole(request.GET.get("round"), most=999)
    shown = next((one for one in all_rounds if one.number == wanted), fixtures.current(all_rounds))
    context = {
        "rounds": all_rounds,
        "round": shown,
        "meetings": fixtures.meetings(shown) if shown else (),
        "my_entries": tournaments.my_entry_ids(found, request.user),
    }
    return tournament_page(request, found, "tournament-rounds", "league/rounds.html", context)


@never_cache
@require_safe
def matches(request: HttpRequest, code: str) -> HttpResponse:
    """Every match, newest first; `round` and `board` narrow the list."""
    found = find_tournament(request, code)
    number, board = whole(request.GET.get("round"), most=999), whole(request.GET.get("board"), most=999)
    rows = fixtures.matches(found, round_number=number, board=board)
    context = {
        "listing": listing(request, rows),
        "rounds": fixtures.rounds(_stage(found)),
        "number": number,
        "board": board,
        "mirrored": _stage(found).mirrored,
    }
    return tournament_page(request, found, "tournament-matches", "league/tournament_matches.html", context)


@require_safe
def rules(request: HttpRequest, code: str) -> HttpResponse:
    """Rules and format in words, the commitments of both seeds and, once it is finished, the seeds."""
    found = find_tournament(request, code)
    is_over = found.state == TournamentState.FINISHED
    context = {
        "format": format_facts(_stage(found)),
        "facts": facts(found.rules),
        "seed": bytes(found.seed).hex() if is_over else "",
        "deal_seed": bytes(found.deal_seed).hex() if is_over else "",
        "is_committed": found.state != TournamentState.DRAFT,
    }
    return tournament_page(request, found, "tournament-rules", "league/tournament_rules.html", context)


@require_safe
def log(request: HttpRequest, code: str) -> HttpResponse:
    """The public log of the tournament."""
    found = find_tournament(request, code)
    acts = listing(request, audit.of_tournament(found)).mapped(act)
    return tournament_page(request, found, "tournament-log", "league/tournament_log.html", {"listing": acts})
