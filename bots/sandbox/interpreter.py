"""Which interpreter bots run on: the first that their user may execute. Of a virtual environment, its base."""

import os
import subprocess
import sys
from collections.abc import Iterable

OLDEST = (3, 11)
CANDIDATES = ("/usr/bin/python3", "/usr/local/bin/python3")
_ASK = "import sys; print(*sys.version_info[:2])"


def user_arguments(uid: int | None) -> dict[str, object]:
    """Arguments of `subprocess` that drop root for `uid` (no passwd row needed); nothing for None."""
    return {} if uid is None else {"user": uid, "group": uid, "extra_groups": []}


def find(uid: int | None, candidates: Iterable[str] = ()) -> str | None:
    """First interpreter of 3.11 or later that `uid` can run: the candidates, this one's own, then the system's."""
    for path in (*candidates, os.path.realpath(sys.executable), *CANDIDATES):
        if _version(path, uid) >= OLDEST:
            return path
    return None


def _version(path: str, uid: int | None) -> tuple[int, ...]:
    try:
        told = subprocess.run(
            [path, "-I", "-S", "-c", _ASK],
            env={},
            cwd="/",
            capture_output=True,
            timeout=20,
            check=True,
            **user_arguments(uid),  # type: ignore[call-overload]
        )
        return tuple(int(part) for part in told.stdout.split())
    except (OSError, ValueError, subprocess.SubprocessError):
        return ()
