"""Making a match where people sit: who, by which rules, whether it counts."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from accounts.foundation import lock_one
from bots.models import BotVersion
from bots.services import matches as bot_matches
from bots.services.matches import BotMatchSpec
from games.engine import Rules
from games.models import Match, MatchMode, Player, Visibility
from games.services.matches import MatchSpec, SeatSpec
from league.models import PeriodKind, RatingPool, UnratedReason
from league.selectors.play import shown_of_people
from league.selectors.ratings import shown_of_versions
from league.services.ratings import pair_limit, planning
from league.services.ratings.pools import pool_for


@dataclass(frozen=True, slots=True)
class Sitter:
    """Who takes a seat; a bot with the version that plays."""

    player: Player
    version: BotVersion | None = None


def make_match(
    *, rules: Rules, clock: str, mode: MatchMode, visibility: Visibility, sitters: Sequence[Sitter]
) -> Match:
    """Make the match and decide whether it counts for Elo; it waits for its first deal.

    `sitters` in playing order. Raises BadMatch, BotsError as `bots.services.matches.create_many`.
    """
    versions = shown_of_versions({one.version for one in sitters if one.version is not None}, league=None)
    people = shown_of_people([one.player for one in sitters if one.version is None]) if _is_counted(mode) else {}
    spec = MatchSpec(
        rules=rules,
        mode=mode,
        clock=clock,
        visibility=visibility,
        seats=tuple(
            SeatSpec(
                player=one.player,
                shown=people.get(one.player.pk, {}) if one.version is None else versions[one.version.pk],
            )
            for one in sitters
        ),
    )
    with transaction.atomic():
        against = _pair_limit(mode, sitters)
        (match,) = bot_matches.create_many(specs=[BotMatchSpec(spec, tuple(one.version for one in sitters))])
        if _is_counted(mode):
            planning.plan(
                matches={match.code: [match]},
                kind=PeriodKind.MATCH,
                league=None,
                rated=mode == MatchMode.RATED,
                against=against,
            )
    return match


def _is_counted(mode: MatchMode) -> bool:
    """Whether such a match says if it counts for Elo; practice never could."""
    return mode in (MatchMode.CASUAL, MatchMode.RATED)


def _pair_limit(mode: MatchMode, sitters: Sequence[Sitter]) -> UnratedReason | None:
    """The pair limit when it is reached; the pool is locked, so that two matches made at once see each other."""
    if mode != MatchMode.RATED or len(sitters) != 2 or any(one.version is not None for one in sitters):
        return None
    pool = pool_for(population=RatingPool.Population.HUMAN, league=None)
    lock_one(RatingPool.objects.filter(pk=pool.pk))
    first, second = (one.player for one in sitters)
    return UnratedReason.PAIR_LIMIT if pair_limit.is_reached(first, second) else None
