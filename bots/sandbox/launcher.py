"""The contract between the arena and whatever runs a bot: values and protocols, no code that starts anything.

`bots.sandbox.start_sandbox` returns a `Sandbox`; `Sandbox.spawn` returns a `BotProcess`. One sandbox and its
processes belong to one thread. Times are microseconds (`_us`) or milliseconds (`_ms`), both integers. Whoever drives
bots writes the whole request line and parses the whole answer line (`bots.protocol`); this side judges only bytes,
time, memory and the way a process ends.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final, Literal, Protocol

MAX_REQUEST = 65_536
"""Longest line to a bot, newline included."""
MAX_ANSWER = 4_096
"""Longest line from a bot, without its newline."""

TierName = Literal["auto", "namespaces", "landlock", "unsafe"]
TIERS: Final = ("unsafe", "landlock", "namespaces")
"""From the weakest on."""
Purpose = Literal["play", "inspect"]


class FaultKind(StrEnum):
    """What a question may end in instead of a line. `illegal` and more of `protocol` are found by the line's reader."""

    TIMEOUT = "timeout"
    CRASH = "crash"
    PROTOCOL = "protocol"
    MEMORY = "memory"
    OUTPUT = "output"
    INFRASTRUCTURE = "infrastructure"
    """Ours, never the bot's: the deal is played again."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why there is no line. The process has been killed by then; only `tail`, `take_log` and `close` still make sense.

    `detail` is a word for a timeout (`cpu wall bank`), else a short printable sentence (for a crash of a Python bot
    the last line of its log, where the traceback ends). `exit` is `exit 3`, `signal 11 SIGSEGV`, or empty when the
    process did not end by itself.
    """

    kind: FaultKind
    detail: str = ""
    exit: str = ""


@dataclass(frozen=True, slots=True)
class MoveClock:
    """What one question may cost.

    Beyond `cpu_us` thinking is taken from `bank_cpu_us`, beyond `free_wall_us` waiting from `bank_wall_us`.
    """

    cpu_us: int
    wall_us: int
    """Guard of this question, whatever the bank holds."""
    bank_cpu_us: int = 0
    free_wall_us: int = 0
    bank_wall_us: int | None = None
    """None: no wall bank, the guard alone."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer line (without its newline), or the fault. Exactly one of `line` and `fault` is set.

    `cpu_us` is the thinking of this question, `pondered_us` what the process used between its last answer and this
    question, `wall_us` the time from question to answer less what the bot waited for a core.
    """

    line: bytes | None
    cpu_us: int
    wall_us: int
    pondered_us: int = 0
    fault: Fault | None = None
    got: bytes = b""
    """With a fault: what had come of an answer by then, at most `MAX_ANSWER` bytes."""


