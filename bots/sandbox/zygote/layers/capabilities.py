"""Layer capabilities: none left in any set, and the process closed to debuggers of its own user (dumpable 0)."""

import struct

from bots.sandbox.zygote import libc

_VERSION_3 = 0x20080522
_AMBIENT_CLEAR_ALL = 4
_HIGHEST = 63


def forbid() -> None:
    """Empty the bounding set, as far as this process may (else no_new_privs stands for it). Children inherit it."""
    for capability in range(_HIGHEST + 1):
        libc.prctl(libc.PR_CAPBSET_DROP, capability)


def drop() -> None:
    """Give up everything for good. Raises `OSError`."""
    libc.prctl(libc.PR_CAP_AMBIENT, _AMBIENT_CLEAR_ALL)
    libc.capset(struct.pack("<Ii", _VERSION_3, 0), bytes(24))
    libc.checked(libc.prctl(libc.PR_SET_DUMPABLE, 0), "PR_SET_DUMPABLE")
