"""Taking matches back from the arena."""

from collections.abc import Sequence

import redis
import structlog
from django.db import transaction
from django.utils import timezone

from accounts.foundation import advance, lock
from bots import doorbell
from bots.models import OPEN_RUNS, RUN_TRANSITIONS, MatchRun, RunState
from games.models import MATCH_TRANSITIONS, Match, MatchState
from games.services.rows import update_rows

log = structlog.get_logger(__name__)


def stop(*, match: Match, reason: str) -> Match:
    """Take a match back at once: what its run reports from now on is stale, and the match waits to be played again.

    The deals that were stored stay. Without an open run nothing happens.
    """
    with transaction.atomic():
        (row,) = lock(Match.objects.filter(pk=match.pk))
        stop_locked(matches=[row], reason=reason)
    return row


def stop_locked(*, matches: Sequence[Match], reason: str, only_waiting: bool = False) -> None:
    """`stop` for matches whose locks the caller holds.

    `only_waiting`: runs in play are asked to end after their deal and stay open until the arena gives the rest back.
    """
    by_id = {match.pk: match for match in matches}
    runs = list(MatchRun.objects.filter(match_id__in=by_id, state__in=OPEN_RUNS))
    for run in runs:
        _ring(run)
    ended = [run for run in runs if run.state == RunState.QUEUED or not only_waiting]
    now = timezone.now()
    for run in ended:
        advance(run, RunState.STOPPED, table=RUN_TRANSITIONS)
        run.ended_at, run.reason = now, reason[:300]
    update_rows(ended, ["state", "ended_at", "reason"])
    moved = []
    for match in (by_id[run.match_id] for run in ended):
        if match.state == MatchState.PLAYING:
            advance(match, MatchState.QUEUED, table=MATCH_TRANSITIONS)
        if match.state == MatchState.QUEUED:
            advance(match, MatchState.PLANNED, table=MATCH_TRANSITIONS)
            moved.append(match)
    update_rows(moved, ["state"])


def _ring(run: MatchRun) -> None:
    """Before the commit: should that fail, the arena gives the run back and it is queued again."""
    try:
        doorbell.stop(run.run_id)
    except redis.RedisError:
        # The database decides: the reports of a stopped run are stale, whether or not its worker hears of it.
        log.exception("run.stop_not_sent", run_id=str(run.run_id))
