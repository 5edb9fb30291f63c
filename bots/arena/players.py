"""A seat of a match: its bot's process, its clock and bank, its log, and what it is charged with when it fails."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bots.arena.reports import (
    CUT,
    MAX_LOG_DEAL,
    MAX_LOG_PART,
    MAX_SHOWN_ANSWER,
    MAX_STDERR_TAIL,
    Fault,
    LogPart,
)
from bots.protocol import (
    Answer,
    AnswerError,
    PlayEncoder,
    end_message,
    parse_answer,
    request_sha256,
    start_message,
    to_line,
)
from bots.sandbox import BotProcess, FaultKind, Limits, Reply, Sandbox, SandboxBroken
from games.engine import Observation, Rules

#: How long a bot has between the end of its requests and SIGKILL.
END_GRACE_MS = 200


class Faulted(Exception):
    """A bot failed. `fault` is what the report says of it."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        super().__init__(fault.kind)


class MachineFault(Exception):
    """Something of ours failed: nobody is blamed and the deal is played again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chair:
    """What a seat is for the whole match: the code that plays, and what the start message says."""

    match: str
    rules: Rules
    seat: int
    bot_dir: Path
    entry: str
    seed: int = field(repr=False)
    limits: Limits


@dataclass(frozen=True, slots=True)
class Played:
    """A card (legal or not is not judged here) and what it cost, us."""

    card: str
    note: str | None
    cpu_us: int
    wall_us: int


class Player:
    """One running bot of one seat. Used as: `start`, then for each deal `begin_deal` and `ask`, then `end`.

    `cpu_us` and `wall_us` are what the last move cost, also one that ended in a fault.
    """

    def __init__(self, sandbox: Sandbox, chair: Chair) -> None:
        """Fork the process; nothing of the bot's file has run yet. Raises MachineFault."""
        self.chair = chair
        self.bank = chair.limits.bank()
        self.logs: list[LogPart] = []
        self._log_left = MAX_LOG_DEAL
        self._n = 0
        self._encoder: PlayEncoder | None = None
        self._line = b""
        self.cpu_us = self.wall_us = 0
        try:
            self._process: BotProcess = sandbox.spawn(
                chair.bot_dir, limits=chair.limits, seed=chair.seed, entry=chair.entry
            )
        except (SandboxBroken, OSError) as error:
            raise MachineFault(f"spawn: {error}") from error

    def start(self) -> int:
        """Load the file and wait for ready; the CPU time of it, us. Raises Faulted (`ply` None) or MachineFault."""
        chair = self.chair
        self._n += 1
        message = start_message(
            n=self._n,
            match=chair.match,
            seat=chair.seat,
            rules=chair.rules,
            seed=chair.seed,
            limits=chair.limits.told(),
        )
        return self.start_by(to_line(message), n=self._n)

    def start_by(self, line: bytes, *, n: int) -> int:
        """As `start`, by a line that is there already; `n` is its number."""
        self._line = line
        reply = self._asked(self._process.ask(line, clock=self.chair.limits.start_clock()), None)
        try:
            parse_answer(reply.line or b"", n=n, wanted="ready")
        except AnswerError as error:
            raise self.faulted(FaultKind.PROTOCOL, str(error), None, reply.line) from None
        return reply.cpu_us

    def begin_deal(self) -> None:
        """A full bank and an empty log. What `start` logged stays the log's first part."""
        self.bank = self.chair.limits.bank()
        self._encoder = None
        self._process.new_deal()

    def ask(self, view: Observation, ply: int) -> Played:
        """The card for `view`. Raises Faulted or MachineFault."""
        if self._encoder is None:
            self._encoder = PlayEncoder(self.chair.match, view)
        self._n += 1
        line = self._encoder.line(view, n=self._n, bank_cpu_ms=self.bank.cpu_us // 1000)
        return self.ask_by(line, n=self._n, legal=view.legal, ply=ply)

    def ask_by(self, line: bytes, *, n: int, legal: Sequence[str], ply: int) -> Played:
        """As `ask`, by a line that is there already; `n` is its number, `legal` what may be answered."""
        self._line = line
        clock = self.chair.limits.move_clock(self.bank)
        reply = self._process.ask(line, clock=clock)
        self.bank = self.bank.after(clock, reply)
        self.cpu_us, self.wall_us = reply.cpu_us, reply.wall_us
        reply = self._asked(reply, ply)
        try:
            answer: Answer = parse_answer(reply.line or b"", n=n, wanted="card")
        except AnswerError as error:
            raise self.faulted(FaultKind.PROTOCOL, str(error), ply, reply.line) from None
        assert answer.card is not None
        if answer.card not in legal:
            raise self.faulted("illegal", f"{answer.card} is not in the hand", ply, reply.line)
        return Played(answer.card, answer.note, reply.cpu_us, reply.wall_us)

    def notify(self, message: Mapping[str, Any]) -> None:
        """Send a notice; what goes wrong with it is the fault of the next question."""
        self._process.notify(to_line(message))

    def take_logs(self) -> tuple[LogPart, ...]:
        """The log of the deal; the next one begins empty."""
        self._collect_log(None)
        logs = tuple(self.logs)
        self.logs.clear()
        self._log_left = MAX_LOG_DEAL
        return logs

    def tail(self) -> str:
        """The end of its whole log."""
        return log_text(self._process.tail(), MAX_STDERR_TAIL)

    def end(self) -> None:
        """Say that the match is over and end the process. May be called in any state."""
        self._process.notify(to_line(end_message(self.chair.match)))
        self._process.close(grace_ms=END_GRACE_MS)

    def kill(self) -> None:
        """End the process at once."""
        self._process.close()

    def faulted(self, kind: str, detail: str, ply: int | None, line: bytes | None, exit_: str = "") -> Faulted:
        """The charge for the question that was asked last."""
        fault = Fault(
            seat=self.chair.seat,
            kind=str(kind),
            detail=printable(detail)[:500],
            ply=ply,
            request_sha256=request_sha256(self._line),
            request=self._line.decode().rstrip("\n"),
            answer=ascii(line or b"")[2:-1][:MAX_SHOWN_ANSWER],
            exit=printable(exit_)[:40],
            stderr_tail=self.tail(),
        )
        return Faulted(fault)

    def _asked(self, reply: Reply, ply: int | None) -> Reply:
        """The reply when it has a line; else its fault is raised."""
        self._collect_log(ply)
        if reply.fault is None:
            return reply
        if reply.fault.kind is FaultKind.INFRASTRUCTURE:
            raise MachineFault(reply.fault.detail)
        raise self.faulted(reply.fault.kind, reply.fault.detail, ply, reply.got, reply.fault.exit)

    def _collect_log(self, ply: int | None) -> None:
        data = self._process.take_log()
        if not data or self._log_left <= 0:
            return
        text = log_text(data, MAX_LOG_PART)
        self._log_left -= len(text)
        self.logs.append(LogPart(ply=ply, text=CUT if self._log_left <= 0 else text))


def log_text(data: bytes, longest: int) -> str:
    """The end of a log as text that a database can hold: at most `longest` characters, then with a mark."""
    text = data.decode("utf-8", "backslashreplace").replace("\0", "\\x00")
    return text if len(text) <= longest else CUT + text[len(CUT) - longest :]


def printable(text: str) -> str:
    """One line without control characters."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