@dataclass(frozen=True, slots=True)
class Bank:
    """What one seat has left for one deal."""

    cpu_us: int
    wall_us: int

    def after(self, clock: MoveClock, reply: Reply) -> "Bank":
        """The bank once `reply` to a question under `clock` is charged; never below zero."""
        cpu = reply.pondered_us + max(0, reply.cpu_us - clock.cpu_us)
        wall = max(0, reply.wall_us - clock.free_wall_us)
        return Bank(max(0, self.cpu_us - cpu), max(0, self.wall_us - wall))


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a bot may use. The conductor makes clocks of it, the sandbox the limits of the process."""

    start_cpu_ms: int = 2_000
    start_wall_ms: int = 10_000
    move_cpu_ms: int = 100
    bank_cpu_ms: int = 3_000
    move_wall_ms: int = 5_000
    free_wall_ms: int = 250
    bank_wall_ms: int = 15_000
    memory_mb: int = 448
    """What bots are told; the address space is 64 MiB larger, for the interpreter itself."""
    process_cpu_s: int = 60
    """Backstop of the kernel over the life of the process."""

    def told(self) -> dict[str, int]:
        """The `limits` of the start message."""
        names = ("start_cpu_ms", "move_cpu_ms", "bank_cpu_ms", "move_wall_ms", "memory_mb")
        return {name: getattr(self, name) for name in names}

    def bank(self) -> Bank:
        """A full bank: one a deal and seat."""
        return Bank(self.bank_cpu_ms * 1000, self.bank_wall_ms * 1000)

    def start_clock(self) -> MoveClock:
        """Clock of the start request: loading the file and `start` together, no bank."""
        return MoveClock(cpu_us=self.start_cpu_ms * 1000, wall_us=self.start_wall_ms * 1000)

    def move_clock(self, bank: Bank) -> MoveClock:
        """Clock of a play request when `bank` is left."""
        return MoveClock(
            cpu_us=self.move_cpu_ms * 1000,
            wall_us=self.move_wall_ms * 1000,
            bank_cpu_us=bank.cpu_us,
            free_wall_us=self.free_wall_ms * 1000,
            bank_wall_us=bank.wall_us,
        )


class BotProcess(Protocol):
    """One running bot. The arena asks and judges; a question returns within the clock that it was given."""

    @property
    def pid(self) -> int:
        """Process id as the arena sees it."""
        ...

    def ask(self, line: bytes, *, clock: MoveClock) -> Reply:
        """Send one request (newline included) and wait for one line.

        The first question also pays for loading the bot's file. After a fault the process is dead and further
        questions give the same fault.
        """
        ...

    def notify(self, line: bytes) -> None:
        """Send a notice (newline included), which is not answered. What goes wrong is the next question's fault."""
        ...

    def new_deal(self) -> None:
        """A deal begins: the quota of its log is full again."""
        ...

    def take_log(self) -> bytes:
        """What the bot logged since the last call: the last 2 KiB, with a mark where bytes were cut."""
        ...

    def tail(self) -> bytes:
        """The last 16 KiB of the whole log, for the report of a fault."""
        ...

    def close(self, *, grace_ms: int = 0) -> None:
        """Close its requests, kill it if it has not ended after `grace_ms`, free everything. May be called twice."""
        ...


class BotStore(Protocol):
    """The folder that bots lie in: one folder a bot, unguessable names, readable by their user, writable by no bot."""

    def put(self, files: Mapping[str, bytes]) -> Path:
        """Write a bot's files (`/` between the parts of a name; checked by the caller) and return its folder."""
        ...

    def remove(self, bot_dir: Path) -> None:
        """Delete one bot's folder."""
        ...


class Sandbox(Protocol):
    """One zygote of one tier, and the store of the bots that it may start."""

    @property
    def tier(self) -> str:
        """`namespaces`, `landlock` or `unsafe`."""
        ...

    @property
    def policy(self) -> str:
        """Hash of everything that the tier enforces: 16 hexadecimal digits."""
        ...

    @property
    def kernel(self) -> str:
        """Release of the running kernel."""
        ...

    @property
    def python(self) -> str:
        """Version of the interpreter that bots run on."""
        ...

    @property
    def store(self) -> BotStore:
        """Where bots must lie to be started."""
        ...

    def spawn(
        self, bot_dir: Path, *, limits: Limits, seed: int, entry: str = "bot.py", purpose: Purpose = "play"
    ) -> BotProcess:
        """Start one confined process of the bot in `bot_dir` (from `store.put`), `random` seeded with `seed`.

        `purpose="inspect"` runs none of its code: the process answers one question `{"n":1}` with
        `{"n":1,"forms":[...],"problems":[{"file","line","message"}...]}`, found by parsing.
        Raises `SandboxBroken` when the zygote is gone; the next call starts a new one.
        """
        ...

    def close(self) -> None:
        """End the zygote, every bot with it, and delete what the sandbox made on disk. May be called twice."""
        ...


class SandboxError(Exception):
    """Base of what the sandbox raises; `code` is stable."""

    code = "sandbox.error"


class SandboxUnavailable(SandboxError):
    """No tier that was asked for holds on this machine; the text is one line that names each and why."""

    code = "sandbox.unavailable"


class SandboxBroken(SandboxError):
    """The zygote or a pipe failed: an infrastructure fault of whatever was being played."""

    code = "sandbox.broken"
