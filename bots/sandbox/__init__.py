"""Isolation of uploaded bots: a zygote that forks confined processes, and the trusted side that asks them. Linux only.

    sandbox = start_sandbox("auto")
    folder = sandbox.store.put({"bot.py": source})
    bot = sandbox.spawn(folder, limits=Limits(), seed=1)
    reply = bot.ask(b'{"type":"start","n":1,...}\\n', clock=Limits().start_clock())

`start_sandbox` refuses with one clear line (`SandboxUnavailable`) where no tier holds; it never falls back silently.
"""

from bots.sandbox.launcher import (
    MAX_ANSWER,
    MAX_REQUEST,
    TIERS,
    Bank,
    BotProcess,
    BotStore,
    Fault,
    FaultKind,
    Limits,
    MoveClock,
    Purpose,
    Reply,
    Sandbox,
    SandboxBroken,
    SandboxError,
    SandboxUnavailable,
    TierName,
)
from bots.sandbox.plain_sandbox import PlainSandbox, start_plain
from bots.sandbox.zygote_sandbox import start_sandbox

__all__ = [
    "MAX_ANSWER",
    "MAX_REQUEST",
    "TIERS",
    "Bank",
    "BotProcess",
    "BotStore",
    "Fault",
    "FaultKind",
    "Limits",
    "MoveClock",
    "PlainSandbox",
    "Purpose",
    "Reply",
    "Sandbox",
    "SandboxBroken",
    "SandboxError",
    "SandboxUnavailable",
    "TierName",
    "start_plain",
    "start_sandbox",
]
