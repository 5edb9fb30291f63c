"""Telling browsers what changed: `publish` for a match, `publish_to_user` for one person.

Both send after commit, and what cannot be sent is no error: the database is the truth, and the heartbeat of every
stream carries the number of the last change, by which a page sees that it missed one (games.streams).
"""

from collections.abc import Mapping
from functools import cache, partial
from typing import Any, Final

import redis
import structlog
from django.conf import settings
from django.db import transaction
from redis.backoff import NoBackoff
from redis.retry import Retry

from games.models import Match
from games.streams.frames import FRAME, audience, channel, control, frame, user_key

#: Events without an id: heard by who listens now, kept for nobody. In the stream they would take the next play's id.
UNKEPT: Final = frozenset({"presence", "clock", "hint", "hb"})
#: What one seat may know and others may not.
PRIVATE: Final = frozenset({"hand", "drew", "signals"})
#: The answers to one seat's question.
OWN: Final = frozenset({"hint"})

KEPT_EVENTS: Final = 200
KEPT_S: Final = 24 * 3600
_TIMEOUT_S: Final = 1.0

log = structlog.get_logger(__name__)


def publish(
    match: Match, kind: str, public: Mapping[str, Any], seats: Mapping[int, Mapping[str, Any]] | None = None
) -> None:
    """Tell everybody who watches, after commit; called inside the transaction that raised `match.live_seq`.

    `public` goes to all, with `seq` added; `seats[i]` is added for seat i alone. A `hint` goes to the named seats only.
    Raises ValueError when `public` holds a private field, RuntimeError outside a transaction (bugs, both).
    """
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError("live.publish belongs inside the transaction that made the change")
    if leaks := sorted(name for name in PRIVATE if public.get(name)):
        raise ValueError(f"{', '.join(leaks)}: for one seat only, yet in the public part of {kind!r}")
    seats = seats or {}
    seq = None if kind in UNKEPT else match.live_seq
    number = {} if seq is None else {"seq": seq}
    everybody = seats if kind in OWN else (None, *range(match.parsed_rules.n))
    messages = {}
    for seat in everybody:
        own = {} if seat is None else seats.get(seat, {})
        messages[audience(match.code, seat)] = frame(kind, {**number, **public, **own}, seq)
    transaction.on_commit(partial(_send, messages, seq), robust=True)


def publish_to_user(user_id: int, kind: str, data: Mapping[str, Any]) -> None:
    """Tell the pages that a user has open, after commit: inbox, starting, called, turn, invited, invitation."""
    publish_to_users(kind, {user_id: data})


def publish_to_users(kind: str, data: Mapping[int, Mapping[str, Any]]) -> None:
    """The same to many users at once, each their own."""
    messages = {user_key(user_id): frame(kind, own) for user_id, own in data.items()}
    transaction.on_commit(partial(_send, messages, None), robust=True)


def reconnect_all() -> None:
    """Have every browser open its stream again, of every web process; nothing is lost by it."""
    valkey().publish(control(), "reconnect")


@cache
def valkey() -> "redis.Redis[bytes]":
    """This process's connections for short commands; a server that hangs costs a request about a second."""
    return redis.Redis.from_url(
        settings.VALKEY_URL,
        socket_timeout=_TIMEOUT_S,
        socket_connect_timeout=_TIMEOUT_S,
        retry=Retry(NoBackoff(), 1),  # a connection that a restart of the server broke
    )


def _send(messages: Mapping[str, bytes], seq: int | None) -> None:
    """Keep, then publish: who subscribes and reads what is kept afterwards misses nothing."""
    with valkey().pipeline(transaction=False) as pipe:
        for key, sent in messages.items():
            if seq is not None:
                pipe.xadd(key, {FRAME: sent}, id=f"{seq}-0", maxlen=KEPT_EVENTS, approximate=True)
                pipe.expire(key, KEPT_S)
            pipe.publish(channel(key), sent)
        try:
            # A number that is not above the last one is refused; everybody hears it all the same.
            pipe.execute(raise_on_error=False)
        except (redis.RedisError, OSError) as error:
            log.warning("live_not_published", keys=list(messages), seq=seq, error=str(error))
