"""One process of the pool: its core, its sandbox, its connection, and the run that it plays."""

import logging
import mmap
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import redis

from bots.arena import Bench, Halt, names
from bots.arena.cache import BotCache
from bots.arena.calibration import speed
from bots.sandbox import Sandbox, TierName, start_sandbox
from config.arena.lease import LOOK_S, Lease
from config.env import ConfigurationError, flag, optional, required

log = logging.getLogger("celery.arena")

#: One byte that the pool's parent shares with its children: not zero once the worker shuts down.
shutting_down = mmap.mmap(-1, 1)


class Child:
    """What one process of the pool has: a core, a sandbox, a connection, and the lease of what it plays."""

    def __init__(self, worker: str) -> None:
        self.worker = worker
        self.lease: Lease | None = None
        self.is_drained = False
        self.speed = speed()
        self._parent = os.getppid()
        self.valkey = redis.Redis.from_url(required("ARENA_VALKEY_URL"), socket_timeout=5, socket_connect_timeout=5)
        self._sandbox: Sandbox | None = None
        self._cache: BotCache | None = None
        threading.Thread(target=self._keep, name="lease", daemon=True).start()

    def open(self) -> None:
        """Start the sandbox, unless it runs. Raises SandboxUnavailable."""
        if self._sandbox is None:
            self._sandbox = sandbox()
            self._cache = BotCache(self._sandbox.store, self._fetch)

    def bench(self, lease: Lease, until: float | None) -> Bench:
        """Where to play; a block ends at `until` (monotonic). Raises SandboxUnavailable."""
        self.open()
        assert self._sandbox is not None
        assert self._cache is not None

        def halt() -> Halt | None:
            if lease.is_lost:
                return "lost"
            if lease.is_stopped:
                return "stop"
            if self.is_drained or shutting_down[0]:
                return "drain"
            return "time" if until is not None and time.monotonic() >= until else None

        return Bench(sandbox=self._sandbox, bot_dir=self._cache.folder, worker=self.worker, speed=self.speed, halt=halt)

    @contextmanager
    def holding(self, lease: Lease) -> Iterator[bool]:
        """Whether the run is ours for the length of the block."""
        if not lease.take():
            log.info("run %s is or was played by another delivery", lease.run_id)
            yield False
            return
        self.lease = lease
        try:
            yield True
        finally:
            self.lease = None
            lease.finish()

    def close(self) -> None:
        """End the sandbox and every bot in it."""
        if self._sandbox is not None:
            self._sandbox.close()
            self._sandbox = self._cache = None

    @contextmanager
    def working(self) -> Iterator[None]:
        """A task for the length of the block.

        TERM, also sent by the kernel when the parent dies, then means: finish this deal and give the rest back.
        (Between two tasks it ends the child; billiard sees to that.) An orphan ends after its task.
        """
        self.is_drained = False
        before = signal.signal(signal.SIGTERM, self._drain)
        if os.getppid() != self._parent:
            self.is_drained = True
        try:
            yield
        finally:
            signal.signal(signal.SIGTERM, before)
            if os.getppid() != self._parent:
                self.close()
                os._exit(0)

    def _drain(self, *_: object) -> None:
        self.is_drained = True

    def _fetch(self, sha256: str) -> bytes | None:
        try:
            return cast("bytes | None", self.valkey.get(names.bot_key(sha256)))
        except redis.exceptions.ResponseError as error:
            if not str(error).startswith("WRONGTYPE"):
                raise
            log.error("bot %s: what lies there is no file", sha256)
            return None

    def _keep(self) -> None:
        """Renew the lease of the moment, also while a bot thinks."""
        while True:
            lease = self.lease
            if lease is not None and lease.is_due:
                lease.renew()
            time.sleep(LOOK_S)


def sandbox() -> Sandbox:
    """The sandbox that the environment asks for. Raises SandboxUnavailable, ConfigurationError."""
    tier = optional("BOTS_SANDBOX", "auto")
    if tier not in {"auto", "namespaces", "landlock", "unsafe"}:
        raise ConfigurationError(f"BOTS_SANDBOX must be auto, namespaces or landlock, not {tier!r}")
    if tier == "unsafe" and not flag("DEBUG"):
        raise ConfigurationError("BOTS_SANDBOX=unsafe isolates nothing: it needs DEBUG=1 beside it")
    base = optional("ARENA_CACHE")
    return start_sandbox(cast("TierName", tier), base=Path(base) if base else None, log=log.info)
