"""Layer namespaces: the zygote gets its own users, mounts, network, IPC, names; a read-only root with Python alone.

The zygote enters once. Each child gets a mount and a process namespace of its own, binds its bot's folder and lets go
of the store.
"""

import os
import struct
from collections.abc import Sequence

from bots.sandbox.zygote import libc
from bots.sandbox.zygote.syscalls import number

_NEWNS, _NEWCGROUP, _NEWUTS, _NEWIPC = 0x20000, 0x2000000, 0x4000000, 0x8000000
_NEWUSER, _NEWPID, _NEWNET = 0x10000000, 0x20000000, 0x40000000
CHILD_FLAGS = _NEWPID | _NEWNS
"""What clone() adds for a child of a zygote that has entered."""

_NOSUID, _NODEV, _BIND, _REC, _PRIVATE, _DETACH = 2, 4, 4096, 16384, 1 << 18, 2
_ATTR_RDONLY, _ATTR_NOSUID, _ATTR_NODEV, _AT_RECURSIVE, _AT_FDCWD = 1, 2, 4, 0x8000, -100
_NOBODY = 65534

BOT, STORE = "/bot", "/store"
"""Where a bot finds itself, and where the zygote finds the bots."""


def enter(root: str, store: str, readable: Sequence[str]) -> None:
    """Move the calling process into namespaces whose root is a small file system at `root` (an empty folder).

    It holds `readable` (at their own paths), /dev/null, /dev/urandom and the store, all read-only. Raises `OSError`.
    """
    uid, gid = os.getuid(), os.getgid()
    libc.unshare(_NEWUSER | _NEWNS | _NEWNET | _NEWIPC | _NEWUTS | _NEWCGROUP)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{_NOBODY} {uid} 1"), ("gid_map", f"{_NOBODY} {gid} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)
    libc.sethostname(b"bot")
    libc.mount(None, "/", None, _REC | _PRIVATE)
    libc.mount("tmpfs", root, "tmpfs", _NOSUID | _NODEV, "size=1m,mode=755")
    for path in readable:
        _bind(path, root + path)
    _bind(store, root + STORE)
    for device in ("/dev/null", "/dev/urandom"):
        _bind(device, root + device, devices=True)
    for name in (BOT, "/old"):
        os.mkdir(root + name)
    os.chdir(root)
    libc.checked(libc.syscall(number("pivot_root"), b".", b"old"), "pivot_root")
    os.chdir("/")
    libc.umount("/old", _DETACH)
    os.rmdir("/old")
    _read_only("/", recursive=False)


def attach(bot: str) -> str:
    """In the child: bind the bot's folder (its name in the store) to its place, leave the store, return the place."""
    libc.mount(f"{STORE}/{bot}", BOT, None, _BIND | _REC)
    libc.umount(STORE, _DETACH)
    return BOT


def _bind(source: str, target: str, *, devices: bool = False) -> None:
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w"):
            pass
    libc.mount(source, target, None, _BIND | _REC)
    _read_only(target, recursive=True, devices=devices)


def _read_only(path: str, *, recursive: bool, devices: bool = False) -> None:
    """Only adds flags, so the locked ones of a mount that came from outside stay as they are."""
    flags = _ATTR_RDONLY | _ATTR_NOSUID | (0 if devices else _ATTR_NODEV)
    attributes = struct.pack("<QQQQ", flags, 0, 0, 0)
    result = libc.syscall(
        number("mount_setattr"), _AT_FDCWD, os.fsencode(path), _AT_RECURSIVE if recursive else 0, attributes, 32
    )
    libc.checked(result, f"read-only {path}")
