"""Where bots run here: the sandbox that was asked for, and the clocks of a slow machine."""

import sys
from dataclasses import fields, replace
from typing import Final

from bots.arena.conductor import Bench
from bots.arena.jobs import JobLimits
from bots.arena.runner.bots_here import LocalBot
from bots.arena.runner.errors import UsageError
from bots.sandbox import PlainSandbox, Sandbox, SandboxUnavailable, start_plain, start_sandbox

RUN: Final = "00000000-0000-0000-0000-000000000000"
NONCE: Final = "localrun"

_YELLOW, _PLAIN = "\033[33m", "\033[0m"
_NO_SANDBOX: Final = (
    "warning: --sandbox none: the bots are not confined and may do whatever you may do; only for code that you trust"
)


def open_sandbox(wanted: str) -> Sandbox:
    """The sandbox of `--sandbox`; `none` with a yellow line on stderr. Raises UsageError when it does not hold here."""
    if wanted == "none":
        warn(_NO_SANDBOX)
        return _plain()
    try:
        return start_sandbox(wanted, log=lambda _: None)  # type: ignore[arg-type]
    except SandboxUnavailable as error:
        raise UsageError(f"{error}. For code that you trust: --sandbox none") from None


def _plain() -> PlainSandbox:
    try:
        return start_plain()
    except SandboxUnavailable as error:
        raise UsageError(str(error)) from None


def warn(text: str) -> None:
    """One line on stderr, yellow on a terminal."""
    print(f"{_YELLOW}{text}{_PLAIN}" if sys.stderr.isatty() else text, file=sys.stderr, flush=True)


def bench_of(sandbox: Sandbox, bots: tuple[LocalBot, ...]) -> Bench:
    """A bench at which these bots can be seated, by the SHA-256 of their files."""
    archives = {bot.archive.sha256: bot.archive for bot in bots}
    folders = {sha256: sandbox.store.put(dict(archive.files)) for sha256, archive in archives.items()}
    return Bench(sandbox=sandbox, bot_dir=folders.__getitem__)


def tier_min(sandbox: Sandbox) -> str:
    """What a job asks of the sandbox: here, what there is."""
    return "unsafe" if sandbox.tier == "unsafe" else "landlock"


def limits_of(slow: float) -> JobLimits:
    """The limits of the site with all times multiplied by `slow`; memory stays."""
    limits = JobLimits()
    longest = {"start_cpu_ms": 60_000, "start_wall_ms": 60_000, "move_cpu_ms": 60_000, "move_wall_ms": 60_000}
    times = {item.name: getattr(limits, item.name) for item in fields(limits) if item.name.endswith("_ms")}
    return replace(
        limits, **{name: min(round(value * slow), longest.get(name, 600_000)) for name, value in times.items()}
    )
