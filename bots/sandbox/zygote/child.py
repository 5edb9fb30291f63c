"""From a fresh fork to a confined bot. The order is the contract: files, limits, privileges, calls, its first byte."""

import os
import random
import select
import signal
import sys
import traceback
from dataclasses import dataclass
from types import ModuleType
from typing import NamedTuple, NoReturn

from bots.sandbox.zygote import harness, inspector, libc
from bots.sandbox.zygote.layers import (
    CAPABILITIES,
    LANDLOCK,
    NAMESPACES,
    RLIMITS,
    SECCOMP,
    capabilities,
    landlock,
    namespaces,
    rlimits,
    seccomp,
)

SETUP_FAILED = 78
"""Exit code of a step that failed before the bot's file was loaded. After `confined` was written it means nothing."""

_CONFINED = 3
_HIGHEST_DESCRIPTOR = 1 << 20


@dataclass(frozen=True, slots=True)
class Settings:
    """What the zygote was started with: the same for all of its bots."""

    store: str
    """Folder of the bots, as the zygote was given it."""
    root: str
    """Empty folder for the root of the namespaces."""
    engine: str
    """Folder of the engine's package, which bots may read."""
    layers: tuple[str, ...]
    parent: int
    """Process that the zygote must not outlive; 0: the control socket alone tells."""


class Life(NamedTuple):
    """A pipe whose writing end only the zygote holds: its hang-up is the zygote's death."""

    watched: int
    held: int


@dataclass(frozen=True, slots=True)
class Ready:
    """What the zygote makes once for all of its bots."""

    readable: list[str]
    """Paths that every bot may read below."""
    filter: seccomp.Template
    life: Life
    ours: tuple[tuple[str, ModuleType], ...]
    """Modules that a bot must not find imported. Held here: to free them in each child would touch all their pages."""


@dataclass(frozen=True, slots=True)
class Order:
    """One bot to start."""

    bot: str
    entry: str
    seed: int
    memory_bytes: int
    cpu_s: int
    purpose: str


def become_bot(order: Order, settings: Settings, ready: Ready, descriptors: list[int]) -> NoReturn:
    """In the child: never returns. `descriptors` are stdin, stdout, stderr and the `confined` pipe."""
    try:
        _share_the_life(ready.life)
        _take_descriptors(descriptors)
        home = confine(order, settings, ready)
        random.seed(order.seed)
        _forget_the_zygote(home, ready)
        serve = harness.prepare(home, order.entry) if order.purpose == "play" else inspector.prepare(home, order.entry)
        os.write(_CONFINED, b"c")
        os.close(_CONFINED)
    except BaseException:  # noqa: BLE001 - whatever it is, no bot may run
        os.write(2, traceback.format_exc()[-4000:].encode("utf-8", "backslashreplace"))
        os._exit(SETUP_FAILED)
    try:
        serve()
    except BaseException:  # noqa: BLE001 - nothing of the zygote's own code may run on here
        os._exit(1)
    os._exit(0)


def confine(order: Order, settings: Settings, ready: Ready) -> str:
    """Apply the layers in their order and return the folder where the bot finds itself."""
    layers = settings.layers
    home = namespaces.attach(order.bot) if NAMESPACES in layers else os.path.join(settings.store, order.bot)
    os.chdir(home)
    if layers:
        libc.checked(libc.prctl(libc.PR_SET_NO_NEW_PRIVS, 1), "no_new_privs")
    if LANDLOCK in layers:
        landlock.restrict([*ready.readable, "/dev/urandom", home], writable_devices=["/dev/null"])
    if RLIMITS in layers:
        rlimits.apply(order.memory_bytes, order.cpu_s)
    if CAPABILITIES in layers:
        capabilities.drop()
    die_with_parent()  # a change of credentials cleared it
    if SECCOMP in layers:
        seccomp.apply(ready.filter.for_pid(os.getpid()))
    return home


def die_with_parent() -> None:
    """SIGKILL when the parent's thread ends."""
    libc.checked(libc.prctl(libc.PR_SET_PDEATHSIG, int(signal.SIGKILL)), "PR_SET_PDEATHSIG")


def _share_the_life(life: Life) -> None:
    """Die with the zygote, also when it has died since the fork (in a process namespace getppid() tells nothing)."""
    die_with_parent()
    os.close(life.held)
    poll = select.poll()
    poll.register(life.watched, 0)
    if poll.poll(0):
        os._exit(SETUP_FAILED)


def _take_descriptors(descriptors: list[int]) -> None:
    """The bot's four at 0-3 and nothing else; a session of its own."""
    high = [os.dup(descriptor) for descriptor in descriptors]
    for target, descriptor in enumerate(high):
        os.dup2(descriptor, target)
    os.closerange(len(high), _HIGHEST_DESCRIPTOR)
    os.setsid()


def _forget_the_zygote(home: str, ready: Ready) -> None:
    """Leave the bot an interpreter in which its own folder comes first and this package was never imported."""
    sys.path.insert(0, home)
    for name, _ in ready.ours:
        del sys.modules[name]
    sys.modules["__main__"] = ModuleType("__main__")
    sys.argv[:] = ["bot.py"]
