"""What the arena answers: reports, one JSON object each in the stream `arena:reports`, at most 256 KiB.

Every report carries the run, the nonce of the delivery that plays it, and `seq` (0, 1, 2 ... in a run). Logs are cut
first when a report is too long.
"""

import json
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from bots.arena.jobs import MAX_SEATS, run_id_shape, seat_shape, sha256_shape, tier_shape
from bots.arena.wire import (
    WireError,
    array,
    boolean,
    choice,
    decode,
    encode,
    integer,
    mapping,
    nested,
    optional,
    scalar,
    text,
    wire,
)

MAX_REPORT = 256 << 10
MAX_LOG_PART = 2 << 10
MAX_LOG_DEAL = 64 << 10
MAX_STDERR_TAIL = 16 << 10
MAX_SHOWN_ANSWER = 4 << 10
MAX_REQUEST = 64 << 10
MAX_PLIES = 40
#: Stands where a log was cut.
CUT = "[...]\n"

#: Kinds of fault that are a bot's (`infrastructure` is ours and is reported as no fault).
FAULT_KINDS = ("timeout", "crash", "illegal", "protocol", "memory", "output")

_nonce = text(64, r"[0-9A-Za-z_-]{8,64}")
_seq = integer(0, 1_000_000)
_deal = integer(1, 10_000)
_time = integer(0, 1 << 42)
_plays = text(2 * MAX_PLIES, r"([A3RCF76542][DCSB])*")
_points = array(integer(0, 120), MAX_SEATS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What a seat did wrong. `ply` counts the plays of the deal before it; null where the bot did not start.

    `request` is the line as sent, `answer` its bytes escaped, `exit` a code (`exit 3`) or a signal (`signal 9`).
    """

    seat: int = wire(seat_shape)
    kind: str = wire(choice(*FAULT_KINDS))
    detail: str = wire(text(500), default="")
    ply: int | None = wire(optional(integer(0, MAX_PLIES)))
    request_sha256: str = wire(sha256_shape)
    request: str = wire(text(MAX_REQUEST))
    answer: str = wire(text(MAX_SHOWN_ANSWER), default="")
    exit: str = wire(text(40), default="")
    stderr_tail: str = wire(text(MAX_STDERR_TAIL), default="")


@dataclass(frozen=True, slots=True, kw_only=True)
class LogPart:
    """What a bot wrote to its log between its last answer and the one of ply `ply`; null: before the first card."""

    ply: int | None = wire(optional(integer(0, MAX_PLIES)))
    text: str = wire(text(MAX_LOG_PART + len(CUT)))


class _Report:
    """What all reports share."""

    __slots__ = ()
    type: ClassVar[str]

    def to_dict(self) -> dict[str, Any]:
        """As a JSON object, with its type."""
        return {"type": self.type, **encode(self)}

    @classmethod
    def from_dict(cls, value: Any) -> Self:
        """Read strictly. Raises WireError."""
        if type(value) is not dict or value.get("type") != cls.type:
            raise WireError(f"{cls.__name__}.type", cls.type)
        return decode(cls, {key: item for key, item in value.items() if key != "type"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Started(_Report):
    """The run is being played: by whom, and how its bots are confined.

    `speed` is how fast that worker's core was when it started, in loops of `bots.arena.calibration` a millisecond.
    """

    type: ClassVar[str] = "started"
    run_id: str = wire(run_id_shape)
    nonce: str = wire(_nonce)
    seq: int = wire(_seq)
    attempt: int = wire(integer(0, 1_000))
    worker: str = wire(text(120))
    tier: str = wire(tier_shape)
    policy: str = wire(text(64))
    kernel: str = wire(text(80))
    python: str = wire(text(40))
    speed: int | None = wire(optional(integer(1, 1_000_000)), default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class DealReport(_Report):
    """A finished deal. Times in us, one a ply; `points` by seat as taken in play, also where a fault awards the deal.

    `notes` has one item a ply, or none where no bot wrote any; `logs` one list a seat, or none. `plays_sha256` is that
    of the text `plays`.
    """

    type: ClassVar[str] = "deal"
    run_id: str = wire(run_id_shape)
    nonce: str = wire(_nonce)
    seq: int = wire(_seq)
    deal: int = wire(_deal)
    plays: str = wire(_plays)
    points: tuple[int, ...] = wire(_points)
    winner_side: int | None = wire(optional(seat_shape))
    termination: str = wire(choice("normal", "auto", *FAULT_KINDS))
    think_cpu_us: tuple[int, ...] = wire(array(_time, MAX_PLIES))
    think_wall_us: tuple[int, ...] = wire(array(_time, MAX_PLIES))
    bank_left_us: tuple[int, ...] = wire(array(_time, MAX_SEATS))
    notes: tuple[str | None, ...] = wire(array(optional(text(200)), MAX_PLIES), default=())
    faults: tuple[Fault, ...] = wire(array(nested(Fault), MAX_SEATS), default=())
    logs: tuple[tuple[LogPart, ...], ...] = wire(array(array(nested(LogPart), MAX_PLIES + 2), MAX_SEATS), default=())
    plays_sha256: str = wire(sha256_shape)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchReport(_Report):
    """The end of a match. `outcome` is the winning side, null when drawn or void; `score` the deals won by side.

    `termination`: normal, fault (a second faulty deal of a seat) or void; then `reason` begins with why (`faults`,
    `infrastructure`) and `faults` holds those of the last attempt. `deals` counts the finished deals, earlier runs too.
    """

    type: ClassVar[str] = "match"
    run_id: str = wire(run_id_shape)
    nonce: str = wire(_nonce)
    seq: int = wire(_seq)
    outcome: int | None = wire(optional(seat_shape))
    termination: str = wire(choice("normal", "fault", "void"))
    score: tuple[int, ...] = wire(array(integer(0, 10_000), MAX_SEATS))
    deals: int = wire(integer(0, 10_000))
    reason: str = wire(text(300), default="")
    faults: tuple[Fault, ...] = wire(array(nested(Fault), MAX_SEATS), default=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned(_Report):
    """Not (all) played: the rest of a block or of a match goes back. `next_deal` is the first that is not reported."""

    type: ClassVar[str] = "returned"
    run_id: str = wire(run_id_shape)
    nonce: str = wire(_nonce)
    seq: int = wire(_seq)
    next_deal: int = wire(_deal)
    reason: str = wire(choice("time", "drain", "stop"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused(_Report):
    """The arena cannot do this job: `no_tier`, `bad_job`, `no_files`, `wrong_files`."""

    type: ClassVar[str] = "refused"
    run_id: str = wire(run_id_shape)
    nonce: str = wire(_nonce)
    seq: int = wire(_seq)
    reason: str = wire(choice("no_tier", "bad_job", "no_files", "wrong_files"))
    detail: str = wire(text(300), default="")


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveReport(_Report):
    """A card at a human table, or the fault in its place, or `trouble`: what of ours failed (nobody is blamed).

    Times of the move alone, us, also where it ended in a fault; `bank_left_us` is what the next job of this seat and
    deal may use. `log` is the end of all that the process wrote.
    """

    type: ClassVar[str] = "move"
    run_id: str = wire(run_id_shape)
    nonce: str = wire(_nonce)
    seq: int = wire(_seq)
    card: str | None = wire(optional(text(2, r"[A3RCF76542][DCSB]")), default=None)
    fault: Fault | None = wire(optional(nested(Fault)), default=None)
    trouble: str = wire(text(300), default="")
    cpu_us: int = wire(_time, default=0)
    wall_us: int = wire(_time, default=0)
    bank_left_us: int = wire(_time, default=0)
    note: str | None = wire(optional(text(200)), default=None)
    log: str = wire(text(MAX_STDERR_TAIL), default="")

    def __post_init__(self) -> None:
        if (self.card is not None) + (self.fault is not None) + bool(self.trouble) != 1:
            raise WireError("MoveReport", "a card, a fault or a trouble")


@dataclass(frozen=True, slots=True, kw_only=True)
class QualifyGame:
    """One deal of a check, enough to replay it: cards as text, `seat` is the checked bot's (null: both are)."""

    number: int = wire(integer(1, 10_000))
    opponent: str = wire(text(60))
    seat: int | None = wire(optional(seat_shape))
    rules: str = wire(text(400))
    dealer: int = wire(seat_shape)
    deck: str = wire(text(80, r"([A3RCF76542][DCSB])*"))
    plays: str = wire(_plays)
    think_us: tuple[int, ...] = wire(array(_time, MAX_PLIES))
    points: tuple[int, ...] = wire(_points)
    winner_side: int | None = wire(optional(seat_shape))
    termination: str = wire(choice("normal", "auto", *FAULT_KINDS))
    fault_seat: int | None = wire(optional(seat_shape), default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class QualifyStep(_Report):
    """The result of one check of a version, in the order in which they are made.

    `code` and `params` name the sentence to show, `what_to_do` the advice; both are translated on the trusted side.
    `verdict` is null but in the last step of a run: qualified, rejected, or again (the machine's fault).
    """

    type: ClassVar[str] = "qualify_step"
    run_id: str = wire(run_id_shape)
    nonce: str = wire(_nonce)
    seq: int = wire(_seq)
    check: str = wire(text(30, r"[a-z_]{1,30}"))
    ok: bool = wire(boolean)
    code: str = wire(text(60, r"[a-z_.]{1,60}"))
    params: dict[str, str | int | bool | None] = wire(mapping(scalar, 30), default_factory=dict)
    what_to_do: str = wire(text(60, r"[a-z_.]{0,60}"), default="")
    file: str = wire(text(120), default="")
    line: int | None = wire(optional(integer(1, 1_000_000)), default=None)
    ms: int = wire(_time, default=0)
    log: str = wire(text(MAX_STDERR_TAIL), default="")
    request: str = wire(text(MAX_REQUEST), default="")
    answer: str = wire(text(MAX_SHOWN_ANSWER), default="")
    games: tuple[QualifyGame, ...] = wire(array(nested(QualifyGame), 100), default=())
    verdict: str | None = wire(optional(choice("qualified", "rejected", "again")), default=None)


Report = Started | DealReport | MatchReport | Returned | Refused | MoveReport | QualifyStep
_TYPES: dict[str, type[Report]] = {
    kind.type: kind for kind in (Started, DealReport, MatchReport, Returned, Refused, MoveReport, QualifyStep)
}


def write_report(report: Report) -> bytes:
    """The report as one JSON text of at most MAX_REPORT bytes; logs are cut first, the oldest part of each."""
    data = _dump(report)
    if len(data) <= MAX_REPORT:
        return data
    if isinstance(report, DealReport):
        budget = MAX_REPORT - len(_dump(replace(report, logs=tuple(() for _ in report.logs))))
        # A character may take six bytes in JSON; each seat gets an equal part of what is left.
        share = max(0, budget // max(1, len(report.logs)) - 1_000)
        report = replace(report, logs=tuple(_newest(parts, share) for parts in report.logs))
    if len(data := _dump(report)) <= MAX_REPORT:
        return data
    if isinstance(report, (DealReport, MatchReport)):
        faults = tuple(replace(fault, stderr_tail="", answer=fault.answer[:1024]) for fault in report.faults)
        report = replace(report, faults=faults)
    elif isinstance(report, (QualifyStep, MoveReport)):
        report = replace(report, log="")
    if len(data := _dump(report)) > MAX_REPORT:
        raise WireError(f"{type(report).__name__}", f"at most {MAX_REPORT} bytes")
    return data


def read_report(data: bytes | str) -> Report:
    """The report in a JSON text. Raises WireError, whatever the text."""
    if len(data) > MAX_REPORT:
        raise WireError("report", f"at most {MAX_REPORT} bytes")
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise WireError("report", "JSON in UTF-8") from None
    kind = value.get("type") if type(value) is dict else None
    if type(kind) is not str or kind not in _TYPES:
        raise WireError("report.type", "one of " + " ".join(_TYPES))
    return _TYPES[kind].from_dict(value)


def _dump(report: Report) -> bytes:
    return json.dumps(report.to_dict(), separators=(",", ":"), ensure_ascii=False).encode()


def _newest(parts: tuple[LogPart, ...], share: int) -> tuple[LogPart, ...]:
    """The last parts whose JSON fits into `share` bytes, the cut marked."""
    kept: list[LogPart] = []
    for part in reversed(parts):
        share -= len(json.dumps(part.text, ensure_ascii=False).encode()) + 20
        if share < 0:
            kept.append(LogPart(ply=part.ply, text=CUT))
            break
        kept.append(part)
    return tuple(reversed(kept))
