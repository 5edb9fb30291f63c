"""Rated matches outside of tournaments: periods of given results, for whatever is tested about ratings alone."""

import random
from collections.abc import Sequence
from datetime import timedelta

from django.db import transaction

from bots.models import BotVersion
from bots.services import matches as bot_matches
from games.models import Match
from games.services import matches as match_verbs
from league.models import PeriodKind, RatingPeriod
from league.services.ratings import planning
from tests.factories import bot_match_spec
from tests.league.playing import give_result


def plan(pairs: Sequence[tuple[BotVersion, BotVersion]], *, ref: str, **fields: object) -> list[Match]:
    """Matches of one period that wait to be played."""
    with transaction.atomic():
        matches = bot_matches.create_many(specs=[bot_match_spec(one, other, **fields) for one, other in pairs])
        planning.plan(matches={ref: matches}, kind=PeriodKind.BATCH, league=None, rated=True)
    return matches


def play_period(pairs: Sequence[tuple[BotVersion, BotVersion]], *, ref: str, rng: random.Random) -> RatingPeriod:
    """A period whose matches are over, not applied yet: wins, draws, now and then a void match or a forfeit."""
    for match in plan(pairs, ref=ref):
        match rng.randrange(12):
            case 0:
                match_verbs.void(match=match, reason="infrastructure")
            case 1:
                match_verbs.start(match=match)
                match_verbs.finish(match=match, winner_side=0, termination=rng.choice(["forfeit", "ruled", "absent"]))
            case number:
                give_result(match, (0, 1, None)[number % 3] if number > 3 else 0)
    return RatingPeriod.objects.get(kind="batch", ref=ref)


def some_pairs(versions: Sequence[BotVersion], count: int, rng: random.Random) -> list[tuple[BotVersion, BotVersion]]:
    """Pairs of unlike versions."""
    return [(pair[0], pair[1]) for pair in (rng.sample(list(versions), 2) for _number in range(count))]


def move_back(period: RatingPeriod, *, days: int) -> None:
    """Let the results of a period that is not applied yet be so many days older."""
    matches = Match.objects.filter(rated_match__period=period, finished_at__isnull=False)
    for match in matches:
        match.finished_at -= timedelta(days=days)
    Match.objects.bulk_update(matches, ["finished_at"])
