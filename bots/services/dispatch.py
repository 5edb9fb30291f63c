"""Handing matches to the arena: enough that no child waits, not more, and fair over those who want matches played.

Matches wait in the database as `planned`. A round of `fill` makes as many `queued` as fill about 20 s of every child.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from datetime import timedelta
from functools import partial
from heapq import heapify, heappop, heappush
from typing import Final

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Case, F, When, Window
from django.db.models.functions import RowNumber
from django.utils import timezone

from accounts.foundation import advance, lock, take_turn
from accounts.foundation.wake import awake
from bots import doorbell
from bots.models import OPEN_RUNS, BotSeat, BotVersion, MatchRun, RunState
from bots.services import pace, ringing
from bots.services.runs.verify import rules_of
from bots.services.runs.work import Work, ring, work_of
from games.models import MATCH_TRANSITIONS, Match, MatchState

log = structlog.get_logger(__name__)

#: Work that waits for each child of the arena, and the least and most that one message holds, us.
WAITING_US: Final = 20_000_000
BLOCK_US: Final = (300_000, 4_000_000)
MOST_JOBS: Final = 60
MOST_AT_ONCE: Final = 500
#: How much later the matches of a version come that lost one by faults (bots.services.faults says until when).
SLOWED: Final = 4
_ROUNDS: Final = "bots:dispatch-rounds"
#: A run that nobody began is rung again after a lease when the queue is empty, and after this time in any case.
SURELY_LOST: Final = timedelta(minutes=15)
#: Numbers of the site's advisory locks end in 1 (dispatch), 2 (sweep of leases) and 3 (registrar).
DISPATCH_LOCK: Final = 0x62656C6C_01

Planned = tuple[MatchRun, Work]


def fill() -> int:
    """Hand out as much as the arena needs now; the number of matches. Nothing when another round is on its way.

    Raises OperationalError and redis' errors: the next round does it.
    """
    awake(ringing.DISPATCH)
    if ringing.is_pausing():
        log.warning("dispatch.pauses", why="the arena refused too many runs")
        return 0
    queue_is_empty = doorbell.waiting_blocks() == 0
    with transaction.atomic():
        if not take_turn(DISPATCH_LOCK):
            return 0
        _ring_again(queue_is_empty=queue_is_empty)
        room = WAITING_US * settings.ARENA_CHILDREN - _waiting_us()
        if room <= 0:
            return 0
        chosen = _choose(room)
        if not chosen:
            return 0
        blocks = _blocks(_queue(chosen))
        transaction.on_commit(partial(ring, [[job for job, _ in block] for block in blocks]))
    return sum(map(len, blocks))


def _ring_again(*, queue_is_empty: bool) -> None:
    """Send the messages again that nobody seems to have; the arena drops one that comes twice."""
    now = timezone.now()
    before = now - (timedelta(seconds=settings.ARENA_LEASE_S) if queue_is_empty else SURELY_LOST)
    runs = list(MatchRun.objects.filter(state=RunState.QUEUED, rung_at__lt=before).order_by("pk")[:MOST_AT_ONCE])
    if not runs:
        return
    log.warning("runs.rung_again", count=len(runs))
    MatchRun.objects.filter(pk__in=[run.pk for run in runs]).update(rung_at=now)
    works = work_of(Match.objects.filter(pk__in=[run.match_id for run in runs]))
    transaction.on_commit(partial(ring, [[(run, works[run.match_id])] for run in runs]))


def _versions_by_match(matches: Iterable[int]) -> dict[int, tuple[str, list[int]]]:
    """Rules code and versions of matches."""
    seats = BotSeat.objects.filter(seat__match_id__in=matches)
    found: dict[int, tuple[str, list[int]]] = {}
    for match_id, rules, version_id in seats.values_list("seat__match_id", "seat__match__rules", "version_id"):
        found.setdefault(match_id, (rules, []))[1].append(version_id)
    return found


def _estimates(matches: Iterable[int]) -> dict[int, int]:
    """How long these matches may take, us."""
    found = _versions_by_match(matches)
    known = pace.read({version for _, versions in found.values() for version in versions})
    return {match_id: pace.match_us(rules_of(rules), versions, known) for match_id, (rules, versions) in found.items()}


def _waiting_us() -> int:
    """Work that was handed out and is not begun."""
    waiting = MatchRun.objects.filter(state=RunState.QUEUED).values_list("match_id", flat=True)
    return sum(_estimates(list(waiting)).values())


def _choose(room: int) -> dict[int, int]:
    """Matches that fill `room` us, with their estimates, fair over groups: the next one comes from the group that takes
    the least of the arena's time, what it has there already included. Of a group the oldest match is first; one of a
    version that lost a match by faults counts as if SLOWED times as many stood before it, but in one of SLOWED rounds:
    where few go at a time and others always come after them, it would wait for ever.
    """
    later = 1 if doorbell.valkey().incr(_ROUNDS) % SLOWED == 0 else SLOWED
    turn = Window(RowNumber(), partition_by=F("group"), order_by=F("id").asc())
    # One table and one index: joins to the seats of all that waits went wrong when the statistics were old.
    candidates = list(
        Match.objects.filter(has_people=False, state=MatchState.PLANNED, on_hold=False)
        .annotate(turn=turn)
        .annotate(place=F("turn") * Case(When(pk__in=_slowed(), then=later), default=1))
        .order_by("place", "id")
        .values_list("pk", "group")[:MOST_AT_ONCE]
    )
    estimates = _estimates([match_id for match_id, _ in candidates])
    waiting: dict[str, deque[int]] = defaultdict(deque)
    for match_id, group in candidates:
        if match_id in estimates:  # one without versions is nobody's work
            waiting[group].append(match_id)
    spent = _at_work(waiting)
    heap = [(spent.get(group, 0), matches[0], group) for group, matches in waiting.items()]
    heapify(heap)
    chosen: dict[int, int] = {}
    while heap and room > 0:
        so_far, _, group = heappop(heap)
        match_id = waiting[group].popleft()
        chosen[match_id] = estimates[match_id]
        room -= estimates[match_id]
        if waiting[group]:
            heappush(heap, (so_far + estimates[match_id], waiting[group][0], group))
    return chosen


def _slowed() -> list[int]:
    """The matches that wait and in which a version sits that lost one by faults; one query when there is none."""
    versions = list(BotVersion.objects.filter(slowed_at__isnull=False).values_list("pk", flat=True))
    if not versions:
        return []
    seats = BotSeat.objects.filter(version__in=versions, seat__match__state=MatchState.PLANNED)
    return list(seats.values_list("seat__match_id", flat=True))


def _at_work(groups: Iterable[str]) -> dict[str, int]:
    """How much of the arena's time the matches of each group take that are there already, us."""
    open_matches = dict(
        Match.objects.filter(group__in=list(groups), runs__state__in=OPEN_RUNS).values_list("pk", "group")
    )
    spent: dict[str, int] = {}
    for match_id, estimate in _estimates(list(open_matches)).items():
        group = open_matches[match_id]
        spent[group] = spent.get(group, 0) + estimate
    return spent


