"""The bots that a sandbox has at hand: fetched once, checked against their SHA-256, kept in the sandbox's store."""

from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

from bots.arena.archive import ArchiveError, unpack_stored
from bots.arena.conductor import BotFilesError
from bots.sandbox import BotStore

MOST = 256
"""Bots that are kept; the one that was not used for longest goes first."""


class BotCache:
    """Folders of bots by SHA-256. `fetch` returns the stored archive, or None when it is not to be had."""

    def __init__(self, store: BotStore, fetch: Callable[[str], bytes | None], most: int = MOST) -> None:
        self._store = store
        self._fetch = fetch
        self._most = most
        self._folders: OrderedDict[str, Path] = OrderedDict()

    def folder(self, sha256: str) -> Path:
        """The folder of the bot with this content. Raises BotFilesError."""
        if sha256 not in self._folders:
            self._folders[sha256] = self._put(sha256)
            while len(self._folders) > self._most:
                self._store.remove(self._folders.popitem(last=False)[1])
        self._folders.move_to_end(sha256)
        return self._folders[sha256]

    def _put(self, sha256: str) -> Path:
        data = self._fetch(sha256)
        if data is None:
            raise BotFilesError("no_files", sha256)
        try:
            archive = unpack_stored(data)
        except ArchiveError:
            raise BotFilesError("wrong_files", sha256) from None
        if archive.sha256 != sha256:
            raise BotFilesError("wrong_files", sha256)
        return self._store.put(dict(archive.files))
