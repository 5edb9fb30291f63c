"""What a stream sends, from its opening to its end."""

from collections.abc import AsyncIterator
from typing import Final

from asgiref.sync import sync_to_async
from django.db import OperationalError, connections

from games.selectors import streams
from games.streams.feed import Feed, Viewer
from games.streams.frames import audience, channel, frame, user_key
from games.streams.hub import Away, Hub

#: How long a browser that manages its own stream waits before it comes again.
RETRY: Final = b"retry: 1000\n\n"


async def match_events(hub: Hub, viewer: Viewer, found: streams.Opening, held: int | None) -> AsyncIterator[bytes]:
    """The events of a match after number `held`; its state first when they are not all kept."""
    # Before anything else: the request's thread lives as long as the stream, and keeps the connection that views and
    # middleware used. A thousand streams would need a thousand of them.
    await sync_to_async(connections.close_all)()
    own = [channel(user_key(viewer.user_id))] if viewer.user_id is not None else []
    heard = (channel(audience(found.watched.code, found.watched.seat)), *own)
    feed = Feed(viewer=viewer, channels=heard, watched=found.watched)
    try:
        await hub.add(feed)
        feed.begin(*await _first(hub, feed, found, held))
        if found.is_past:
            feed.close()
        yield RETRY
        async for sent in feed.frames():
            yield sent
    except (Away, OperationalError):
        return  # without a message: the browser takes it for a failure, and asks for the state meanwhile
    finally:
        hub.remove(feed)


async def user_events(hub: Hub, viewer: Viewer) -> AsyncIterator[bytes]:
    """What happens to a user; first how many notices wait."""
    await sync_to_async(connections.close_all)()
    assert viewer.user_id is not None
    feed = Feed(viewer=viewer, channels=(channel(user_key(viewer.user_id)),))
    try:
        await hub.add(feed)
        count = await sync_to_async(streams.unread)(viewer.user_id)
        feed.begin([frame("inbox", {"count": count})], 0)
        yield RETRY
        async for sent in feed.frames():
            yield sent
    except (Away, OperationalError):
        return
    finally:
        hub.remove(feed)


async def _first(hub: Hub, feed: Feed, found: streams.Opening, held: int | None) -> tuple[list[bytes], int]:
    """What is sent before anything live, and the number up to which that goes."""
    if held is not None and held <= found.seq:
        kept = await hub.missed(feed, held)
        numbers = [number for number, _ in kept]
        last = numbers[-1] if numbers else held
        if last >= found.seq and numbers == list(range(held + 1, last + 1)):
            return [sent for _, sent in kept], last
    seq, sent = await sync_to_async(streams.snapshot)(found.watched)
    return [sent], seq
