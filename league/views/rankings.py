"""Rankings: who stands where."""

from collections.abc import Sequence

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from league.exports import RANK_COLUMNS
from league.models import League, RatingCurrent
from league.selectors import leagues, matches, rankings
from league.views.common import choice, words
from league.views.lists import csv_file, exported, json_file, keyset_listing

Rows = QuerySet[RatingCurrent]


def _league(request: HttpRequest) -> League | None:
    slug = words(request, "league")
    return leagues.visible(request.user).filter(slug=slug).first() if slug else None


def _population(request: HttpRequest) -> str:
    return choice(request, "pool", rankings.POPULATIONS) or "bot"


def _rows(request: HttpRequest, league: League | None) -> Rows:
    """The ranking that the address asks for."""
    pool = rankings.pool_of(_population(request), league)
    return rankings.ranking(pool, league=league, today=timezone.now().date())


def _lines(rows: Rows, items: Sequence[RatingCurrent]) -> list[rankings.RankRow]:
    is_ranked = bool(items) and not items[0].is_provisional  # type: ignore[attr-defined]
    return rankings.lines(items, first=rankings.first_rank(rows, items[0]) if is_ranked else 1)


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """The ranking of bots (`pool=human`: of people) by Elo; `league` narrows it to a league's members."""
    league = _league(request)
    population = _population(request)
    rows = _rows(request, league)
    listing = keyset_listing(request, rows, rankings.ORDER)
    context = {
        "listing": listing,
        "rows": _lines(rows, listing.items),
        "league": league,
        "leagues": matches.leagues_to_choose(request.user),
        "population": population,
        "tabs": [
            {"url": "?", "label": _("Bots"), "current": population == "bot", "count": None},
            {"url": "?pool=human", "label": _("People"), "current": population == "human", "count": None},
        ],
        "export_query": request.GET.urlencode(),
        "section": "rankings",
    }
    return render(request, "league/rankings.html", context)


@require_safe
def as_csv(request: HttpRequest) -> HttpResponse:
    """The ranking as CSV."""
    rows = _rows(request, _league(request))
    items, _following = exported(request, rows, rankings.ORDER)
    return csv_file("rankings", [rankings.as_data(line) for line in _lines(rows, items)], RANK_COLUMNS)


@require_safe
def as_json(request: HttpRequest) -> HttpResponse:
    """The ranking as JSON."""
    rows = _rows(request, _league(request))
    items, following = exported(request, rows, rankings.ORDER)
    return json_file("rankings", [rankings.as_data(line) for line in _lines(rows, items)], following)
