"""`--jsonl`: what goes over the pipes of the bots, one JSON object a line, in order, with times; as the site's log.

    {"at_us":812,"match":"local-1","seat":0,"name":"my_bot.py","to":"bot","message":{"type":"start",...}}
    {"at_us":3120,...,"from":"bot","message":{"n":1,"ready":true},"cpu_us":1900,"wall_us":2250}
    {"at_us":3125,...,"from":"bot","log":"text that the bot printed"}
    {"at_us":9000,...,"from":"bot","answer":"bytes, escaped","fault":"crash","detail":"...","exit":"exit 1",...}

`at_us` counts from the start of the run. An answer that is no JSON stands as `answer`, its bytes escaped.
"""

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from bots.sandbox import BotProcess, BotStore, Limits, MoveClock, Purpose, Reply, Sandbox


class PipeLog:
    """Writes the lines. `seats` names the bots of the running game."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self._began_ns = time.monotonic_ns()
        self.match = ""
        self.seats: Sequence[str] = ()

    def sent(self, seat: int, message: Any) -> None:
        """A line to the bot at `seat`."""
        self._write(seat, to="bot", message=message)

    def came(self, seat: int, **what: Any) -> None:
        """Something from the bot at `seat`."""
        self._write(seat, **{"from": "bot"}, **what)

    def _write(self, seat: int, **what: Any) -> None:
        at_us = (time.monotonic_ns() - self._began_ns) // 1000
        line = {"at_us": at_us, "match": self.match, "seat": seat, "name": self.seats[seat], **what}
        self._file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")


class LoggingSandbox:
    """A sandbox whose bots are listened to; else the one that it is made of. See `bots.sandbox.Sandbox`."""

    def __init__(self, sandbox: Sandbox, log: PipeLog) -> None:
        self._sandbox = sandbox
        self._log = log
        self.tier = sandbox.tier
        self.policy = sandbox.policy
        self.kernel = sandbox.kernel
        self.python = sandbox.python

    @property
    def store(self) -> BotStore:
        """See `Sandbox.store`."""
        return self._sandbox.store

    def spawn(
        self, bot_dir: Path, *, limits: Limits, seed: int, entry: str = "bot.py", purpose: Purpose = "play"
    ) -> BotProcess:
        """See `Sandbox.spawn`."""
        process = self._sandbox.spawn(bot_dir, limits=limits, seed=seed, entry=entry, purpose=purpose)
        return _LoggingProcess(process, self._log)

    def close(self) -> None:
        """See `Sandbox.close`."""
        self._sandbox.close()


class _LoggingProcess:
    """See `bots.sandbox.BotProcess`. Its first request, the start message, tells the seat."""

    def __init__(self, process: BotProcess, log: PipeLog) -> None:
        self._process = process
        self._log = log
        self._seat = 0

    @property
    def pid(self) -> int:
        """See `BotProcess.pid`."""
        return self._process.pid

    def ask(self, line: bytes, *, clock: MoveClock) -> Reply:
        """See `BotProcess.ask`."""
        message = json.loads(line)
        self._seat = message["seat"]
        self._log.sent(self._seat, message)
        reply = self._process.ask(line, clock=clock)
        times = {"cpu_us": reply.cpu_us, "wall_us": reply.wall_us}
        if reply.fault is None:
            self._log.came(self._seat, **readable(reply.line or b""), **times)
        else:
            fault = {"fault": str(reply.fault.kind), "detail": reply.fault.detail, "exit": reply.fault.exit}
            self._log.came(self._seat, answer=escaped(reply.got), **fault, **times)
        return reply

    def notify(self, line: bytes) -> None:
        """See `BotProcess.notify`."""
        self._log.sent(self._seat, json.loads(line))
        self._process.notify(line)

    def new_deal(self) -> None:
        """See `BotProcess.new_deal`."""
        self._process.new_deal()

    def take_log(self) -> bytes:
        """See `BotProcess.take_log`."""
        taken = self._process.take_log()
        if taken:
            self._log.came(self._seat, log=taken.decode("utf-8", "backslashreplace"))
        return taken

    def tail(self) -> bytes:
        """See `BotProcess.tail`."""
        return self._process.tail()

    def close(self, *, grace_ms: int = 0) -> None:
        """See `BotProcess.close`."""
        self._process.close(grace_ms=grace_ms)


def readable(line: bytes) -> dict[str, Any]:
    """An answer as JSON (`message`), or its bytes escaped when it is none (`answer`)."""
    try:
        value = json.loads(line.decode())
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return {"answer": escaped(line)}
    return {"message": value}


def escaped(data: bytes) -> str:
    """Bytes as printable ASCII."""
    return ascii(data)[2:-1]
