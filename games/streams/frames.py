"""What is sent down a stream, as bytes; also where it is published and kept.

A frame travels ready through Valkey, so that the processes between forward bytes and read no JSON.
"""

import json
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from django.conf import settings

#: Field of a stream's entry that holds the frame.
FRAME: Final = b"f"
#: Asks every browser to come again by itself (a deploy), whatever it watches.
RECONNECT: Final = frozenset({b"reconnect"})


def frame(kind: str, data: Mapping[str, Any], seq: int | None = None) -> bytes:
    """One event of `text/event-stream`; `seq` is its id, None for those that nobody resumes from."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    head = "" if seq is None else f"id: {seq}\n"
    return f"{head}event: {kind}\ndata: {text}\n\n".encode()


def seq_of(sent: bytes) -> int | None:
    """The id of a frame, None for one without."""
    return int(sent[4 : sent.index(b"\n")]) if sent.startswith(b"id: ") else None


def kind_of(sent: bytes) -> str:
    """The event's name."""
    return sent.partition(b"event: ")[2].partition(b"\n")[0].decode()


def audience(code: str, seat: int | None) -> str:
    """Key of the events of a match that one seat, or everybody, may see."""
    return f"match:{code}:{'public' if seat is None else f'seat:{seat}'}"


def user_key(user_id: int) -> str:
    """Name of the events of one user."""
    return f"user:{user_id}"


def channel(key: str) -> str:
    """The Pub/Sub channel of a key: channels belong to the whole server, so the number of the database is in the name.

    Number 0, what every installation has, adds nothing.
    """
    parts = urlsplit(settings.VALKEY_URL)
    number = parse_qs(parts.query).get("db", [parts.path.strip("/") if parts.scheme != "unix" else ""])[0]
    return f"{number}/{key}" if number not in {"", "0"} else key


def control() -> str:
    """The channel on which web processes are told something; always subscribed, before any other."""
    return channel("web:control")
