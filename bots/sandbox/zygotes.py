"""The trusted side of a zygote: start one, let it fork bots, reap them, end it."""

import contextlib
import json
import os
import socket
import subprocess
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bots.sandbox import folders
from bots.sandbox.interpreter import user_arguments
from bots.sandbox.launcher import Limits, Purpose, SandboxBroken
from bots.sandbox.process import Started

_START_S = 20
_ANSWER_S = 10
_MAX_MESSAGE = 65_536
_MIB = 1 << 20
INTERPRETER_MIB = 64
"""Address space of the interpreter itself, on top of what bots are told."""


class ZygoteError(Exception):
    """It could not settle: the reason in a few words."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How to start a zygote, and to start it again."""

    python: str
    folder: Path
    layers: tuple[str, ...]
    uid: int | None


class Zygote:
    """One running zygote and the control socket to it."""

    def __init__(self, plan: Plan) -> None:
        """Start it and wait until it has confined itself. Raises `ZygoteError`."""
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.settimeout(_START_S)
        settings = {
            "store": str(plan.folder / folders.BOTS),
            "root": str(plan.folder / folders.ROOT),
            "engine": str(plan.folder / folders.CODE / "games"),
            "layers": plan.layers,
            # the death signal comes when the *thread* ends, so only the main thread may be the one to die with
            "parent": os.getpid() if threading.current_thread() is threading.main_thread() else 0,
        }
        entry = plan.folder / folders.CODE / "bots" / "sandbox" / "zygote"
        try:
            self._process = subprocess.Popen(
                [plan.python, "-P", "-s", "-S", "-B", str(entry), str(theirs.fileno()), json.dumps(settings)],
                pass_fds=[theirs.fileno()],
                env={"PYTHONHASHSEED": "0"},
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,
                **user_arguments(plan.uid),
            )  # type: ignore[call-overload]
        except OSError as error:
            self._socket.close()
            raise ZygoteError(f"{plan.python}: {error.strerror}") from None
        finally:
            theirs.close()
        about = self._first_word()
        self.python: str = about["python"]
        self.policy: dict[str, Any] = about["policy"]
        self._socket.settimeout(_ANSWER_S)

    def spawn(self, bot: str, *, entry: str, limits: Limits, seed: int, purpose: Purpose) -> Started:
        """Fork one bot of the store. Raises `SandboxBroken`."""
        in_read, in_write, out_read, out_write, err_read, err_write, confined_read, confined_write = _pipes(4)
        order = {
            "bot": bot,
            "entry": entry,
            "seed": seed,
            "memory_bytes": (limits.memory_mb + INTERPRETER_MIB) * _MIB,
            "cpu_s": limits.process_cpu_s,
            "purpose": purpose,
        }
        try:
            answer, descriptors = self._request({"spawn": order}, [in_read, out_write, err_write, confined_write])
        except SandboxBroken:
            _close((in_write, out_read, err_read, confined_read))
            raise
        finally:
            _close((in_read, out_write, err_write, confined_write))
        pid = int(answer["pid"])
        return Started(pid, descriptors[0], in_write, out_read, err_read, confined_read, lambda: self._reap(pid))

    def close(self) -> None:
        """End it, and every bot with it. May be called twice."""
        self._socket.close()
        try:
            self._process.wait(_ANSWER_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stderr is not None:
            self._process.stderr.close()

    def _first_word(self) -> dict[str, Any]:
        with contextlib.suppress(OSError, ValueError):
            about: dict[str, Any] = json.loads(self._socket.recv(_MAX_MESSAGE))
            if "error" not in about:
                return about
            self.close()
            raise ZygoteError(about["error"])
        self._process.kill()
        said = self._process.stderr.read().decode("utf-8", "replace") if self._process.stderr is not None else ""
        self.close()
        raise ZygoteError((said.strip().splitlines() or ["it did not start"])[-1])

    def _reap(self, pid: int) -> int:
        answer, _ = self._request({"reap": pid})
        return int(answer["status"])

    def _request(self, message: dict[str, Any], descriptors: Sequence[int] = ()) -> tuple[dict[str, Any], list[int]]:
        try:
            socket.send_fds(self._socket, [json.dumps(message).encode()], list(descriptors))
            data, received, _, _ = socket.recv_fds(self._socket, _MAX_MESSAGE, 1)
        except OSError as error:
            raise SandboxBroken(f"the zygote does not answer: {error}") from None
        if not data:
            raise SandboxBroken("the zygote has ended")
        answer: dict[str, Any] = json.loads(data)
        if "error" in answer:
            raise SandboxBroken(f"the zygote: {answer['error']}")
        return answer, list(received)


def _pipes(count: int) -> list[int]:
    """Reading and writing ends in turn. Raises `SandboxBroken`, and then leaves none open."""
    ends: list[int] = []
    try:
        for _ in range(count):
            ends += os.pipe2(os.O_CLOEXEC)
    except OSError as error:
        _close(ends)
        raise SandboxBroken(f"no pipe: {error.strerror}") from None
    return ends


def _close(descriptors: Iterable[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)
