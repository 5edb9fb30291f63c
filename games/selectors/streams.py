"""What streams of events read from the database: who may open one, where a match stands, who may keep one.

`numbers`, `refused` and `snapshot` close the connection that they used: a stream lasts for hours and holds none.
"""

import contextlib
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import connections
from django.utils import timezone
from redis.exceptions import RedisError

from accounts.models import User
from accounts.selectors import notices
from games.live import valkey
from games.models import Match, MatchState, PlayerKind, Seat, Visibility
from games.selectors.standing import standing
from games.selectors.state import state_of
from games.selectors.visibility import Viewer as Person
from games.selectors.visibility import can_see_match, visible_matches
from games.streams.feed import Viewer, Watched
from games.streams.frames import FRAME, audience, frame, kind_of
from games.streams.presence import Presence, presences

Parameters = ParamSpec("Parameters")
Answer = TypeVar("Answer")


def _without_connection(read: Callable[Parameters, Answer]) -> Callable[Parameters, Answer]:
    """`read` in the thread of the caller, whose connections are given back afterwards."""

    @wraps(read)
    def reading(*arguments: Parameters.args, **named: Parameters.kwargs) -> Answer:
        try:
            return read(*arguments, **named)
        finally:
            connections.close_all()

    return reading


@dataclass(frozen=True, slots=True)
class Opening:
    """A match as a stream finds it: the number of its last change, and whether nothing more will come."""

    watched: Watched
    player_id: int | None
    seq: int
    is_past: bool
    is_rated: bool


@dataclass(frozen=True, slots=True)
class Numbered:
    """Where a match stands; `is_past` = it has been over for so long that its streams end."""

    seq: int
    is_past: bool


def opening(code: str, person: Person, guest_key: str | None = None) -> Opening | None:
    """The match for this viewer; None when it does not exist for them. A player and the owner of the guest's key get
    the events of their seat."""
    match = Match.objects.filter(code=code.upper()).first()
    if match is None:
        return None
    seats = list(match.seats.select_related("player").order_by("index"))
    seat = _own_seat(seats, person, guest_key)
    if seat is None and not can_see_match(match, person):
        return None
    watched = Watched(
        match_id=match.pk,
        code=match.code,
        seat=None if seat is None else seat.index,
        seats=len(seats),
        people=tuple(one.index for one in seats if one.player.kind != PlayerKind.BOT),
        is_private=match.visibility == Visibility.PRIVATE,
    )
    is_past = _is_past(match.state, match.finished_at)
    return Opening(
        watched=watched,
        player_id=None if seat is None else seat.player_id,
        seq=match.live_seq,
        is_past=is_past,
        is_rated=not is_past and match.is_over and _was_rated(match.code),
    )


def seat_of(match: Match, person: Person, guest_key: str | None = None) -> Seat | None:
    """Where this user, or the guest whose key it is, sits."""
    return _own_seat(match.seats.select_related("player").order_by("index"), person, guest_key)


def _own_seat(seats: Iterable[Seat], person: Person, guest_key: str | None) -> Seat | None:
    user_id = person.pk if isinstance(person, User) and person.is_authenticated else None
    for seat in seats:
        if user_id is not None and seat.player.user_id == user_id:
            return seat
        if guest_key is not None and seat.player.guest_key == guest_key:
            return seat
    return None


@_without_connection
def snapshot(watched: Watched) -> tuple[int, bytes]:
    """The State that this stream's viewer may have, as an event, and its number."""
    found = standing(Match.objects.get(pk=watched.match_id))
    here: dict[int, Presence] = {}
    with contextlib.suppress(RedisError, OSError):
        here = presences(watched.code, found.people)
    present = [index not in here or here[index].is_here for index in range(watched.seats)]
    seq = found.match.live_seq
    return seq, frame("state", state_of(found, watched.seat, present=present), seq)


@_without_connection
def unread(user_id: int) -> int:
    """How many notices wait for the user."""
    return notices.unread_count(User(pk=user_id))


@_without_connection
def numbers(match_ids: Collection[int]) -> dict[int, Numbered]:
    """Where each match stands, in one query."""
    rows = Match.objects.filter(pk__in=match_ids).values_list("pk", "live_seq", "state", "finished_at")
    return {pk: Numbered(seq, _is_past(state, finished_at)) for pk, seq, state, finished_at in rows}


@_without_connection
def refused(streams: Sequence[tuple[Viewer, Watched | None]]) -> list[int]:
    """Which of the streams (their places) must end: signed out, blocked, a new password, no longer seated or a member.

    Three queries for all of them, and one for each spectator of private matches.
    """
    users = User.objects.in_bulk({viewer.user_id for viewer, _ in streams if viewer.user_id is not None})
    keys = {viewer.session_key for viewer, _ in streams if viewer.session_key}
    sessions = set(
        Session.objects.filter(session_key__in=keys, expire_date__gt=timezone.now()).values_list("pk", flat=True)
    )
    seated = {watched.match_id for _, watched in streams if watched is not None and watched.seat is not None}
    seats = set(Seat.objects.filter(match__in=seated).values_list("match", "index", "player"))
    visible = _visible(users, streams)

    def may_keep(viewer: Viewer, watched: Watched | None) -> bool:
        user = users.get(viewer.user_id) if viewer.user_id is not None else None
        if viewer.user_id is not None and (
            user is None
            or not user.is_active
            or viewer.session_key not in sessions
            or user.get_session_auth_hash() != viewer.session_hash
        ):
            return False
        if watched is None:
            return True
        if watched.seat is not None:
            return (watched.match_id, watched.seat, viewer.player_id) in seats
        return (viewer.user_id, watched.match_id) in visible or watched.match_id in visible_to_all

    watched_by_all = {watched.match_id for _, watched in streams if watched is not None and watched.seat is None}
    visible_to_all = set(
        Match.objects.filter(pk__in=watched_by_all).exclude(visibility=Visibility.PRIVATE).values_list("pk", flat=True)
    )
    return [place for place, (viewer, watched) in enumerate(streams) if not may_keep(viewer, watched)]


def _visible(users: dict[int, User], streams: Iterable[tuple[Viewer, Watched | None]]) -> set[tuple[int | None, int]]:
    """User and private match, of those who watch one without a seat and may."""
    wanted: dict[int, set[int]] = {}
    for viewer, watched in streams:
        if watched is not None and watched.is_private and watched.seat is None and viewer.user_id in users:
            wanted.setdefault(viewer.user_id or 0, set()).add(watched.match_id)
    return {
        (user_id, pk)
        for user_id, matches in wanted.items()
        for pk in visible_matches(users[user_id], Match.objects.filter(pk__in=matches)).values_list("pk", flat=True)
    }


def _is_past(state: str, finished_at: datetime | None) -> bool:
    end = timedelta(seconds=settings.LIVE_AFTER_END_S)
    is_over = state in (MatchState.FINISHED, MatchState.VOID)
    return is_over and finished_at is not None and finished_at <= timezone.now() - end


def _was_rated(code: str) -> bool:
    """Whether the ratings after the match were told."""
    try:
        entries: Any = valkey().xrevrange(audience(code, None), count=10)
    except (RedisError, OSError):
        return False
    return any(kind_of(fields[FRAME]) == "rating" for _, fields in entries)
