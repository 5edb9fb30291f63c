"""Bots by name on this machine: a .py file, a zip, a folder, or a bot of the house."""

import io
import os
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bots import demo, house
from bots.arena.archive import MAX_ARCHIVE, MAX_ENTRIES, MAX_FILE, MAX_UNPACKED, Archive, ArchiveError, unpack
from bots.arena.runner.errors import UsageError
from bots.arena.sentences import MESSAGES

HOUSE: Final = " ".join(house.HOUSE)
#: Folders that belong to the author's tools, on top of those that an upload may hold and that are left out there.
_SKIPPED: Final = (
    "venv",
    ".venv",
    "node_modules",
    ".git",
    "__pycache__",
    ".mypy_cache",
    ".ruff_cache",
    ".pytest_cache",
)


@dataclass(frozen=True, slots=True)
class LocalBot:
    """A bot as it was called on the command line, and its files."""

    name: str
    archive: Archive


def read_bot(name: str) -> LocalBot:
    """The bot `name`, under the rules of an upload. Raises UsageError."""
    if name in house.HOUSE:
        return LocalBot(name, unpack(house.source(name)))
    if name in demo.DEMO:
        return LocalBot(name, unpack(demo.source(name)))
    try:
        return LocalBot(name, _unpacked(Path(name)))
    except ArchiveError as error:
        raise UsageError(f"{name}: {sentence(error)}") from None
    except FileNotFoundError:
        raise UsageError(f"{name}: there is no such file, folder or house bot; house bots are {HOUSE}") from None
    except OSError as error:
        raise UsageError(f"{name}: {error.strerror or 'cannot be read'}") from None
    except ValueError:
        raise UsageError(f"{name!a} is no name of a file") from None


def sentence(error: ArchiveError) -> str:
    """A refused archive in words."""
    return MESSAGES[error.code] % {"file": error.file, "limit": error.limit, "detail": error.detail}


def _unpacked(path: Path) -> Archive:
    if path.is_dir():
        return unpack(_zipped(path), "folder.zip")
    with path.open("rb") as file:
        return unpack(file.read(MAX_ARCHIVE + 1), path.name)


def _zipped(folder: Path) -> bytes:
    """The folder as the zip that would be uploaded. Stops reading where an upload would be refused anyway."""
    packed = io.BytesIO()
    size = 0
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as target:
        for count, path in enumerate(_files(folder)):
            with path.open("rb") as file:
                content = file.read(MAX_FILE + 1)
            size += len(content)
            target.writestr(zipfile.ZipInfo(path.relative_to(folder).as_posix()), content)
            if count > MAX_ENTRIES or size > MAX_UNPACKED:
                break
    return packed.getvalue()


def _files(folder: Path) -> list[Path]:
    found: list[Path] = []
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(set(folders) - set(_SKIPPED))
        found += [path for name in sorted(files) if (path := Path(place, name)).is_file()]
        if len(found) > MAX_ENTRIES:
            break
    return found
