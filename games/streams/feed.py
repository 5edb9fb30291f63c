"""One open stream as its process sees it: a bounded queue between the reader of the channels and one browser."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from itertools import count
from typing import Final

from django.conf import settings

from games.streams.frames import seq_of

_numbers = count(1)
_PRESENCE: Final = b"event: presence\ndata: "


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who opened a stream: `person` counts streams; user and session are looked at again while it is open."""

    person: str
    user_id: int | None = None
    session_key: str | None = None
    session_hash: str = ""
    player_id: int | None = None
    tab: str = ""


@dataclass(frozen=True, slots=True)
class Watched:
    """What of a match a stream shows: the events of one seat, or the public ones. `people` are the seats of no bot."""

    match_id: int
    code: str
    seat: int | None
    seats: int
    people: tuple[int, ...]
    is_private: bool


class Feed:
    """Frames for one browser. Until `begin` they are kept aside, so that what was missed can be sent first."""

    def __init__(self, *, viewer: Viewer, channels: tuple[str, ...], watched: Watched | None = None) -> None:
        self.viewer = viewer
        self.channels = channels
        self.watched = watched
        self.name = f"{next(_numbers)}"
        self.top = 0  # the highest number handed on
        self.is_closed = False
        self.has_begun = False
        self.told: dict[int, bool] = {}  # what was said of the presence of each seat
        self._floor = 0  # numbers up to this one were part of what was sent first
        self._early: list[bytes] | None = []
        self._queue: asyncio.Queue[bytes | None] = asyncio.Queue(settings.LIVE_QUEUE)
        self._sender: asyncio.Task[object] | None = None

    def offer(self, sent: bytes) -> None:
        """A frame from a channel. A reader that is too slow loses its stream, not its events: it comes again."""
        if self.is_closed:
            return
        if sent.startswith(_PRESENCE):
            told = json.loads(sent[len(_PRESENCE) :])
            self.told[told["seat"]] = told["present"]
        if self._early is None:
            self._put(sent)
        elif len(self._early) < settings.LIVE_QUEUE:
            self._early.append(sent)
        else:
            self.cut()

    def hold(self) -> None:
        """Keep what comes aside until the next `begin`."""
        if self._early is None:
            self._early = []

    def begin(self, first: Iterable[bytes], floor: int) -> None:
        """Send what was missed, up to number `floor`, then what came meanwhile, then everything as it comes."""
        early, self._early = self._early or [], None
        self.has_begun = True
        self._floor = self.top = max(self.top, floor)
        if missed := b"".join(first):
            self._queue.put_nowait(missed)
        for sent in early:
            self._put(sent)

    def close(self) -> None:
        """End the stream after what waits in the queue; when that is full, now: its browser comes again for it."""
        self.is_closed = True
        if self._queue.full():
            while not self._queue.empty():
                self._queue.get_nowait()
        self._queue.put_nowait(None)

    def cut(self) -> None:
        """End the stream now, also while its browser takes nothing."""
        self.is_closed = True
        if self._sender is not None:
            self._sender.cancel()

    async def frames(self) -> AsyncIterator[bytes]:
        """What is to be sent, several frames at once where they wait; ends when the stream is closed."""
        self._sender = asyncio.current_task()
        while True:
            waiting = [await self._queue.get()]
            while not self._queue.empty():
                waiting.append(self._queue.get_nowait())
            if sent := b"".join(one for one in waiting if one is not None):
                yield sent
            if None in waiting:
                return

    def _put(self, sent: bytes) -> None:
        seq = seq_of(sent)
        if seq is not None:
            if seq <= self._floor:
                return
            self.top = max(self.top, seq)
        if self._queue.full():
            self.cut()
        else:
            self._queue.put_nowait(sent)
