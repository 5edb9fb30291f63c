"""The C library by ctypes: calls that Python has no function for. Errors are `OSError` with the name of the step."""

import ctypes
import os
from typing import Any

# PyDLL keeps the interpreter's lock over the call, so that a raw clone() returns in the child with the lock held.
_libc = ctypes.PyDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47


def checked(result: int, step: str) -> int:
    """Return `result`, or raise the `OSError` of a negative one."""
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{step}: {os.strerror(code)}")
    return result


def syscall(number: int, *arguments: Any) -> int:
    """The raw system call; negative when refused. Integers are passed at full width."""
    wide = (ctypes.c_long(value) if isinstance(value, int) else value for value in arguments)
    return int(_libc.syscall(ctypes.c_long(number), *wide))


def prctl(option: int, *arguments: Any) -> int:
    """prctl(2), padded with zeros; negative when refused."""
    padded = [*arguments, 0, 0, 0, 0][:4]
    wide = (ctypes.c_ulong(value) if isinstance(value, int) else value for value in padded)
    return int(_libc.prctl(option, *wide))


def unshare(flags: int) -> None:
    """unshare(2)."""
    checked(_libc.unshare(flags), "unshare")


def sethostname(name: bytes) -> None:
    """sethostname(2)."""
    checked(_libc.sethostname(name, ctypes.c_size_t(len(name))), "sethostname")


def mount(source: str | None, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    """mount(2)."""
    result = _libc.mount(
        None if source is None else os.fsencode(source),
        os.fsencode(target),
        None if kind is None else kind.encode(),
        ctypes.c_ulong(flags),
        None if data is None else data.encode(),
    )
    checked(result, f"mount {source or kind or 'flags'} on {target}")


def umount(target: str, flags: int) -> None:
    """umount2(2)."""
    checked(_libc.umount2(os.fsencode(target), flags), f"umount {target}")


def capset(header: bytes, data: bytes) -> None:
    """capset(2)."""
    checked(_libc.capset(header, data), "capset")
