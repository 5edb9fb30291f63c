"""The trusted side of the dialogue with one bot: ask for one line with a deadline, and name what went wrong.

No call blocks on the bot: all descriptors are non-blocking, the wait ends at the CPU allowance or at the wall guard,
a line is bounded, the log is drained while waiting, and a byte that was there before the question is a fault.
"""

import contextlib
import os
import select
import signal
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from bots.sandbox.launcher import MAX_ANSWER, MAX_REQUEST, Fault, FaultKind, MoveClock, Reply, SandboxBroken
from bots.sandbox.log import BotLog
from bots.sandbox.stall import LATE_US, is_machines_fault, is_runnable, queued_us

MEMORY_EXIT = 77
_DYING_MS = 200
"""Time that a process which closed its answers has to end, so that its exit can be told."""
_SLOW_US = 100_000
"""A wait this long is worth a look at the run queue."""
_LOOK_US = 10_000
"""Time between two looks at a bot that seems to wait for a core."""
_READ = 65_536


@dataclass(frozen=True, slots=True)
class Started:
    """A fresh process and our ends of its pipes. `reap` waits for its end: the wait status, or `SandboxBroken`."""

    pid: int
    pidfd: int
    stdin: int
    stdout: int
    stderr: int
    confined: int
    reap: Callable[[], int]


