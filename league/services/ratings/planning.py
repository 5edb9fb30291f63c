"""Rated or not: decided when the match is made, stored, and shown to both sides."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from games.models import Match, Seat
from league.models import League, PeriodKind, RatedMatch, RatedState, RatingPeriod, UnratedReason
from league.services.ratings.pools import is_rateable, pool_for, population_of

_SEAT = (
    "match_id",
    "player_id",
    "player__kind",
    "player__user_id",
    "bot_seat__version__bot_id",
    "bot_seat__version__bot__owner_id",
    "bot_seat__version__bot__is_house",
)


def plan(*, matches: Sequence[Match], kind: PeriodKind, ref: str, league: League | None, rated: bool) -> None:
    """Store for each match whether it counts for Elo, and open the period of those that do.

    Called in the transaction that makes the matches. All matches of a period are planned together.
    """
    seats: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for seat in Seat.objects.filter(match__in=matches).order_by("match_id", "index").values(*_SEAT):
        seats[seat["match_id"]].append(seat)
    rows: list[RatedMatch] = []
    periods: dict[str, RatingPeriod] = {}
    for match in matches:
        reason = _unrated(match, seats[match.pk], rated=rated)
        if reason is not None:
            rows.append(RatedMatch(match=match, state=RatedState.UNRATED, reason=reason))
            continue
        population = population_of({seat["player__kind"] for seat in seats[match.pk]})
        if population not in periods:
            pool = pool_for(population=population, league=league)
            periods[population], _made = RatingPeriod.objects.get_or_create(pool=pool, kind=kind, ref=ref)
        period = periods[population]
        rows.append(RatedMatch(match=match, pool=period.pool, period=period))
    RatedMatch.objects.bulk_create(rows)


def _unrated(match: Match, seats: Sequence[dict[str, Any]], *, rated: bool) -> UnratedReason | None:
    """Why a match does not count, None when it does."""
    rules = match.parsed_rules
    if not rated:
        return UnratedReason.FRIENDLY
    if rules.kind == "first_to" and rules.target == 1:
        return UnratedReason.SINGLE_DEAL
    if not is_rateable(rules):
        return UnratedReason.RULES
    # House bots belong to the site, not to an author who could favour one of them: they are rated against each other.
    owners = [
        seat["bot_seat__version__bot__owner_id"] or seat["player__user_id"]
        for seat in seats
        if not seat["bot_seat__version__bot__is_house"]
    ]
    bots = [seat["bot_seat__version__bot_id"] for seat in seats if seat["bot_seat__version__bot_id"] is not None]
    if len(set(owners)) < len(owners) or len(set(bots)) < len(bots):
        return UnratedReason.SAME_OWNER
    return None
