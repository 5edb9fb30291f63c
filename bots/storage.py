"""Where the archives of bots lie: by content, whole or not at all, and under no public address."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from django.core.files import File
from django.core.files.storage import FileSystemStorage, Storage, storages


class ArchiveStorage(FileSystemStorage):
    """One file for one content. A file appears under its name only when all of it is on the disk."""

    def get_available_name(self, name: str, max_length: int | None = None) -> str:  # noqa: ARG002
        """The name itself: what has it already is the same content."""
        return name

    def _save(self, name: str, content: "File[bytes]") -> str:
        target = Path(self.path(name))
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=".part-")
        try:
            with os.fdopen(descriptor, "wb") as file:
                for chunk in content.chunks():
                    file.write(chunk)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).chmod(0o640)
            Path(temporary).replace(target)
        except BaseException:
            with suppress(FileNotFoundError):
                Path(temporary).unlink()
            raise
        return name


def archives() -> Storage:
    """The storage named `bots` in the settings."""
    return storages["bots"]
