"""Folders of one sandbox on disk: its own run folder, the copy of the code to confine, the store of the bots."""

import contextlib
import fcntl
import os
import secrets
import shutil
import stat
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

PREFIX = "bella-sandbox-"
CODE, BOTS, ROOT = "code", "bots", "root"
_LOCK = "lock"
_ABANDONED_S = 60
_PACKAGES = ("games/engine", "bots/sandbox/zygote")
_MODULES = ("bots/protocol.py",)
_SOURCE = Path(__file__).resolve().parents[2]


class Store:
    """`launcher.BotStore`: folders 0555 named by 128 random bits, files 0444; their parent (0711) is the arena's."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, files: Mapping[str, bytes]) -> Path:
        """See `BotStore.put`."""
        bot = self.folder / secrets.token_hex(16)
        bot.mkdir(0o700)
        for name, content in files.items():
            file = bot / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        _close_tree(bot)
        return bot

    def remove(self, bot_dir: Path) -> None:
        """See `BotStore.remove`."""
        if bot_dir.parent != self.folder:
            raise ValueError(f"{bot_dir} is not in the store")
        _delete_tree(bot_dir)


class RunFolder:
    """A folder for the life of one sandbox, locked while it lives: one left by a killed arena is found and deleted."""

    def __init__(self, base: Path | None = None, source: Path | None = None) -> None:
        base = base or Path(tempfile.gettempdir())
        _delete_abandoned(base)
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=base))
        self._lock = os.open(self.path / _LOCK, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        for name, mode in ((BOTS, 0o711), (ROOT, 0o755)):
            (self.path / name).mkdir()
            (self.path / name).chmod(mode)
        copy_code(source or _SOURCE, self.path / CODE)
        self.path.chmod(0o711)
        self.store = Store(self.path / BOTS)

    def delete(self) -> None:
        """Delete everything. May be called twice."""
        if self.path.exists():
            _delete_tree(self.path)
            os.close(self._lock)


def copy_code(source: Path, target: Path) -> None:
    """Copy what confined processes import from the project at `source`, read-only, with empty packages above it.

    The engine's package may be imported by bots; of the rest they see nothing.
    """
    for name in _PACKAGES:
        shutil.copytree(source / name, target / name, ignore=shutil.ignore_patterns("__pycache__"))
        for parent in (target / name).relative_to(target).parents:
            if parent != Path():
                (target / parent / "__init__.py").touch()
    for name in _MODULES:
        shutil.copyfile(source / name, target / name)
    _close_tree(target)


def _close_tree(top: Path) -> None:
    """Read-only for everybody, whatever the umask."""
    for folder, _, files in os.walk(top, topdown=False):
        for file in files:
            (Path(folder) / file).chmod(0o444)
        Path(folder).chmod(0o555)


def _delete_tree(top: Path) -> None:
    for folder, _, _ in os.walk(top):
        Path(folder).chmod(0o700)
    shutil.rmtree(top)


def _delete_abandoned(base: Path) -> None:
    """Delete run folders of ours that nobody holds the lock of."""
    for path in base.glob(PREFIX + "*"):
        with contextlib.suppress(OSError):
            about = path.lstat()
            if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.geteuid():
                continue
            if time.time() - about.st_mtime < _ABANDONED_S:
                continue
            lock = os.open(path / _LOCK, os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _delete_tree(path)
            finally:
                os.close(lock)
