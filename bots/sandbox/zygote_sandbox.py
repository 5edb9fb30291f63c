"""`launcher.Sandbox` made of a zygote: find the tier that holds, spawn, start the zygote again when it died."""

import hashlib
import json
import logging
import os
import platform
import sys
import weakref
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Self

from bots.sandbox import interpreter, probe
from bots.sandbox.folders import RunFolder, Store
from bots.sandbox.launcher import Limits, Purpose, SandboxBroken, SandboxUnavailable, TierName
from bots.sandbox.process import Process
from bots.sandbox.zygote.layers import ORDER, TIERS
from bots.sandbox.zygotes import Plan, Zygote, ZygoteError

BOTS_UID = 64_101
"""Root runs bots as this user, which needs no passwd row; the arena's own is 64100."""

_log = logging.getLogger(__name__)


def start_sandbox(
    tier: TierName = "auto",
    *,
    source: Path | None = None,
    base: Path | None = None,
    uid: int | None = None,
    python: str | None = None,
    layers: Collection[str] = (),
    log: Callable[[str], None] = _log.info,
) -> "ZygoteSandbox":
    """Start the best tier that holds here (`auto`), or the one that is named. Linux only.

    `source` is the folder with `bots` and `games` to copy the confined code from (default: where this package lies),
    `base` the folder for what the sandbox writes (default: the system's temporary folder; the bots' user must be able
    to enter it). As root bots run as `uid` (default `BOTS_UID`); as anyone else as that user. `python` is tried
    before the other interpreters. `unsafe` is no isolation, for the caller's own code: its `layers` may be named for
    tests, and nothing is promised.

    Raises `SandboxUnavailable`, whose one line says of each tier why it does not hold.
    """
    if not sys.platform.startswith("linux"):
        raise SandboxUnavailable(
            f"bots run in a sandbox on Linux only, not on {sys.platform}: run the arena in a container"
        )
    if tier not in ("auto", *TIERS):
        raise SandboxUnavailable(f"there is no sandbox tier {tier!r}")
    if os.geteuid() == 0:
        uid = BOTS_UID if uid is None else uid
    if uid == 0:
        raise SandboxUnavailable("bots never run as root")
    found = interpreter.find(uid, [python] if python else [])
    if found is None:
        who = "this user" if uid is None else f"user {uid}"
        raise SandboxUnavailable(f"{who} can run no python3 of {'.'.join(map(str, interpreter.OLDEST))} or later")
    folder = RunFolder(base, source)
    reasons = []
    for name in ("namespaces", "landlock") if tier == "auto" else (tier,):
        chosen = tuple(layer for layer in ORDER if layer in layers) if name == "unsafe" else TIERS[name]
        try:
            sandbox = ZygoteSandbox(name, folder, Plan(found, folder.path, chosen, uid))
        except ZygoteError as error:
            reasons.append(f"{name}: {error}")
            continue
        if (reason := None if name == "unsafe" else sandbox.failure()) is None:
            log(f"sandbox tier {name}, policy {sandbox.policy}, python {sandbox.python}")
            return sandbox
        reasons.append(f"{name}: {reason}")
        sandbox.stop()
    folder.delete()
    raise SandboxUnavailable("no sandbox tier holds here: " + "; ".join(reasons))


class ZygoteSandbox:
    """See `launcher.Sandbox`."""

    def __init__(self, tier: str, folder: RunFolder, plan: Plan) -> None:
        """Start the zygote of `plan`. Raises `ZygoteError`."""
        self.tier = tier
        self.kernel = platform.release()
        self._folder = folder
        self._plan = plan
        self._zygote: Zygote | None = Zygote(plan)
        self.python = self._zygote.python
        self.policy = hashlib.sha256(json.dumps(self._zygote.policy, sort_keys=True).encode()).hexdigest()[:16]
        self._living: weakref.WeakSet[Process] = weakref.WeakSet()

    @property
    def store(self) -> Store:
        """See `Sandbox.store`."""
        return self._folder.store

    def spawn(
        self, bot_dir: Path, *, limits: Limits, seed: int, entry: str = "bot.py", purpose: Purpose = "play"
    ) -> Process:
        """See `Sandbox.spawn`."""
        if bot_dir.parent != self.store.folder:
            raise ValueError(f"{bot_dir} is not in the sandbox's store")
        if self._zygote is None:
            try:
                self._zygote = Zygote(self._plan)
            except ZygoteError as error:
                raise SandboxBroken(f"the zygote cannot be started again: {error}") from None
        try:
            started = self._zygote.spawn(bot_dir.name, entry=entry, limits=limits, seed=seed, purpose=purpose)
        except SandboxBroken:
            self.stop()
            raise
        process = Process(started, cpu_s=limits.process_cpu_s, others=lambda: tuple(self._living))
        self._living.add(process)
        return process

    def failure(self) -> str | None:
        """Run the probe: why this tier does not hold, or None."""
        limits = Limits()
        folder = self.store.put({"bot.py": probe.SOURCE})
        try:
            bot = self.spawn(folder, limits=limits, seed=0)
            try:
                return probe.failure(bot, limits)
            finally:
                bot.close()
        except SandboxBroken as error:
            return str(error)
        finally:
            self.store.remove(folder)

    def stop(self) -> None:
        """End the zygote and its bots; the next `spawn` starts another."""
        zygote, self._zygote = self._zygote, None
        if zygote is not None:
            zygote.close()

    def close(self) -> None:
        """See `Sandbox.close`."""
        self.stop()
        for process in tuple(self._living):
            process.close()
        self._folder.delete()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
