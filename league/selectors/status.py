"""Reading how the site is doing: what waits, which processes live, what the arena lost, whether the ledger holds."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Count, Min, OuterRef, Q, Subquery

from bots.models import MatchRun, QualifyRun, QualifyState, RunState
from games.models import Heartbeat, Match, MatchState
from league.models import RatingEvent, RatingPool

#: Roles that say by themselves that they live, and how long ago at most, s (config.heartbeats).
ROLES: Final = ("web", "worker", "registrar", "beat")
ALIVE_S: Final = 30
ARENA: Final = "arena"
#: Kept as heartbeats of this role: the last nightly check of each pool's ledger.
LEDGER: Final = "ledger"
#: Waiting longer than this, s, is unusual.
LONG_WAIT_S: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """Matches on their way; `oldest` was made then and still waits."""

    waiting: int
    playing: int
    held: int
    oldest: datetime | None
    is_slow: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A role of the site: how many processes of it were seen lately, and the last sign of life."""

    role: str
    count: int
    at: datetime | None
    is_alive: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Arena:
    """What the arena does: children heard lately, runs in play now, done, lost and refused within a day.

    It has no way to the database: `at` is the last time that one of its reports was read.
    """

    children: int
    playing: int
    checking: int
    done: int
    lost: int
    refused: int
    at: datetime | None
    tier: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """The ledger of a pool: its head against its last row now, and what the last nightly recount said."""

    pool: str
    label: str
    rows: int
    head: str
    revision: int
    is_whole: bool
    checked_at: datetime | None
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """Everything on the page of the site's health; six queries."""

    queue: Queue
    processes: tuple[Process, ...]
    arena: Arena
    ledgers: tuple[Ledger, ...]

    @property
    def is_well(self) -> bool:
        """Whether nothing needs a look."""
        return (
            not self.queue.is_slow
            and all(process.is_alive for process in self.processes)
            and all(ledger.is_whole and not ledger.problem for ledger in self.ledgers)
        )


def status(*, now: datetime) -> Status:
    """How the site is doing now."""
    beats = list(Heartbeat.objects.all())
    return Status(
        queue=_queue(now),
        processes=tuple(_process(role, beats, now) for role in ROLES),
        arena=_arena([beat.at for beat in beats if beat.role == ARENA], now),
        ledgers=_ledgers({beat.name: beat for beat in beats if beat.role == LEDGER}),
    )


def _queue(now: datetime) -> Queue:
    waits = Q(state__in=(MatchState.PLANNED, MatchState.QUEUED))
    found = Match.objects.filter(waits | Q(state=MatchState.PLAYING)).aggregate(
        waiting=Count("pk", filter=waits & Q(on_hold=False)),
        playing=Count("pk", filter=Q(state=MatchState.PLAYING)),
        held=Count("pk", filter=waits & Q(on_hold=True)),
        oldest=Min("created_at", filter=waits & Q(on_hold=False)),
    )
    oldest = found["oldest"]
    return Queue(**found, is_slow=oldest is not None and now - oldest > timedelta(seconds=LONG_WAIT_S))


def _process(role: str, beats: list[Heartbeat], now: datetime) -> Process:
    seen = [beat.at for beat in beats if beat.role == role]
    alive = [at for at in seen if now - at <= timedelta(seconds=ALIVE_S)]
    return Process(role=role, count=len(alive), at=max(seen, default=None), is_alive=bool(alive))


def _arena(heard: list[datetime], now: datetime) -> Arena:
    since = Q(ended_at__gt=now - timedelta(days=1))
    found = MatchRun.objects.filter(Q(state=RunState.PLAYING) | since).aggregate(
        playing=Count("pk", filter=Q(state=RunState.PLAYING)),
        done=Count("pk", filter=since & Q(state=RunState.DONE)),
        lost=Count("pk", filter=since & Q(state=RunState.LOST)),
        refused=Count("pk", filter=since & Q(state=RunState.REFUSED)),
    )
    last = MatchRun.objects.exclude(tier="").order_by("-pk").values_list("tier", flat=True).first()
    checking = QualifyRun.objects.filter(state=QualifyState.PLAYING).count()
    children = sum(now - at <= timedelta(seconds=2 * ALIVE_S) for at in heard)
    return Arena(**found, children=children, checking=checking, at=max(heard, default=None), tier=last or "")


def _ledgers(checks: dict[str, Heartbeat]) -> tuple[Ledger, ...]:
    """Pools of the whole site: those of private leagues are nobody else's business."""
    last = RatingEvent.objects.filter(pool=OuterRef("pk"), revision=OuterRef("current_revision")).order_by("-seq")
    pools = RatingPool.objects.filter(league__isnull=True).order_by("code")
    return tuple(
        _ledger(pool, checks.get(pool.code))
        for pool in pools.annotate(row_seq=Subquery(last.values("seq")[:1]), row_hash=Subquery(last.values("hash")[:1]))
    )


def _ledger(pool: RatingPool, check: Heartbeat | None) -> Ledger:
    is_empty = pool.row_seq is None  # type: ignore[attr-defined]
    whole = pool.next_seq == 1 if is_empty else (pool.row_seq, pool.row_hash) == (pool.next_seq - 1, pool.last_hash)  # type: ignore[attr-defined]
    return Ledger(
        pool=pool.code,
        label=str(pool.get_population_display()),
        rows=pool.next_seq - 1,
        head="" if is_empty else pool.last_hash,
        revision=pool.current_revision,
        is_whole=whole,
        checked_at=check.at if check else None,
        problem=str(check.detail.get("problem", "")) if check else "",
    )
