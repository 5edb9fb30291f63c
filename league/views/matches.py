"""Matches: the history, the page of one, its replay."""

from typing import Any

from csp.decorators import csp_update
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.templatetags.viewer import viewer
from games.models import Match
from games.rules_texts import summary
from games.selectors.replay import replay_view
from games.services import analysis
from league.exports import MATCH_COLUMNS, MOST_ROWS, match_data
from league.permissions import Act, may
from league.selectors import leagues, matches, receipts
from league.selectors import match as selectors
from league.selectors.matches import RESULTS, STATES, MatchFilter
from league.selectors.ratings import receipt
from league.selectors.replay import replay_data
from league.services.rulings import why_no_rerun
from league.views.common import choice, person, whole, words
from league.views.lists import csv_file, exported, json_file, keyset_listing


def _wanted(request: HttpRequest) -> MatchFilter:
    """What the address asks for; an unknown league or tournament narrows nothing, an unknown player finds nothing."""
    name, slug, code = words(request, "player"), words(request, "league"), words(request, "tournament")
    player = matches.player_named(name)
    return MatchFilter(
        state=choice(request, "state", STATES) or "finished",
        result=choice(request, "result", RESULTS),
        player=player,
        league=leagues.visible(request.user).filter(slug=slug).first() if slug else None,
        tournament=matches.tournament_at(code, request.user),
        unknown_player="" if player else name,
    )


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """The history; `player`, `league`, `tournament`, `state` and `result` narrow it."""
    wanted = _wanted(request)
    rows = keyset_listing(request, matches.history(wanted), wanted.order)
    context = {
        "listing": rows.mapped(matches.row_of),
        "wanted": wanted,
        "leagues": matches.leagues_to_choose(request.user),
        "states": _states(),
        "results": _results(is_of_player=wanted.player is not None),
        "export_query": request.GET.urlencode(),
        "most_rows": MOST_ROWS,
        "section": "matches",
    }
    return render(request, "league/matches.html", context)


def _states() -> list[tuple[str, str]]:
    return [
        ("finished", pgettext("matches", "Finished")),
        ("playing", pgettext("matches", "In play")),
        ("waiting", pgettext("matches", "Waiting")),
        ("void", pgettext("matches", "Void")),
    ]


def _results(*, is_of_player: bool) -> list[tuple[str, str]]:
    of_player = [("won", pgettext("matches", "Won")), ("lost", pgettext("matches", "Lost"))]
    of_all = [("drawn", pgettext("matches", "Drawn")), ("fault", _("With a fault"))]
    return [*of_player, *of_all] if is_of_player else of_all


@require_safe
def as_csv(request: HttpRequest) -> HttpResponse:
    """The history as CSV, narrowed as the page is."""
    wanted = _wanted(request)
    rows, _following = exported(request, matches.history(wanted), wanted.order)
    return csv_file("matches", [match_data(matches.row_of(row)) for row in rows], MATCH_COLUMNS)


@require_safe
def as_json(request: HttpRequest) -> HttpResponse:
    """The history as JSON, narrowed as the page is."""
    wanted = _wanted(request)
    rows, following = exported(request, matches.history(wanted), wanted.order)
    return json_file("matches", [match_data(matches.row_of(row)) for row in rows], following)


def find_match(request: HttpRequest, code: str) -> Match:
    """The match at an address, for who may see it. Raises Http404."""
    found = selectors.find(code, request.user)
    if found is None:
        raise Http404
    return found


def _crumbs(page: selectors.MatchPage) -> list[tuple[str, str]]:
    if page.place is None:
        return [(_("Matches"), reverse("league:matches"))]
    tournament = page.place.pairing.stage.tournament
    league = tournament.league
    return [(league.name, league.get_absolute_url()), (tournament.name, tournament.get_absolute_url())]


@never_cache
@require_safe
def match(request: HttpRequest, code: str) -> HttpResponse:
    """The match. A request of htmx gets the part that changes; 204 while it is as the reader has `seen` it."""
    found = find_match(request, code)
    page = selectors.page_of(found, request.user)
    is_part = bool(request.htmx)  # type: ignore[attr-defined]
    if is_part and request.GET.get("seen") == page.seen:
        return HttpResponse(status=204)
    may_rule = page.place is not None and may(request.user, Act.RULE, page.place.pairing.stage.tournament.league)
    context = {
        "page": page,
        "match": found,
        "slips": receipts.slips(page.receipt) if page.receipt else (),
        "rules": summary(found.rules),
        "may_rule": may_rule,
        "no_rerun": why_no_rerun(place=page.place, actor=person(request)) if may_rule and page.place else None,
        "section": "matches",
        "breadcrumb": [*_crumbs(page), (found.code, "")],
    }
    return render(request, "league/_match.html" if is_part else "league/match.html", context)


@never_cache
@csp_update({"require-trusted-types-for": ["'script'"], "trusted-types": ["'none'"]})
@require_safe
def replay(request: HttpRequest, code: str) -> HttpResponse:
    """The replay at deal `d`, card `c`; both are clamped."""
    found = find_match(request, code)
    data = replay_data(found, request.user)
    if data is None:
        raise Http404
    if data["has_analysis"] is False:
        analysis.want(match=found)
    address = found.get_absolute_url()
    context: dict[str, Any] = {
        "replay_data": data,
        "replay": replay_view(
            data,
            deck=viewer({"request": request}).deck,
            deal=whole(request.GET.get("d"), most=999),
            ply=whole(request.GET.get("c"), most=999),
        ),
        "match_title": " – ".join(seat["name"] for seat in data["seats"]),
        "match_subtitle": found.code,
        "match_url": address,
        "picture_url": reverse("games:picture", args=[found.code]),
        "analysis_url": reverse("games:analysis", args=[found.code]),
        "text_url": reverse("games:record-text", args=[found.code]),
        "json_url": reverse("games:record-json", args=[found.code]),
        "breadcrumb": [(_("Matches"), reverse("league:matches")), (found.code, address), (_("Replay"), "")],
        "section": "matches",
    }
    if data["seed"] and any(deal["think_ms"] for deal in data["deals"]):  # the viewer runs one of the bots
        context["logs_url"] = reverse("bots:log", args=[found.code])
    rating = receipt(found)
    if rating and rating.rows:
        context |= {"receipt_template": "league/_replay_receipt.html", "slips": receipts.slips(rating)}
    return render(request, "games/replay.html", context)
