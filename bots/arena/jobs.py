"""What the arena is asked to do. A job message carries all that it needs; jobs travel as JSON objects."""

from dataclasses import dataclass
from typing import Any, Self

from bots.arena.wire import WireError, array, choice, decode, encode, integer, nested, optional, text, wire
from bots.sandbox import Limits

JOB_VERSION = 1
MAX_SEATS = 8

run_id_shape = text(36, r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
sha256_shape = text(64, r"[0-9a-f]{64}")
match_shape = text(40, r"[0-9A-Za-z_-]{1,40}")
entry_shape = text(120, r"[^\\:\0]+", shortest=1)
seat_shape = integer(0, MAX_SEATS - 1)
tier_shape = choice("namespaces", "landlock", "unsafe")
version_shape = integer(JOB_VERSION, JOB_VERSION)
lease_shape = integer(2, 600)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobLimits:
    """The clocks and the memory of every bot of a job. ms of CPU or of wall time, MiB.

    A move may use `move_cpu_ms` and `free_wall_ms` for nothing; what is above comes from the banks of deal and seat.
    """

    start_cpu_ms: int = wire(integer(1, 60_000), default=2_000)
    start_wall_ms: int = wire(integer(1, 60_000), default=10_000)
    move_cpu_ms: int = wire(integer(1, 60_000), default=100)
    bank_cpu_ms: int = wire(integer(0, 600_000), default=3_000)
    move_wall_ms: int = wire(integer(1, 60_000), default=5_000)
    free_wall_ms: int = wire(integer(0, 60_000), default=250)
    bank_wall_ms: int = wire(integer(0, 600_000), default=15_000)
    memory_mb: int = wire(integer(32, 4_096), default=448)

    def for_process(self, deals: int, moves: int) -> Limits:
        """The sandbox's limits for a process that plays up to `deals` deals of `moves` moves each.

        The kernel's own CPU limit is a backstop far above what the clocks allow in that time.
        """
        allowed_ms = self.start_cpu_ms + deals * (self.bank_cpu_ms + moves * self.move_cpu_ms)
        values = {name: getattr(self, name) for name in self.__slots__}
        return Limits(**values, process_cpu_s=max(60, 2 * allowed_ms // 1000))


@dataclass(frozen=True, slots=True, kw_only=True)
class BotRef:
    """Which code plays: the identity of its archive and the file that is loaded."""

    sha256: str = wire(sha256_shape)
    language: str = wire(choice("python"), default="python")
    entry: str = wire(entry_shape, default="bot.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatJob:
    """One place at the table and the code that plays it."""

    seat: int = wire(seat_shape)
    side: int = wire(seat_shape)
    sha256: str = wire(sha256_shape)
    language: str = wire(choice("python"), default="python")
    entry: str = wire(entry_shape, default="bot.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class DoneDeal:
    """A deal that an earlier run finished: what the score and the count of faults need."""

    deal: int = wire(integer(1, 10_000))
    winner_side: int | None = wire(optional(seat_shape))
    points: tuple[int, ...] = wire(array(integer(0, 120), MAX_SEATS))
    fault_seat: int | None = wire(optional(seat_shape), default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchJob:
    """One match of bots. `rules` is a Rules code, `seed` 32 bytes in hex: it is in no repr and in no error.

    `mode` test: the match goes on after a second faulty deal of a seat. `done` is not empty in a resumed match.
    """

    version: int = wire(version_shape, default=JOB_VERSION)
    run_id: str = wire(run_id_shape)
    attempt: int = wire(integer(0, 1_000), default=0)
    match: str = wire(match_shape)
    mode: str = wire(choice("casual", "rated", "league", "test"), default="league")
    rules: str = wire(text(400, shortest=1))
    salt: str = wire(text(64, r"[0-9A-Za-z_-]{0,64}"), default="")
    seed: str = wire(sha256_shape, repr=False)
    first_dealer: int = wire(seat_shape)
    seats: tuple[SeatJob, ...] = wire(array(nested(SeatJob), MAX_SEATS))
    limits: JobLimits = wire(nested(JobLimits), default=JobLimits())
    tier_min: str = wire(tier_shape, default="landlock")
    done: tuple[DoneDeal, ...] = wire(array(nested(DoneDeal), 10_000), default=())
    lease_s: int = wire(lease_shape, default=60)

    def __post_init__(self) -> None:
        if [seat.seat for seat in self.seats] != list(range(len(self.seats))) or len(self.seats) < 2:
            raise WireError("MatchJob.seats", "seats 0..n-1 in order")
        if self.first_dealer >= len(self.seats):
            raise WireError("MatchJob.first_dealer", "one of the seats")
        if [done.deal for done in self.done] != list(range(1, len(self.done) + 1)):
            raise WireError("MatchJob.done", "deals 1, 2, 3 ... in order")

    def to_dict(self) -> dict[str, Any]:
        """As a JSON object."""
        return encode(self)

    @classmethod
    def from_dict(cls, value: Any) -> Self:
        """Read strictly. Raises WireError."""
        return decode(cls, value)


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveJob:
    """One card at a human table: the messages as sent, without their line's end; never the match's seed."""

    version: int = wire(version_shape, default=JOB_VERSION)
    run_id: str = wire(run_id_shape)
    attempt: int = wire(integer(0, 1_000), default=0)
    match: str = wire(match_shape)
    deal: int = wire(integer(1, 10_000))
    seat: int = wire(seat_shape)
    bot: BotRef = wire(nested(BotRef))
    start: str = wire(text(65_536), repr=False)
    request: str = wire(text(65_536), repr=False)
    limits: JobLimits = wire(nested(JobLimits), default=JobLimits())
    bank_cpu_us: int = wire(integer(0, 600_000_000))
    tier_min: str = wire(tier_shape, default="landlock")
    lease_s: int = wire(lease_shape, default=60)

    def to_dict(self) -> dict[str, Any]:
        """As a JSON object."""
        return encode(self)

    @classmethod
    def from_dict(cls, value: Any) -> Self:
        """Read strictly. Raises WireError."""
        return decode(cls, value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """A bot of the house that a new version meets while it is checked."""

    name: str = wire(text(14, r"[a-z_]{1,14}"))
    sha256: str = wire(sha256_shape)
    entry: str = wire(entry_shape, default="bot.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class QualifyJob:
    """The checks of a new version. More pairs are played while less than `budget_s` is used; `deadline_s`: the end."""

    version: int = wire(version_shape, default=JOB_VERSION)
    run_id: str = wire(run_id_shape)
    attempt: int = wire(integer(0, 1_000), default=0)
    bot: BotRef = wire(nested(BotRef))
    seed: str = wire(sha256_shape, repr=False)
    baselines: tuple[Baseline, ...] = wire(array(nested(Baseline), 8), default=())
    limits: JobLimits = wire(nested(JobLimits), default=JobLimits())
    tier_min: str = wire(tier_shape, default="landlock")
    budget_s: int = wire(integer(0, 600), default=18)
    deadline_s: int = wire(integer(1, 600), default=280)
    lease_s: int = wire(lease_shape, default=60)

    def to_dict(self) -> dict[str, Any]:
        """As a JSON object."""
        return encode(self)

    @classmethod
    def from_dict(cls, value: Any) -> Self:
        """Read strictly. Raises WireError."""
        return decode(cls, value)
