"""A place from which the arena can run.

A normal user's arena runs from the checkout, as himself: there only the sandbox separates bots from the services.
Root's runs as a user of its own, which may not be able to read the checkout, its virtual environment or even the
interpreter (under /root, say).  So it gets a copy of the few modules that it needs, and an environment with celery and
redis, made of an interpreter that it can run:

    <state>/arena/venv-<digest>/  root 0755   of requirements-arena.lock and the interpreter
    <state>/arena/code-<digest>/  root 0755   the modules; renewed when one of them changes
    <state>/arena/cache/          arena 0700  bot files that came over the broker

The Docker image of the arena is the same list.
"""

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from config.devservices.places import PROJECT, ServiceError, am_root, folder, state_dir

#: No row in the password file is needed, and no other program is likely to have it.
ARENA_UID = 64100
#: All of the project that the arena needs (config.arena's contract in pyproject.toml says the same).
MODULES = (
    "config/__init__.py",
    "config/arena",
    "config/celery_options.py",
    "config/env.py",
    "bots/__init__.py",
    "bots/protocol.py",
    "bots/sandbox",
    "bots/arena",
    "games/__init__.py",
    "games/engine",
)
LOCK = "requirements-arena.lock"

#: Open locks that keep the copies of this process from being tidied away by another one.
_in_use: list[int] = []


@dataclass(frozen=True, slots=True)
class ArenaHome:
    """How to start Python as the arena: `subprocess.Popen(home.python(...), cwd=home.folder, env=...)`."""

    launcher: tuple[str, ...]
    interpreter: Path
    folder: Path
    cache: Path

    def python(self, *arguments: str) -> list[str]:
        """The command line of the arena's interpreter."""
        return [*self.launcher, str(self.interpreter), *arguments]

    def environment(self, valkey_url: str) -> dict[str, str]:
        """All that the arena gets: no database, no secret key."""
        return {
            "ARENA_VALKEY_URL": valkey_url,
            "ARENA_CACHE": str(self.cache),
            "HOME": str(self.cache),
            "PATH": os.defpath,
            "LANG": "C.UTF-8",
            "PYTHONUNBUFFERED": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        }


def arena_home(base: Path | None = None, project: Path = PROJECT) -> ArenaHome:
    """Make or renew the arena's place; ServiceError when no interpreter can be run by its user."""
    base = base or state_dir()
    home = folder(base / "arena", mode=0o755) if am_root() else folder(base / "arena")
    cache = folder(home / "cache", owner=ARENA_UID)
    if not am_root():
        return ArenaHome((), Path(sys.executable), project, cache)
    interpreter = _interpreter()
    lock = (project / LOCK).read_bytes()
    with (home / "lock").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)  # demo and tests may start at the same moment
        venv = _ready(
            home, "venv", _digest(str(interpreter).encode(), lock), lambda to: _make_venv(interpreter, to, project)
        )
        code = _ready(home, "code", _digest(*_contents(project)), lambda to: _copy(project, to))
    launcher = (sys.executable, str(project / "config" / "as_user.py"), str(ARENA_UID))
    return ArenaHome(launcher, venv / "bin" / "python", code, cache)


def _interpreter() -> Path:
    """The first Python 3.11+ that the arena's user can run; ours first: then both are of one version."""
    wanted = [Path(sys.base_prefix) / "bin" / "python3", Path("/usr/bin/python3"), Path("/usr/local/bin/python3")]
    test = "import sys, venv; sys.exit(sys.version_info < (3, 11))"
    for path in wanted:
        if path.exists():
            try:
                done = subprocess.run(
                    [path.resolve(), "-I", "-c", test], user=ARENA_UID, group=ARENA_UID, extra_groups=[], cwd="/",
                    env={}, check=False, capture_output=True,
                )  # fmt: skip
            except PermissionError:
                continue
            if done.returncode == 0:
                return path.resolve()
    raise ServiceError(
        f"The arena runs as user {ARENA_UID}, who can run none of these as Python 3.11 or newer: "
        f"{', '.join(map(str, wanted))}. Install the system's (apt-get install python3), or run this as a normal user."
    )


def _ready(home: Path, kind: str, digest: str, make: Callable[[Path], None]) -> Path:
    """The finished folder `<kind>-<digest>`; older ones that nobody uses are removed."""
    path = home / f"{kind}-{digest}"
    if not (path / "complete").exists():
        shutil.rmtree(path, ignore_errors=True)
        with _umask(0o022):
            path.mkdir()
            make(path)
            (path / "complete").touch()
    # a bare descriptor: it is held until the process ends, and nobody closes it
    _in_use.append(os.open(path / "complete", os.O_RDONLY))
    fcntl.flock(_in_use[-1], fcntl.LOCK_SH)
    for old in home.glob(f"{kind}-*"):
        if old != path and not _is_used(old):
            shutil.rmtree(old)
    return path


def _is_used(path: Path) -> bool:
    try:
        with (path / "complete").open() as mark:
            fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def _make_venv(interpreter: Path, target: Path, project: Path) -> None:
    """Without pip: Debian's python3 has none to give; that of our own environment installs into it."""
    pip: list[str | Path] = [
        sys.executable,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "--python",
        target / "bin" / "python",
    ]
    commands: tuple[list[str | Path], ...] = (
        [interpreter, "-m", "venv", "--without-pip", target],
        [*pip, "install", "--quiet", "--require-hashes", "--root-user-action", "ignore", "-r", project / LOCK],
    )
    for command in commands:
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode:
            raise ServiceError(f"The arena's environment could not be made:\n{done.stdout}{done.stderr}")


def _files(project: Path) -> Iterator[Path]:
    for name in MODULES:
        path = project / name
        found = sorted(path.rglob("*")) if path.is_dir() else [path]
        yield from (file for file in found if file.is_file() and file.suffix != ".pyc")


def _contents(project: Path) -> Iterator[bytes]:
    for file in _files(project):
        yield str(file.relative_to(project)).encode()
        yield file.read_bytes()


def _copy(project: Path, target: Path) -> None:
    for file in _files(project):
        copy = target / file.relative_to(project)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
        copy.chmod(0o444)


def _digest(*parts: bytes) -> str:
    found = hashlib.sha256()
    for part in parts:
        found.update(len(part).to_bytes(8, "big") + part)
    return found.hexdigest()[:12]


@contextlib.contextmanager
def _umask(mask: int) -> Iterator[None]:
    """Files made in the block are readable by all, whatever the shell's own mask is."""
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)
