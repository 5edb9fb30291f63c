"""The zygote: exec'ed once a sandbox, confines itself as its layers say, then forks one child a bot; runs none itself.

Control socket (SEQPACKET), one answer a request:
    {"spawn": {...Order}} with 4 descriptors -> {"pid": n} with one pidfd, or {"error": text}
    {"reap": pid}                            -> {"status": wait status}, or {"error": text}
Children are reaped only when asked, so that a pid (and the CPU clock made of it) is the bot's own until its supervisor
lets go.
End of file on the socket ends the zygote and, by the parent-death signal, every bot.
"""

# What bots usually import, so that they find it in memory.
import bisect  # noqa: F401
import collections  # noqa: F401
import copy  # noqa: F401
import ctypes
import encodings.ascii
import encodings.latin_1
import encodings.utf_8  # noqa: F401
import enum  # noqa: F401
import functools  # noqa: F401
import gc
import heapq  # noqa: F401
import io  # noqa: F401
import itertools  # noqa: F401
import json
import linecache  # noqa: F401
import math  # noqa: F401
import operator  # noqa: F401
import os
import platform
import random  # noqa: F401
import re  # noqa: F401
import socket
import statistics  # noqa: F401
import string  # noqa: F401
import sys
import time  # noqa: F401
import typing  # noqa: F401
from dataclasses import asdict  # noqa: F401
from typing import Any, NoReturn

import games.engine
from bots.sandbox.zygote import libc, syscalls
from bots.sandbox.zygote.child import Life, Order, Ready, Settings, become_bot, die_with_parent
from bots.sandbox.zygote.interpreter import readable_paths
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

_CLONE_PIDFD, _SIGCHLD = 0x1000, 17
_MAX_MESSAGE = 65_536


def main(code: str, arguments: list[str]) -> NoReturn:
    """Serve until the control socket ends. `code` is the folder that this package was found in."""
    control = socket.socket(fileno=int(arguments[0]))
    given = json.loads(arguments[1])
    settings = Settings(**{**given, "layers": tuple(given["layers"])})
    try:
        ready = _settle(settings)
    except OSError as error:
        control.send(json.dumps({"error": error.strerror or str(error)}).encode())
        sys.exit(1)
    sys.path[:] = [path for path in sys.path if path != code]
    os.environ.clear()
    gc.collect()
    gc.freeze()  # pages of the zygote stay shared with its children
    control.send(json.dumps({"python": platform.python_version(), "policy": describe(settings)}).encode())
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, _MAX_MESSAGE, 4)
        if not message:
            os._exit(0)
        _answer(control, json.loads(message), descriptors, settings, ready)


def describe(settings: Settings) -> dict[str, Any]:
    """What these layers enforce, for the hash of the policy: equal on every machine that confines equally."""
    layers = settings.layers
    machine = syscalls.machine()
    return {
        "layers": list(layers),
        "machine": machine.name,
        "landlock": landlock.handled(landlock.abi()) if LANDLOCK in layers else None,
        "rlimits": rlimits.limits(0, 0) if RLIMITS in layers else None,
        "seccomp": seccomp.assembled(seccomp.build(1, machine)).hex() if SECCOMP in layers else None,
    }


def _settle(settings: Settings) -> Ready:
    """Enter the namespaces if they are asked for, bind the own life to the parent's, make ready what all bots need."""
    readable = [*readable_paths(), settings.engine]
    filter_ = seccomp.Template()
    if LANDLOCK in settings.layers:
        landlock.abi()
    if NAMESPACES in settings.layers:
        namespaces.enter(settings.root, settings.store, readable)
    if CAPABILITIES in settings.layers:
        capabilities.forbid()
    if settings.parent:
        die_with_parent()
        if os.getppid() != settings.parent:
            sys.exit(1)
    null = os.open("/dev/null", os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.close(null)
    is_ours = ("__main__", "bots").__contains__
    ours = tuple((name, module) for name, module in sys.modules.items() if is_ours(name.partition(".")[0]))
    return Ready(readable, filter_, Life(*os.pipe()), ours)


def _answer(
    control: socket.socket,
    request: dict[str, Any],
    descriptors: list[int],
    settings: Settings,
    ready: Ready,
) -> None:
    if "reap" in request:
        try:
            _, status = os.waitpid(request["reap"], 0)
        except ChildProcessError as error:
            control.send(json.dumps({"error": str(error)}).encode())
        else:
            control.send(json.dumps({"status": status}).encode())
        return
    order = Order(**request["spawn"])
    pid, pidfd = _fork(namespaces.CHILD_FLAGS if NAMESPACES in settings.layers else 0)
    if pid == 0:
        become_bot(order, settings, ready, descriptors)
    for descriptor in descriptors:
        os.close(descriptor)
    if pid < 0:
        control.send(json.dumps({"error": f"clone: {os.strerror(ctypes.get_errno())}"}).encode())
        return
    socket.send_fds(control, [json.dumps({"pid": pid}).encode()], [pidfd])
    os.close(pidfd)


def _fork(flags: int) -> tuple[int, int]:
    """clone(2): (pid, or 0 in the child, or negative; pidfd). Arguments four and five differ by machine: null."""
    pidfd = ctypes.c_int(-1)
    pid = libc.syscall(syscalls.number("clone"), flags | _CLONE_PIDFD | _SIGCHLD, None, ctypes.byref(pidfd), None, None)
    return pid, pidfd.value


assert games.engine  # imported for the bots
