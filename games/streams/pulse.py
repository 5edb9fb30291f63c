"""What a web process does every few seconds for all of its streams: signs of life, presence, rights.

One query for the numbers of every watched match, one pipeline for who is here; once a minute the rights of every
viewer. Database work runs in a thread that closes its connection: no stream holds one.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import structlog
from django.conf import settings
from django.db import DatabaseError
from redis.exceptions import RedisError

from games.selectors import streams
from games.streams import presence
from games.streams.feed import Feed
from games.streams.frames import audience, channel, frame

if TYPE_CHECKING:
    from games.streams.hub import Hub

AT_A_TIME: Final = 20
PAUSE_S: Final = 0.01
_TROUBLE: Final = (RedisError, OSError, asyncio.TimeoutError)

log = structlog.get_logger(__name__)


async def beat_for_ever(hub: "Hub") -> None:
    """A sign of life of every stream, again and again."""
    while True:
        await asyncio.sleep(settings.LIVE_HEARTBEAT_S)
        try:
            await beat(hub)
        except Exception:  # the next beat may do better, and without any every page would think itself cut off
            log.exception("live_beat_failed")


async def beat(hub: "Hub") -> None:
    """`hb` for every stream, with the number of its match's last change; who came and went; ends that are due."""
    await hub.ping()
    matches = {feed.watched.match_id for feed in hub.feeds if feed.watched is not None}
    try:
        numbers = await asyncio.to_thread(streams.numbers, matches) if matches else {}
    except DatabaseError as error:
        log.warning("live_no_numbers", error=str(error))
        numbers = {}
    now = presence.now_ms()
    async for feed in _few_at_a_time(tuple(hub.feeds)):
        known = numbers.get(feed.watched.match_id) if feed.watched is not None else None
        feed.offer(frame("hb", {"now_ms": now} if known is None else {"seq": known.seq, "now_ms": now}))
        if known is not None and known.is_past:
            feed.close()
    try:
        await _renew(hub)
        await _compare(hub)
    except _TROUBLE as error:
        log.warning("live_no_presence", error=str(error))


async def _few_at_a_time(feeds: Sequence[Feed]) -> AsyncIterator[Feed]:
    """All of them, with pauses: cards and pages of others do not wait until two thousand streams were written to."""
    for number, feed in enumerate(feeds, 1):
        yield feed
        if number % AT_A_TIME == 0:
            await asyncio.sleep(PAUSE_S)


async def recheck_for_ever(hub: "Hub") -> None:
    """End the streams of those who may not have them any more: signed out, blocked, no longer seated."""
    while True:
        await asyncio.sleep(settings.LIVE_RECHECK_S)
        feeds = tuple(hub.feeds)
        try:
            refused = await asyncio.to_thread(streams.refused, [(feed.viewer, feed.watched) for feed in feeds])
        except DatabaseError as error:
            log.warning("live_not_rechecked", error=str(error))
            continue
        for index in refused:
            feeds[index].close()


# -- presence -------------------------------------------------------------------------------------------------------


async def arrive(hub: "Hub", feed: Feed) -> None:
    """A seat opened a stream: tell everybody unless it was here already."""
    assert feed.watched is not None
    code, seat = feed.watched.code, feed.watched.seat
    now = presence.now_ms()
    try:
        async with hub.client.pipeline(transaction=False) as pipe:
            pipe.zrangebyscore(presence.here_key(code), now, "+inf")
            _sign(pipe, feed, now)
            before = (await pipe.execute())[0]
        if not any(int(member.partition(b":")[0]) == seat for member in before):
            await _tell(hub, feed, is_here=True, left_ms=None)
    except _TROUBLE as error:
        log.warning("live_no_presence", error=str(error))


async def leave(hub: "Hub", feed: Feed) -> None:
    """A seat's stream ended: after a few seconds without another one, tell everybody."""
    assert feed.watched is not None
    code, seat = feed.watched.code, feed.watched.seat
    assert seat is not None
    try:
        async with hub.client.pipeline(transaction=False) as pipe:
            pipe.zrem(presence.here_key(code), _member(feed))
            pipe.zadd(presence.seen_key(code), {str(seat): presence.now_ms()})
            await pipe.execute()
        await asyncio.sleep(settings.LIVE_AWAY_S)
        now = (await _presences(hub, {code: {seat}}))[code][seat]
        if not now.is_here:
            await _tell(hub, feed, is_here=False, left_ms=now.left_ms)
    except _TROUBLE as error:
        log.warning("live_no_presence", error=str(error))


async def _tell(hub: "Hub", feed: Feed, *, is_here: bool, left_ms: int | None) -> None:
    """To the streams of every process; kept for nobody."""
    assert feed.watched is not None
    watched = feed.watched
    sent = frame("presence", {"seat": watched.seat, "present": is_here, "left_ms": left_ms})
    async with hub.client.pipeline(transaction=False) as pipe:
        for seat in (None, *range(watched.seats)):
            pipe.publish(channel(audience(watched.code, seat)), sent)
        await pipe.execute()


async def _renew(hub: "Hub") -> None:
    """The streams of seats here live on."""
    seated = [feed for feed in hub.feeds if feed.watched is not None and feed.watched.seat is not None]
    if seated:
        now = presence.now_ms()
        async with hub.client.pipeline(transaction=False) as pipe:
            for feed in seated:
                _sign(pipe, feed, now)
            await pipe.execute()


async def _compare(hub: "Hub") -> None:
    """Tell each stream what it was not told: the process of a seat may have been killed, and says nothing."""
    watching = [feed for feed in hub.feeds if feed.watched is not None]
    seats = {feed.watched.code: feed.watched.people for feed in watching if feed.watched is not None}
    found = await _presences(hub, seats) if seats else {}
    async for feed in _few_at_a_time(watching):
        assert feed.watched is not None
        for seat, now in found.get(feed.watched.code, {}).items():
            is_settled = now.is_here or now.away_ms >= 1000 * settings.LIVE_AWAY_S
            if is_settled and feed.told.get(seat) != now.is_here:
                feed.offer(frame("presence", {"seat": seat, "present": now.is_here, "left_ms": now.left_ms}))


async def _presences(hub: "Hub", seats: Mapping[str, Iterable[int]]) -> dict[str, dict[int, presence.Presence]]:
    """Who is here, of many matches in one pipeline."""
    now = presence.now_ms()
    async with hub.client.pipeline(transaction=False) as pipe:
        for code in seats:
            pipe.zremrangebyscore(presence.here_key(code), "-inf", now)
            pipe.zrange(presence.here_key(code), 0, -1)
            pipe.zrange(presence.seen_key(code), 0, -1, withscores=True)
        answers = await pipe.execute()
    return {
        code: presence.found(wanted, answers[3 * place + 1], dict(answers[3 * place + 2]), now)
        for place, (code, wanted) in enumerate(seats.items())
    }


def _member(feed: Feed) -> str:
    assert feed.watched is not None
    return f"{feed.watched.seat}:{feed.name}"


def _sign(pipe: Any, feed: Feed, now: int) -> None:
    assert feed.watched is not None
    code, seat = feed.watched.code, feed.watched.seat
    pipe.zadd(presence.here_key(code), {_member(feed): now + round(settings.LIVE_DEAD_S * 1000)})
    pipe.zadd(presence.seen_key(code), {str(seat): now})
    for key in (presence.here_key(code), presence.seen_key(code)):
        pipe.expire(key, presence.KEPT_S)
