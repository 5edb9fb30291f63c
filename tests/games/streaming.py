"""Streams of events as a browser hears them, over a real connection, and changes of matches as the table makes them."""

import json
import queue
import socket
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from django.db import transaction
from django.test import Client

from accounts.foundation import lock_one
from accounts.models import User
from games import live
from games.engine import Rules
from games.models import Match, MatchMode, MatchState
from games.services import matches
from games.services.matches import MatchSpec, SeatSpec
from tests.conftest import poll
from tests.factories import make_human

END = object()


@dataclass
class Event:
    """One event as it came."""

    kind: str = "message"
    data: Any = None
    id: int | None = None
    raw: bytes = b""


@dataclass
class Stream:
    """An open stream; `take` gives the next event that is no sign of life."""

    address: str
    user: User | None = None
    cookies: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    is_reading: bool = True
    receive_buffer: int = 0
    status: int = 0
    head: str = ""
    raw: bytes = b""

    def __post_init__(self) -> None:
        parts = urlsplit(self.address)
        self._socket = socket.socket()
        if self.receive_buffer:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self.receive_buffer)
        self._socket.settimeout(15)  # an answer that does not come fails the test
        self._socket.connect((parts.hostname, parts.port))
        cookies = self.cookies | (session_of(self.user) if self.user else {})
        head = {"Host": parts.netloc, "Accept": "text/event-stream", **self.headers}
        if cookies:
            head["Cookie"] = "; ".join(f"{name}={value}" for name, value in cookies.items())
        lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        self._socket.sendall(f"GET {path} HTTP/1.1\r\n{lines}\r\n".encode())
        self._events: queue.Queue[Any] = queue.Queue()
        self._file = self._socket.makefile("rb")
        self.status = int(self._file.readline().split()[1])
        while (line := self._file.readline()) not in {b"\r\n", b""}:
            self.head += line.decode().lower()
        self._socket.settimeout(None)
        self._thread = threading.Thread(target=self._read, daemon=True)
        if self.is_reading:
            self._thread.start()

    def read_on(self) -> None:
        """Begin to read what came so far."""
        self._thread.start()

    def _read(self) -> None:
        """Chunks of the answer, then lines of events."""
        waiting, event = b"", Event()
        with suppress(OSError, ValueError):
            while size := int(self._file.readline().strip() or b"0", 16):
                waiting += self._file.read(size)
                self._file.readline()
                while b"\n" in waiting:
                    line, _, waiting = waiting.partition(b"\n")
                    self.raw += line + b"\n"
                    name, _, value = line.decode().partition(": ")
                    if name == "id":
                        event.id = int(value)
                    elif name == "event":
                        event.kind = value
                    elif name == "data":
                        event.data = json.loads(value)
                    elif not line and event.data is not None:
                        self._events.put(event)
                        event = Event()
        self._events.put(END)

    def take(self, *kinds: str, limit: float = 10, skip: tuple[str, ...] = ("hb", "presence")) -> Event:
        """The next event but signs of life; of these kinds only, where any are named, and they include them."""
        while True:
            event = self._events.get(timeout=limit)
            assert event is not END, "the stream has ended"
            if event.kind in kinds or (not kinds and event.kind not in skip):
                return event

    def has_ended(self, limit: float = 10) -> bool:
        """Whether the stream ends; whatever still comes is thrown away."""
        with suppress(queue.Empty):
            while self._events.get(timeout=limit) is not END:
                pass
            return True
        return False

    def is_quiet(self) -> bool:
        """Whether nothing but signs of life waits."""
        with self._events.mutex:
            return all(event is not END and event.kind in {"hb", "presence"} for event in self._events.queue)

    def close(self) -> None:
        """Go away as a browser does."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._file.close()
        self._socket.close()

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def session_of(user: User) -> dict[str, str]:
    """The cookie of a browser in which the user has signed in."""
    client = Client()
    client.force_login(user)
    return {"sessionid": client.cookies["sessionid"].value}


def make_table(n: int = 2, *, mode: MatchMode = MatchMode.CASUAL, **fields: Any) -> Match:
    """A match of people that is in play."""
    seats = tuple(SeatSpec(player=make_human()) for _ in range(n))
    match = matches.create(spec=MatchSpec(rules=Rules(n=n), mode=mode, seats=seats, **fields))
    Match.objects.filter(pk=match.pk).update(state=MatchState.PLAYING)
    match.refresh_from_db()
    return match


def user_at(match: Match, seat: int) -> User:
    """Who sits there."""
    user = match.seats.get(index=seat).player.user
    assert user is not None
    return user


def change(
    match: Match, kind: str = "play", public: dict[str, Any] | None = None,
    seats: dict[int, dict[str, Any]] | None = None, **fields: Any,
) -> int:  # fmt: skip
    """One published change, as a verb of the table makes it; its number."""
    with transaction.atomic():
        row = lock_one(Match.objects.filter(pk=match.pk))
        row.live_seq += kind not in live.UNKEPT
        for name, value in fields.items():
            setattr(row, name, value)
        row.save()
        live.publish(row, kind, public or {}, seats)
    return row.live_seq


def silent_change(match: Match) -> int:
    """A change whose publishing was lost."""
    Match.objects.filter(pk=match.pk).update(live_seq=match.live_seq + 1)
    match.refresh_from_db()
    return match.live_seq


def numbers(stream: Stream, count: int) -> list[int | None]:
    """The ids of the next events."""
    return [stream.take().id for _ in range(count)]


def until(what: Any) -> Any:
    """Short for what tests of streams wait for."""
    return poll(what, limit=15, every=0.05)