class Process:
    """`launcher.BotProcess` over pipes, however the process was started."""

    def __init__(self, started: Started, *, cpu_s: int, others: Callable[[], Iterable["Process"]] = tuple) -> None:
        self.pid = started.pid
        self._started = started
        self._cpu_s = cpu_s
        self._others = others
        self._clock = (~started.pid << 3) | 2  # the CPU clock of another process, CPUCLOCK_SCHED
        self._marked_us = 0
        self._was_asked = False
        self._fault: Fault | None = None
        self._status: int | None = None
        self._closed = False
        self._confined = False
        for descriptor in (started.stdin, started.stdout, started.stderr, started.confined):
            os.set_blocking(descriptor, False)
        self._log = BotLog(started.stderr)
        self._poll = select.poll()
        self._poll.register(started.stdout, select.POLLIN)
        self._poll.register(started.stderr, select.POLLIN)

    def cpu_us(self) -> int:
        """CPU time of the process so far."""
        try:
            return time.clock_gettime_ns(self._clock) // 1000
        except OSError:
            return self._marked_us

    def pondered_us(self) -> int:
        """CPU time since its last answer."""
        return 0 if self._closed else self.cpu_us() - self._marked_us

    def ask(self, line: bytes, *, clock: MoveClock) -> Reply:
        """See `BotProcess.ask`."""
        if self._closed:
            return Reply(None, 0, 0, fault=self._fault)
        question = _Question(self, clock)
        try:
            answer: bytes | Fault = self._fault or self._send(line) or self._receive(question)
        except OSError as error:
            answer = Fault(FaultKind.INFRASTRUCTURE, f"pipe: {error.strerror}")
        cpu_us = self.cpu_us()
        used_us, wall_us = cpu_us - question.began_cpu_us, question.charged_wall_us()
        if isinstance(answer, bytes) and used_us > question.cpu_limit_us:
            answer = question.out_of_cpu()
        self._marked_us, self._was_asked = cpu_us, True
        if isinstance(answer, bytes):
            return Reply(answer, used_us, wall_us, question.pondered_us)
        if self._fault is None and answer.kind is FaultKind.TIMEOUT and not self._was_confined():
            answer = Fault(FaultKind.INFRASTRUCTURE, "was not confined in time")
        self._fault = answer
        self._kill()
        return Reply(None, used_us, wall_us, question.pondered_us, answer, question.got[:MAX_ANSWER])

    def notify(self, line: bytes) -> None:
        """See `BotProcess.notify`."""
        if self._fault is None:
            try:
                self._fault = self._send(line, awaited=False)
            except OSError as error:
                self._fault = Fault(FaultKind.INFRASTRUCTURE, f"pipe: {error.strerror}")

    def new_deal(self) -> None:
        """See `BotProcess.new_deal`."""
        self._log.new_deal()

    def take_log(self) -> bytes:
        """See `BotProcess.take_log`."""
        return self._log.take()

    def tail(self) -> bytes:
        """See `BotProcess.tail`."""
        if not self._closed:
            self._log.drain_all()
        return self._log.tail()

    def close(self, *, grace_ms: int = 0) -> None:
        """See `BotProcess.close`."""
        if self._closed:
            return
        os.close(self._started.stdin)
        if grace_ms and self._fault is None:
            self._has_ended(grace_ms)
        self._kill()
        with contextlib.suppress(SandboxBroken):
            self._reaped()
        self._log.drain_all()
        self._log.ended = True
        self._closed = True
        self._fault = self._fault or Fault(FaultKind.INFRASTRUCTURE, "asked after it was closed")
        for descriptor in (self._started.stdout, self._started.stderr, self._started.confined, self._started.pidfd):
            os.close(descriptor)

    def _send(self, line: bytes, *, awaited: bool = True) -> Fault | None:
        """Write one line; before a question also look for bytes that nobody asked for."""
        if len(line) > MAX_REQUEST:
            return Fault(FaultKind.INFRASTRUCTURE, f"a request of {len(line)} bytes")
        if awaited:
            try:
                early = os.read(self._started.stdout, 1)
            except BlockingIOError:
                pass
            else:
                return Fault(FaultKind.PROTOCOL, "wrote before it was asked") if early else self._ended()
        try:
            written = os.write(self._started.stdin, line)
        except BlockingIOError:
            written = 0
        except BrokenPipeError:
            return self._ended() if awaited else None
        return None if written == len(line) else Fault(FaultKind.PROTOCOL, "does not read its requests")

    def _receive(self, question: "_Question") -> bytes | Fault:
        """Wait for one line, or for the end of what the question may cost."""
        while True:
            left_us = question.left_us()
            if isinstance(left_us, Fault):
                return left_us
            asked_ns = time.monotonic_ns()
            events = self._poll.poll(left_us // 1000 + 1)
            question.late_us = (time.monotonic_ns() - asked_ns) // 1000 - left_us
            for descriptor, _ in events:
                if descriptor == self._started.stderr:
                    if not self._log.drain() and self._log.ended:
                        self._poll.unregister(descriptor)
                    if self._log.is_over_quota:
                        return Fault(FaultKind.OUTPUT, "more than 1 MiB of log in a deal")
                    continue
                chunk = os.read(descriptor, _READ)
                if not chunk:
                    return self._ended()
                question.got += chunk
            data = question.got
            end = data.find(b"\n")
            if end > MAX_ANSWER or (end < 0 and len(data) > MAX_ANSWER):
                return Fault(FaultKind.OUTPUT, f"a line longer than {MAX_ANSWER} bytes")
            if end >= 0:
                return data[:end] if len(data) == end + 1 else Fault(FaultKind.PROTOCOL, "more than one line")

    def _ended(self) -> Fault:
        """The bot closed its answers: why?"""
        if not self._has_ended(_DYING_MS):
            if self._was_confined():
                return Fault(FaultKind.CRASH, "closed its pipes")
            return Fault(FaultKind.INFRASTRUCTURE, "stopped before it was confined")
        try:
            status = self._reaped()
        except SandboxBroken as error:
            return Fault(FaultKind.INFRASTRUCTURE, str(error))
        self._log.drain_all()
        code = os.waitstatus_to_exitcode(status)
        ending = f"exit {code}" if code >= 0 else f"signal {-code} {signal.Signals(-code).name}"
        last_line = _last_line(self._log.tail())
        if not self._was_confined():
            return Fault(FaultKind.INFRASTRUCTURE, last_line or "ended before it was confined", ending)
        if code == MEMORY_EXIT:
            return Fault(FaultKind.MEMORY, "passed its memory limit", ending)
        if code in (-signal.SIGKILL, -signal.SIGXCPU) and self.cpu_us() >= self._cpu_s * 1_000_000:
            return Fault(FaultKind.TIMEOUT, "cpu", ending)
        return Fault(FaultKind.CRASH, last_line if code > 0 else "", ending)

    def _was_confined(self) -> bool:
        if not self._confined:
            with contextlib.suppress(BlockingIOError):
                self._confined = os.read(self._started.confined, 1) == b"c"
        return self._confined

    def _has_ended(self, within_ms: int) -> bool:
        poll = select.poll()
        poll.register(self._started.pidfd, select.POLLIN)
        return bool(poll.poll(within_ms))

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._started.pidfd, signal.SIGKILL)

    def _reaped(self) -> int:
        if self._status is None:
            self._marked_us = self.cpu_us()
            self._status = self._started.reap()
        return self._status


