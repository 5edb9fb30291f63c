"""The machine: interpreter, sandbox, users, folders, disk."""

import contextlib
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from django.conf import settings

from bots.doctor.finding import Finding, fail, first_line, ok, warn
from bots.sandbox import SandboxUnavailable, start_sandbox

OLDEST: Final = (3, 11)
TIERS: Final = ("namespaces", "landlock")
LOW, TOO_LOW = 2 << 30, 256 << 20
_MIB = 1 << 20


def look() -> Iterator[Finding]:
    """Everything that needs neither database nor broker."""
    yield python()
    yield from sandbox()
    yield users()
    yield storage(Path(settings.MEDIA_ROOT))
    yield from disk({"uploads": Path(settings.MEDIA_ROOT), "temporary files": Path(tempfile.gettempdir())})


def python() -> Finding:
    """The interpreter that runs this."""
    version = f"{platform.python_version()} on {platform.system()} {platform.release()} {platform.machine()}"
    if sys.version_info < OLDEST:
        return fail("python", version, "Python 3.11 or newer is needed: make PYTHON=python3.12")
    return ok("python", version)


def sandbox() -> Iterator[Finding]:
    """Each tier, tried here as the arena tries it: by a bot that must get nowhere."""
    asked, holding = settings.BOTS_SANDBOX, []
    for tier in TIERS:
        subject = f"sandbox {tier}"
        try:
            with start_sandbox(tier, log=lambda _: None) as started:
                holding.append(tier)
                yield ok(subject, f"holds, policy {started.policy}, bots run on python {started.python}")
        except (SandboxUnavailable, OSError) as error:
            reason = first_line(error).removeprefix("no sandbox tier holds here: ").removeprefix(f"{tier}: ")
            if asked == tier:
                yield fail(subject, f"does not hold: {reason}", f"The arena takes no jobs while BOTS_SANDBOX={tier}.")
            else:
                yield warn(subject, f"does not hold: {reason}", "docs/operators.md, The sandbox, says what it needs.")
    if asked == "unsafe":
        advice = "Take BOTS_SANDBOX out of the environment of the site and of the arena."
        yield fail("sandbox", "bots run without isolation (BOTS_SANDBOX=unsafe)", advice)
    elif not holding:
        yield fail(
            "sandbox",
            "no tier holds here: an arena on this machine takes no jobs",
            "Run the arena on Linux 5.13 or newer, x86-64 or aarch64 (docker compose, or another machine).",
        )


def users(proc: Path = Path("/proc")) -> Finding:
    """Who runs the arena on this machine, beside who runs the site (this command's user)."""
    us, theirs = os.geteuid(), arena_uids(proc)
    if not theirs:
        return ok("users", f"no arena is running on this machine; this is user {us}")
    if 0 in theirs:
        return fail("users", "an arena runs as root", "Start it as a user of its own: config/as_user.py 64100 COMMAND")
    if us in theirs:
        return warn(
            "users",
            f"the arena runs as user {us}, as the site does: only the sandbox is between bots and the site's secrets",
            "Fine for your own machine. For others, run the arena as a user of its own (make demo as root, or docker).",
        )
    return ok("users", f"the arena runs as user {', '.join(map(str, sorted(theirs)))}, this is user {us}")


def arena_uids(proc: Path) -> set[int]:
    """The users of all processes of an arena here; what has ended or is hidden counts for nothing."""
    found = set()
    for entry in proc.glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (entry / "cmdline").read_bytes().split(b"\0")
            if b"-A" in words and b"config.arena" in words:
                found.add(entry.stat().st_uid)
    return found


def storage(folder: Path) -> Finding:
    """Whether archives can be kept: by writing a file there, or where the folder will be made."""
    try:
        with tempfile.NamedTemporaryFile(dir=_existing(folder), prefix="doctor-") as file:
            file.write(b"written")
    except OSError as error:
        text = f"{folder} cannot be written: {error.strerror}"
        return fail("uploads", text, f"Give the folder to user {os.geteuid()}, or set MEDIA_ROOT.")
    return ok("uploads", f"{folder} can be written")


def disk(folders: dict[str, Path]) -> Iterator[Finding]:
    """Room where something is written."""
    for name, folder in folders.items():
        subject, free = f"disk for {name}", shutil.disk_usage(_existing(folder)).free
        text = f"{free // _MIB} MiB free at {folder}"
        if free < TOO_LOW:
            yield fail(subject, text, f"Less than {TOO_LOW // _MIB} MiB: make room now.")
        elif free < LOW:
            yield warn(subject, text, f"Less than {LOW // _MIB} MiB: make room soon.")
        else:
            yield ok(subject, text)


def _existing(folder: Path) -> Path:
    """The folder, or the nearest one above it that is there."""
    return folder if folder.is_dir() else _existing(folder.parent)