def _queue(chosen: dict[int, int]) -> list[tuple[Planned, int]]:
    """Make the matches `queued`, each under a new run; with their estimates, in the order of `chosen`."""
    rows = lock(Match.objects.filter(pk__in=chosen, state=MatchState.PLANNED, on_hold=False))
    if not rows:
        return []
    attempts = _next_attempts(rows)
    now = timezone.now()
    for match in rows:
        advance(match, MatchState.QUEUED, table=MATCH_TRANSITIONS)
    Match.objects.filter(pk__in=[match.pk for match in rows]).update(state=MatchState.QUEUED)
    runs = MatchRun.objects.bulk_create(
        MatchRun(match=match, attempt=attempts.get(match.pk, 0), rung_at=now) for match in rows
    )
    works = work_of(rows)
    planned = {run.match_id: (run, works[run.match_id]) for run in runs}
    return [(planned[match_id], estimate) for match_id, estimate in chosen.items() if match_id in planned]


def _next_attempts(matches: Sequence[Match]) -> dict[int, int]:
    """Losses at the present deal of matches that had a run before."""
    last = MatchRun.objects.filter(match__in=matches).order_by("match_id", "-pk").distinct("match_id")
    return {run.match_id: run.attempt + (run.state in (RunState.LOST, RunState.REFUSED)) for run in last}


def _blocks(queued: Sequence[tuple[Planned, int]]) -> list[list[tuple[Planned, int]]]:
    """Cut the work into messages: large ones first, ever smaller ones, so that the children end together."""
    least, most = BLOCK_US
    left = sum(estimate for _, estimate in queued)
    blocks: list[list[tuple[Planned, int]]] = []
    room = 0
    for job, estimate in queued:
        if not blocks or estimate > room or len(blocks[-1]) >= MOST_JOBS:
            blocks.append([])
            room = min(most, max(least, left // (2 * settings.ARENA_CHILDREN)))
        blocks[-1].append((job, estimate))
        room -= estimate
        left -= estimate
    return blocks
