"""Rated or not: decided when the match is made, stored, and shown to both sides."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db.models import Q

from accounts.foundation import lock_one
from bots.models import BotMate
from games.models import Match, Seat
from league.models import League, PeriodKind, RatedMatch, RatedState, RatingPeriod, RatingPool, UnratedReason
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


def plan(
    *,
    matches: Mapping[str, Sequence[Match]],
    kind: PeriodKind,
    league: League | None,
    rated: bool,
    against: UnratedReason | None = None,
) -> None:
    """Store for each match whether it counts for Elo, and open the periods of those that do.

    `matches` by the reference of their period: a round, say. What is made after that period was closed goes into its
    next one, `<reference>/2` and so on. `against`: what speaks against rating them beside what they show themselves
    (the pair limit). Called in the transaction that makes the matches; the number of queries depends on the number of
    pools alone.
    """
    everything = [match for group in matches.values() for match in group]
    seats: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for seat in Seat.objects.filter(match__in=everything).order_by("match_id", "index").values(*_SEAT):
        seats[seat["match_id"]].append(seat)
    bots = {seat["bot_seat__version__bot_id"] for group in seats.values() for seat in group}
    mates = _mates(bots - {None})
    rows: list[RatedMatch] = []
    counting: dict[str, dict[str, list[Match]]] = defaultdict(lambda: defaultdict(list))
    for ref, group in matches.items():
        for match in group:
            reason = _unrated(match, seats[match.pk], mates, rated=rated) or against
            if reason is not None:
                rows.append(RatedMatch(match=match, state=RatedState.UNRATED, reason=reason))
            else:
                population = population_of({seat["player__kind"] for seat in seats[match.pk]})
                counting[population][ref].append(match)
    for population, by_ref in sorted(counting.items()):
        periods = _open_periods(pool_for(population=population, league=league), kind, by_ref)
        rows += [
            RatedMatch(match=match, pool_id=periods[ref].pool_id, period=periods[ref])
            for ref, group in by_ref.items()
            for match in group
        ]
    RatedMatch.objects.bulk_create(rows)


def _open_periods(pool: RatingPool, kind: PeriodKind, refs: Collection[str]) -> dict[str, RatingPeriod]:
    """For each reference its period that is open; made where there is none.

    The pool is locked first, as by the apply step: a period cannot be closed while it is given matches.
    """
    pool = lock_one(RatingPool.objects.filter(pk=pool.pk))
    is_later = Q()
    for ref in refs:
        is_later |= Q(ref=ref) | Q(ref__startswith=f"{ref}/")
    found: dict[str, list[RatingPeriod]] = defaultdict(list)
    for period in RatingPeriod.objects.filter(is_later, pool=pool, kind=kind).order_by("pk"):
        found[period.ref.partition("/")[0]].append(period)
    opened: dict[str, RatingPeriod] = {}
    made: list[RatingPeriod] = []
    for ref in refs:
        last = found[ref][-1] if found[ref] else None
        if last is None or last.state == RatingPeriod.State.CLOSED:
            suffix = f"/{len(found[ref]) + 1}" if last else ""
            last = RatingPeriod(pool=pool, kind=kind, ref=f"{ref}{suffix}")
            made.append(last)
        opened[ref] = last
    RatingPeriod.objects.bulk_create(made)
    return opened


def _mates(bot_ids: set[int]) -> dict[int | None, set[int]]:
    """Who runs each bot besides its owner; one query."""
    found: dict[int | None, set[int]] = defaultdict(set)
    for bot_id, user_id in BotMate.objects.filter(bot__in=bot_ids, accepted_at__isnull=False).values_list(
        "bot_id", "user_id"
    ):
        found[bot_id].add(user_id)
    return found


def _unrated(
    match: Match, seats: Sequence[dict[str, Any]], mates: Mapping[int | None, set[int]], *, rated: bool
) -> UnratedReason | None:
    """Why a match does not count, None when it does. `mates`: who runs each bot besides its owner."""
    rules = match.parsed_rules
    if not rated:
        return UnratedReason.FRIENDLY
    if rules.kind == "first_to" and rules.target == 1:
        return UnratedReason.SINGLE_DEAL
    if rules.open != "none":
        return UnratedReason.OPEN_HANDS
    if not is_rateable(rules):
        return UnratedReason.RULES
    # House bots belong to the site, not to an author who could favour one of them: they are rated against each other.
    teams = [
        {seat["bot_seat__version__bot__owner_id"] or seat["player__user_id"], *mates[seat["bot_seat__version__bot_id"]]}
        for seat in seats
        if not seat["bot_seat__version__bot__is_house"]
    ]
    bots = [seat["bot_seat__version__bot_id"] for seat in seats if seat["bot_seat__version__bot_id"] is not None]
    if len(set().union(*teams)) < sum(map(len, teams)) or len(set(bots)) < len(bots):
        return UnratedReason.SAME_OWNER
    return None
