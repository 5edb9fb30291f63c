"""`launcher.Sandbox` that confines nothing: a plain process a bot, for the author's own code on the author's machine.

Clocks, faults and messages are those of the real one. Needs no Linux. The arena never uses it: its tier is `unsafe`.
"""

import contextlib
import json
import os
import platform
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Final, Self

from bots.sandbox import interpreter
from bots.sandbox.folders import CODE, RunFolder, Store
from bots.sandbox.launcher import Limits, MoveClock, Purpose, Reply, SandboxBroken, SandboxUnavailable
from bots.sandbox.process import Process, Started
from bots.sandbox.zygote_sandbox import BOTS_UID
from bots.sandbox.zygotes import INTERPRETER_MIB

_MIB: Final = 1 << 20
_ENDING_S: Final = 1


def start_plain(*, base: Path | None = None, has_cpu_clocks: bool | None = None) -> "PlainSandbox":
    """Start without any confinement; as root bots still run as the bots' user. `base` as for `start_sandbox`.

    Where the system tells no CPU time of other processes (`has_cpu_clocks`; default: Linux does), the time that a
    question takes on the wall counts as CPU time. Raises SandboxUnavailable without an interpreter for that user.
    """
    uid = BOTS_UID if os.geteuid() == 0 else None
    python = interpreter.find(uid)
    if python is None:
        raise SandboxUnavailable(f"user {uid} can run no python3 of 3.11 or later")
    clocks = sys.platform.startswith("linux") if has_cpu_clocks is None else has_cpu_clocks
    return PlainSandbox(RunFolder(base), python, uid, has_cpu_clocks=clocks)


class PlainSandbox:
    """See `launcher.Sandbox`."""

    tier: Final = "unsafe"
    policy: Final = "none"

    def __init__(self, folder: RunFolder, python: str, uid: int | None, *, has_cpu_clocks: bool) -> None:
        self.kernel = platform.release()
        self.python = platform.python_version()
        self._folder = folder
        self._interpreter = python
        self._uid = uid
        self._has_cpu_clocks = has_cpu_clocks
        self._living: weakref.WeakSet[Process] = weakref.WeakSet()

    @property
    def store(self) -> Store:
        """See `Sandbox.store`."""
        return self._folder.store

    def spawn(
        self, bot_dir: Path, *, limits: Limits, seed: int, entry: str = "bot.py", purpose: Purpose = "play"
    ) -> Process:
        """See `Sandbox.spawn`."""
        order = {
            "home": str(bot_dir),
            "entry": entry,
            "seed": seed,
            "purpose": purpose,
            "memory_bytes": (limits.memory_mb + INTERPRETER_MIB) * _MIB,
            "cpu_s": limits.process_cpu_s,
        }
        main = self._folder.path / CODE / "bots" / "sandbox" / "zygote" / "plain.py"
        command = [self._interpreter, "-P", "-s", "-S", "-B", str(main), json.dumps(order)]
        popen, started = _start(command, self._uid)
        process = _PlainProcess(
            popen, started, limits.process_cpu_s, lambda: tuple(self._living), has_cpu_clock=self._has_cpu_clocks
        )
        self._living.add(process)
        return process

    def close(self) -> None:
        """See `Sandbox.close`."""
        for process in tuple(self._living):
            process.close()
        self._folder.delete()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _PlainProcess(Process):
    """A bot with a process group of its own, which is killed as one."""

    def __init__(
        self,
        popen: "subprocess.Popen[bytes]",
        started: Started,
        cpu_s: int,
        others: Callable[[], tuple[Process, ...]],
        *,
        has_cpu_clock: bool,
    ) -> None:
        super().__init__(started, cpu_s=cpu_s, others=others)
        self._popen = popen
        self._has_cpu_clock = has_cpu_clock
        self._asked_us = 0
        self._asked_since_ns: int | None = None

    def cpu_us(self) -> int:
        """See `Process.cpu_us`; without a clock of the system the time of the questions so far."""
        if self._has_cpu_clock:
            return super().cpu_us()
        return self._asked_us + self._since_us()

    def ask(self, line: bytes, *, clock: MoveClock) -> Reply:
        """See `BotProcess.ask`."""
        self._asked_since_ns = time.monotonic_ns()
        try:
            return super().ask(line, clock=clock)
        finally:
            self._asked_us, self._asked_since_ns = self._asked_us + self._since_us(), None

    def _since_us(self) -> int:
        return 0 if self._asked_since_ns is None else (time.monotonic_ns() - self._asked_since_ns) // 1000

    def _kill(self) -> None:
        if self._popen.returncode is None:  # the number is not given to another before the process is waited for
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)


def _start(command: list[str], uid: int | None) -> tuple["subprocess.Popen[bytes]", Started]:
    """Start a bot. Its end is seen by the hang-up of a pipe that only it holds, as a pidfd would show it."""
    ends = [end for _ in range(5) for end in os.pipe()]
    in_read, in_write, out_read, out_write, err_read, err_write, life_read, life_write, confined_read, confined = ends
    theirs = (in_read, out_write, err_write, life_write, confined)
    try:
        popen = subprocess.Popen(
            command,
            stdin=in_read,
            stdout=out_write,
            stderr=err_write,
            pass_fds=[life_write],
            env={"PYTHONHASHSEED": "0"},
            cwd="/",
            start_new_session=True,
            **interpreter.user_arguments(uid),
        )  # type: ignore[call-overload]
        os.write(confined, b"c")  # there is nothing to wait for
    except OSError as error:
        for end in set(ends) - set(theirs):
            os.close(end)
        raise SandboxBroken(f"{command[0]}: {error.strerror}") from None
    finally:
        for end in theirs:
            os.close(end)

    def reap() -> int:
        try:
            code: int = popen.wait(_ENDING_S)
        except subprocess.TimeoutExpired:  # it closed the pipe of its life and lives on
            os.killpg(popen.pid, signal.SIGKILL)
            code = popen.wait()
        return -code if code < 0 else code << 8  # a wait status, as the zygote gives it

    return popen, Started(popen.pid, life_read, in_write, out_read, err_read, confined_read, reap)