class _Question:
    """The clocks of one question while it waits."""

    def __init__(self, process: Process, clock: MoveClock) -> None:
        self._process = process
        self._clock = clock
        cpu_us = process.cpu_us()
        self.began_cpu_us = cpu_us if process._was_asked else 0  # the first question pays for loading
        self.got = b""
        self.late_us = 0
        self.pondered_us = cpu_us - process._marked_us if process._was_asked else 0
        self.cpu_limit_us = clock.cpu_us + clock.bank_cpu_us - self.pondered_us
        bank_us = clock.wall_us if clock.bank_wall_us is None else clock.free_wall_us + clock.bank_wall_us
        self._wall_limit_us = min(clock.wall_us, bank_us)
        self._slow_us = min(_SLOW_US, self._wall_limit_us // 10)
        self._queued_before_us: int | None = None
        self._excused_us = 0
        self._still_cpu_us, self._still_since_us = -1, 0
        self._began_ns = time.monotonic_ns()

    def charged_wall_us(self) -> int:
        """Time since the question, without what the bot waited for a core."""
        wall_us = self._wall_us()
        return wall_us if self._queued_before_us is None else max(0, wall_us - self._queued_us())

    def out_of_cpu(self) -> Fault:
        """It thought longer than it may: `bank` when a move found nothing in the bank, else `cpu`."""
        is_move = self._clock.bank_wall_us is not None
        return Fault(FaultKind.TIMEOUT, "bank" if is_move and self._clock.bank_cpu_us <= self.pondered_us else "cpu")

    def left_us(self) -> int | Fault:
        """How long it is safe to wait, or why no longer. CPU time never outruns the wall: a bot has one thread."""
        cpu_us = self._process.cpu_us() - self.began_cpu_us
        if cpu_us >= self.cpu_limit_us:
            return self.out_of_cpu()
        wall_us = self._wall_us()
        left_us = min(self.cpu_limit_us - cpu_us, self._wall_limit_us + self._excused_us - wall_us)
        if self._queued_before_us is None:
            if wall_us < self._slow_us:
                return min(left_us, self._slow_us - wall_us)
            self._queued_before_us = queued_us(self._process.pid)
        return left_us if left_us > 0 else self._out_of_wall(wall_us, cpu_us)

    def _out_of_wall(self, wall_us: int, cpu_us: int) -> int | Fault:
        """Past the guard: wait on for as long as there was no core, else say whose fault it is."""
        pid, limit_us = self._process.pid, self._wall_limit_us
        is_first_look, stands_still = self._still_cpu_us < 0, cpu_us == self._still_cpu_us
        if not stands_still:
            self._still_cpu_us, self._still_since_us = cpu_us, wall_us
        may_wait = is_runnable(pid) and (is_first_look or stands_still)
        queued = self._queued_us() + (wall_us - self._still_since_us if may_wait else 0)
        self._excused_us = min(queued, limit_us)
        if (left_us := limit_us + self._excused_us - wall_us) > 0:
            return left_us
        if may_wait and wall_us < 2 * limit_us:
            return _LOOK_US
        if self.late_us > LATE_US:
            return Fault(FaultKind.INFRASTRUCTURE, f"the machine stood still for {self.late_us // 1000} ms")
        burned = sum(other.pondered_us() for other in self._process._others() if other is not self._process)
        if is_machines_fault(wall_us=wall_us, queued_us=queued, burned_us=burned):
            return Fault(FaultKind.INFRASTRUCTURE, f"no core for {queued // 1000} of {wall_us // 1000} ms")
        return Fault(FaultKind.TIMEOUT, "wall" if limit_us == self._clock.wall_us else "bank")

    def _wall_us(self) -> int:
        return (time.monotonic_ns() - self._began_ns) // 1000

    def _queued_us(self) -> int:
        """Time that this bot wanted a core and had none, since the wait became long."""
        return queued_us(self._process.pid) - (self._queued_before_us or 0)


def _last_line(tail: bytes) -> str:
    """The last line of the log that says anything, printable and at most 200 characters."""
    lines = tail.decode("utf-8", "replace").splitlines()
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return "".join(c if c.isprintable() else "?" for c in last)[:200]
