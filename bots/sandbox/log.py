"""A bot's log (its stderr), drained while waiting, kept in bounded pieces."""

import os
from collections import deque

CHUNK = 4_096
TAKE = 2_048
TAIL = 16_384
QUOTA = 1 << 20
"""Bytes a deal; more is the fault `output`."""


class BotLog:
    """Reads a non-blocking pipe. Holds the last 16 KiB of all and the last 2 KiB since it was taken, no more."""

    __slots__ = ("_descriptor", "_recent", "_recent_bytes", "_tail", "_tail_bytes", "ended", "in_deal")

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0
        self._recent = b""
        self._recent_bytes = 0
        self.in_deal = 0
        self.ended = False

    @property
    def is_over_quota(self) -> bool:
        """More was written in this deal than a bot may."""
        return self.in_deal > QUOTA

    def drain(self) -> bool:
        """Read one chunk of what is there; False when nothing was, or the stream has ended."""
        if self.ended:
            return False
        try:
            chunk = os.read(self._descriptor, CHUNK)
        except BlockingIOError:
            return False
        if not chunk:
            self.ended = True
            return False
        self.in_deal += len(chunk)
        self._recent = (self._recent + chunk)[-TAKE:]
        self._recent_bytes += len(chunk)
        self._tail.append(chunk)
        self._tail_bytes += len(chunk)
        while self._tail_bytes - len(self._tail[0]) >= TAIL:
            self._tail_bytes -= len(self._tail.popleft())
        return True

    def drain_all(self) -> None:
        """Read what is there, up to the quota."""
        while not self.is_over_quota and self.drain():
            pass

    def new_deal(self) -> None:
        """The quota is full again."""
        self.in_deal = 0

    def take(self) -> bytes:
        """The end of what was written since the last call, with a mark in place of what was cut."""
        self.drain_all()
        cut = self._recent_bytes - len(self._recent)
        taken = b"[... %d bytes cut ...]\n" % cut + self._recent if cut else self._recent
        self._recent, self._recent_bytes = b"", 0
        return taken

    def tail(self) -> bytes:
        """The last 16 KiB of all."""
        return b"".join(self._tail)[-TAIL:]
