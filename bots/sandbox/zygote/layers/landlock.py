"""Layer Landlock: files may be read below the named paths and nothing else may be done to any file.

With ABI 4 no TCP, with ABI 6 no abstract UNIX socket and no signal to a process outside (kernel documentation,
userspace-api/landlock).
"""

import os
import struct
from collections.abc import Sequence

from bots.sandbox.zygote import libc
from bots.sandbox.zygote.syscalls import number

_VERSION_FLAG, _PATH_BENEATH = 1, 1
_WRITE_FILE, _READ_FILE, _READ_DIR = 2, 4, 8
_NET_BIND_AND_CONNECT, _SCOPE_SOCKETS_AND_SIGNALS = 3, 3


def abi() -> int:
    """Version of Landlock in the running kernel. Raises `OSError` where there is none."""
    return libc.checked(libc.syscall(number("landlock_create_ruleset"), None, 0, _VERSION_FLAG), "Landlock")


def handled(abi: int) -> tuple[int, int, int]:
    """The rights (files, network, scope) that this ABI can take away: all of them."""
    file_rights = 13 if abi == 1 else 14 if abi == 2 else 15 if abi < 5 else 16
    return (
        (1 << file_rights) - 1,
        _NET_BIND_AND_CONNECT if abi >= 4 else 0,
        _SCOPE_SOCKETS_AND_SIGNALS if abi >= 6 else 0,
    )


def restrict(readable: Sequence[str], writable_devices: Sequence[str] = ()) -> None:
    """Confine the calling process. Needs no_new_privs. Raises `OSError`."""
    version = abi()
    size = 8 if version < 4 else 16 if version < 6 else 24
    attributes = struct.pack("<QQQ", *handled(version))[:size]
    ruleset = libc.checked(
        libc.syscall(number("landlock_create_ruleset"), attributes, size, 0), "landlock_create_ruleset"
    )
    try:
        for path in readable:
            _allow(ruleset, path, _READ_FILE | _READ_DIR if os.path.isdir(path) else _READ_FILE)
        for path in writable_devices:
            _allow(ruleset, path, _READ_FILE | _WRITE_FILE)
        libc.checked(libc.syscall(number("landlock_restrict_self"), ruleset, 0), "landlock_restrict_self")
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = struct.pack("<Qi", rights, descriptor)
        libc.checked(
            libc.syscall(number("landlock_add_rule"), ruleset, _PATH_BENEATH, rule, 0), f"landlock_add_rule {path}"
        )
    finally:
        os.close(descriptor)
