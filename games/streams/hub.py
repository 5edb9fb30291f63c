"""The one reader of Valkey's channels of a web process, and the streams that it feeds.

It subscribes to `web:control` and waits for the answer before it subscribes to anything else: what is subscribed while
the first connection opens is lost by the client library. Each stream waits for the answer to its own subscription
before it reads what it missed. A connection that breaks is made again, and every stream gets what came meanwhile.
"""

import asyncio
import contextlib
import signal
import threading
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import Any, Final

import redis.asyncio
import structlog
from django.conf import settings
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from games.streams import pulse
from games.streams.feed import Feed
from games.streams.frames import FRAME, RECONNECT, audience, control

#: How long a stream waits for the answer to its subscription, s.
SUBSCRIBE_S: Final = 3.0
#: To Valkey, of one web process, beside those of its requests; the reader has one of them.
CONNECTIONS: Final = 16
_TROUBLE: Final = (RedisError, OSError, asyncio.TimeoutError)

log = structlog.get_logger(__name__)


class Away(Exception):
    """Valkey does not answer: no stream now."""


class Hub:
    """See the module; lives in one event loop, its tasks from the first stream on."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        # A thousand browsers that come again at once wait for one of these, instead of opening a thousand.
        pool = redis.asyncio.BlockingConnectionPool.from_url(
            settings.VALKEY_URL, max_connections=CONNECTIONS, timeout=5, socket_connect_timeout=2, socket_timeout=5,
            retry=Retry(NoBackoff(), 1),
        )  # fmt: skip
        self.client: redis.asyncio.Redis[bytes] = redis.asyncio.Redis(connection_pool=pool)
        self.feeds: set[Feed] = set()
        self.is_draining = False
        self._by_channel: dict[str, set[Feed]] = defaultdict(set)
        self._answers: dict[str, asyncio.Future[None]] = {}
        self._persons: Counter[str] = Counter()
        self._tabs: dict[tuple[str, str], Feed] = {}
        self._pubsub: Any = None
        self._turn = asyncio.Lock()  # subscriptions go out in the order in which they were decided
        self._is_connected = asyncio.Event()
        self._tasks: set[asyncio.Task[object]] = set()

    # -- streams ----------------------------------------------------------------------------------------------------

    def refuses(self, person: str, tab: str) -> bool:
        """Whether this process takes no further stream, or none of this person. A tab that comes again replaces."""
        if self.is_draining or len(self.feeds) >= settings.LIVE_STREAMS_A_PROCESS:
            return True
        most = settings.LIVE_STREAMS_AN_ADDRESS if person.startswith("a:") else settings.LIVE_STREAMS_A_PERSON
        return self._persons[person] - ((person, tab) in self._tabs) >= most

    async def add(self, feed: Feed) -> None:
        """Have the feed hear its channels; when this returns, every event published from now on reaches it.

        Raises Away.
        """
        self._start()
        key = (feed.viewer.person, feed.viewer.tab)
        if feed.viewer.tab:
            if (before := self._tabs.get(key)) is not None:
                before.close()
            self._tabs[key] = feed
        self.feeds.add(feed)
        self._persons[feed.viewer.person] += 1
        new = [channel for channel in feed.channels if channel not in self._answers]
        for channel in feed.channels:
            self._by_channel[channel].add(feed)
        for channel in new:
            self._answers[channel] = self.loop.create_future()
        try:
            if new:
                await self._subscribe(new)
            async with asyncio.timeout(SUBSCRIBE_S):
                await self._is_connected.wait()
                for channel in feed.channels:
                    await asyncio.shield(self._answers[channel])
        except _TROUBLE as error:
            raise Away from error
        if feed.watched is not None and feed.watched.seat is not None:
            self.later(pulse.arrive(self, feed))

    def remove(self, feed: Feed) -> None:
        """The stream has ended; its channels are left when nobody else listens."""
        if feed not in self.feeds:
            return
        feed.is_closed = True
        self.feeds.discard(feed)
        key = (feed.viewer.person, feed.viewer.tab)
        if self._tabs.get(key) is feed:
            del self._tabs[key]
        self._persons[feed.viewer.person] -= 1
        if not self._persons[feed.viewer.person]:
            del self._persons[feed.viewer.person]
        left = []
        for channel in feed.channels:
            self._by_channel[channel].discard(feed)
            if not self._by_channel[channel]:
                del self._by_channel[channel]
                self._answers.pop(channel).cancel()
                left.append(channel)
        if left:
            self.later(self._quietly(self._unsubscribe, left))
        if feed.watched is not None and feed.watched.seat is not None:
            self.later(pulse.leave(self, feed))

    async def missed(self, feed: Feed, after: int) -> list[tuple[int, bytes]]:
        """What is kept of the feed's match after number `after`, with the numbers. Raises Away."""
        if feed.watched is None:
            return []
        key = audience(feed.watched.code, feed.watched.seat)
        try:
            entries: Any = await self.client.xrange(key, min=f"{after + 1}-0")
        except _TROUBLE as error:
            raise Away from error
        return [(int(number.partition(b"-")[0]), fields[FRAME]) for number, fields in entries]

    def drain(self) -> None:
        """End every stream and take no more: this process is about to end."""
        self.is_draining = True
        self.reconnect()

    def reconnect(self) -> None:
        """End every stream; the browsers come again, here or elsewhere."""
        for feed in self.feeds:
            feed.close()

    def later(self, work: Any) -> None:
        """Run a coroutine beside everything else; the hub holds it until it is done."""
        task = self.loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # -- the reader ---------------------------------------------------------------------------------------------------

    def _start(self) -> None:
        if self._tasks:
            return
        self.later(self._read_for_ever())
        self.later(pulse.beat_for_ever(self))
        self.later(pulse.recheck_for_ever(self))
        if threading.current_thread() is threading.main_thread():  # else this is no web process of ours
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, partial(self._on_end, signal.getsignal(number)))

    def _on_end(self, before: Any, number: int, stack: Any) -> None:
        """The server waits for open answers to end before it ends: ours would never."""
        self.loop.call_soon_threadsafe(self.drain)
        if callable(before):
            before(number, stack)

    async def _read_for_ever(self) -> None:
        pause = 0.05
        while True:
            pubsub = self.client.pubsub()
            try:
                await pubsub.subscribe(control())
                await pubsub.get_message(timeout=SUBSCRIBE_S)  # the answer: this connection is up
                self._pubsub = pubsub
                if wanted := list(self._by_channel):
                    await self._subscribe(wanted)
                    self.later(self._catch_up(list(self.feeds)))
                self._is_connected.set()
                pause = 0.05
                await self._read(pubsub)
            except _TROUBLE as error:
                log.warning("live_reader_lost", error=str(error), streams=len(self.feeds))
            self._pubsub = None
            self._is_connected.clear()
            for channel, answer in self._answers.items():
                if answer.done():
                    self._answers[channel] = self.loop.create_future()
            for feed in self.feeds:
                feed.hold()
            await self._quietly(pubsub.aclose)
            await asyncio.sleep(pause)
            pause = min(2 * pause, 2.0)

    async def _subscribe(self, channels: list[str]) -> None:
        async with self._turn:
            if self._pubsub is not None:
                await self._pubsub.subscribe(*channels)

    async def _unsubscribe(self, channels: list[str]) -> None:
        """Leave those that nobody wants by now: a stream that opened meanwhile would never hear a thing."""
        async with self._turn:
            left = [channel for channel in channels if channel not in self._by_channel]
            if left and self._pubsub is not None:
                await self._pubsub.unsubscribe(*left)

    async def _read(self, pubsub: Any) -> None:
        """Hand on messages until the connection breaks, or is silent although `pulse` pings on it."""
        silence = 2.5 * settings.LIVE_HEARTBEAT_S
        while True:
            message = await pubsub.get_message(timeout=silence)
            if message is None:
                raise ConnectionError("nothing came, not even the answer to a ping")
            channel = (message["channel"] or b"").decode()
            if message["type"] == "message":
                if channel == control():
                    if message["data"] in RECONNECT:
                        self.reconnect()
                    continue
                for feed in tuple(self._by_channel.get(channel, ())):
                    feed.offer(message["data"])
            elif message["type"] == "subscribe":
                answer = self._answers.get(channel)
                if answer is not None and not answer.done():
                    answer.set_result(None)

    async def ping(self) -> None:
        """A sign of life on the reader's connection."""
        if self._pubsub is not None:
            await self._quietly(self._pubsub.ping)

    async def _catch_up(self, feeds: Iterable[Feed]) -> None:
        """What each stream did not hear while the connection was lost, as far as it is kept; `hb` tells the rest."""
        for feed in feeds:
            if feed.is_closed or feed not in self.feeds or not feed.has_begun:
                continue
            try:
                async with asyncio.timeout(SUBSCRIBE_S):
                    for channel in feed.channels:
                        await asyncio.shield(self._answers[channel])
                kept = await self.missed(feed, feed.top)
            except (*_TROUBLE, Away, KeyError):
                feed.close()  # its browser comes again and resumes
                continue
            feed.begin([sent for _, sent in kept], max([feed.top, *[number for number, _ in kept]]))
        await pulse.beat(self)

    async def _quietly(self, call: Callable[..., Awaitable[object]], *arguments: object) -> None:
        """A command whose failure the reader notices by itself."""
        with contextlib.suppress(*_TROUBLE):
            await call(*arguments)


_hub: Hub | None = None


def hub_here() -> Hub:
    """The hub of this process's event loop."""
    global _hub  # noqa: PLW0603 - one a process is the point
    if _hub is None or _hub.loop is not asyncio.get_running_loop():
        _hub = Hub()
    return _hub
