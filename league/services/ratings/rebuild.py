"""Recomputing a pool from the stored results: to check the live ledger, or to write a new revision of it."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import zip_longest

import structlog
from django.db import connection, transaction

from league.models import HeadToHead, RatingCurrent, RatingEvent, RatingPeriod, RatingPool
from league.rating import (
    ROW_VERSION,
    START_HASH,
    FieldDifference,
    LedgerRow,
    Period,
    PeriodResult,
    RatingState,
    compute_period,
    differences,
)
from league.services.ratings import reading, writing

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Check:
    """Whether the live rows are what the results give: rows compared, last hash, and the first row that differs.

    `seq` and `fields` describe that row; `seq` None with `problem` set: the caches differ or rows are missing.
    """

    pool: str
    rows: int
    last_hash: str
    problem: str = ""
    seq: int | None = None
    fields: tuple[FieldDifference, ...] = field(default=())

    @property
    def is_identical(self) -> bool:
        """Nothing differs."""
        return not self.problem


def computed(pool: RatingPool) -> Iterator[tuple[PeriodResult, Period, reading.Subjects]]:
    """Replay a pool's closed periods; memory grows with its subjects, not with its matches."""
    known: dict[str, RatingState] = {}
    last_seq, last_hash = 0, START_HASH
    for period, subjects in reading.stored_periods(pool):
        result = compute_period(period, pool=pool.code, states=known, last_seq=last_seq, last_hash=last_hash)
        known.update(result.states)
        last_seq, last_hash = result.last_seq, result.last_hash
        yield result, period, subjects


@contextmanager
def snapshot() -> Iterator[None]:
    """One state of the database for everything that is read inside, whatever is written meanwhile."""
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def check(*, pool: RatingPool, start: int = 1) -> Check:
    """Compare every row from `start` on, the head of the chain and both caches with a replay. Reads only."""
    live = RatingEvent.objects.filter(pool=pool, revision=pool.current_revision, seq__gte=start).order_by("seq")
    stored = ((_row(event, pool.code), event.v) for event in live.select_related("period").iterator(chunk_size=2_000))
    states: dict[str, RatingState] = {}
    pairs: dict[tuple[int, int], Counter[str]] = {}
    head: list[tuple[str, int]] = [(START_HASH, 0)]

    def replayed() -> Iterator[LedgerRow]:
        for result, period, subjects in computed(pool):
            states.update(result.states)
            writing.add_up(pairs, writing.head_to_head([(period, subjects)]))
            head[0] = (result.last_hash, result.last_seq)
            yield from (row for row in result.rows if row.seq >= start)

    rows = 0
    for live_row, row in zip_longest(stored, replayed()):
        if row is None:
            return Check(pool.code, rows, head[0][0], "row_too_many", live_row[0].seq)
        if live_row is None:
            return Check(pool.code, rows, head[0][0], "row_missing", row.seq)
        found = differences(stored=live_row[0], computed=row)
        if live_row[1] != ROW_VERSION:
            found = (*found, FieldDifference(field="v", stored=str(live_row[1]), computed=str(ROW_VERSION)))
        if found:
            return Check(pool.code, rows, head[0][0], "row_differs", row.seq, found)
        rows += 1
    if (pool.last_hash, pool.next_seq - 1) != head[0]:
        return Check(pool.code, rows, head[0][0], "head_differs")
    if reading.states_of(pool) != states:
        return Check(pool.code, rows, head[0][0], "current_differs")
    if _stored_pairs(pool) != pairs:
        return Check(pool.code, rows, head[0][0], "head_to_head_differs")
    return Check(pool.code, rows, head[0][0])


def _stored_pairs(pool: RatingPool) -> dict[tuple[int, int], Counter[str]]:
    rows = HeadToHead.objects.filter(pool=pool).values_list("a_id", "b_id", "won_a", "won_b", "drawn")
    return {(a, b): Counter(a=won_a, b=won_b, drawn=drawn) for a, b, won_a, won_b, drawn in rows}


def _row(event: RatingEvent, pool: str) -> LedgerRow:
    return LedgerRow(
        after=event.after,
        before=event.before,
        delta=event.delta,
        e=event.e,
        floor=event.floor,
        k=event.k,
        kind=event.kind,
        match=event.match,
        n=event.n,
        opp=event.opp,
        period=event.period.seq or 0,
        pool=pool,
        reason=event.reason,
        score=event.score,
        seq=event.seq,
        subject=event.subject,
        prev_hash=event.prev_hash,
        hash=event.hash,
    )


def write_revision(*, pool: RatingPool) -> RatingPool:
    """Replay the pool into the next revision and make it the current one; old rows stay readable.

    Called in a transaction that holds the pool's lock.
    """
    revision = pool.current_revision + 1
    periods = dict(RatingPeriod.objects.filter(pool=pool, seq__isnull=False).values_list("seq", "pk"))
    RatingCurrent.objects.filter(pool=pool).delete()
    HeadToHead.objects.filter(pool=pool).delete()
    pairs: dict[tuple[int, int], Counter[str]] = {}
    states: dict[str, RatingState] = {}
    players: dict[str, int] = {}
    versions: dict[str, int] = {}
    last_seq, last_hash = 0, START_HASH
    for result, period, subjects in computed(pool):
        writing.write_rows(pool=pool, revision=revision, period=periods[period.seq], rows=result.rows)
        states.update(result.states)
        players.update(subjects.players)
        versions.update(subjects.versions)
        writing.add_up(pairs, writing.head_to_head([(period, subjects)]))
        last_seq, last_hash = result.last_seq, result.last_hash
    writing.write_states(pool=pool, states=states, players=players, versions=versions)
    writing.add_head_to_head(pool=pool, pairs=pairs)
    pool.current_revision = revision
    pool.next_seq, pool.last_hash = last_seq + 1, last_hash
    pool.save(update_fields=["current_revision", "next_seq", "last_hash"])
    return pool


def check_all() -> list[Check]:
    """Check every pool; a difference is logged as an alert for the operator and stops nothing."""
    with snapshot():
        checks = [check(pool=pool) for pool in RatingPool.objects.order_by("code")]
    for one in checks:
        if not one.is_identical:
            log.error("ratings_differ", pool=one.pool, problem=one.problem, seq=one.seq)
    return checks
