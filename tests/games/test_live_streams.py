"""Streams of a real web process on real PostgreSQL and Valkey: what comes, what is resumed, who hears what."""

import threading
from collections.abc import Iterator
from datetime import timedelta

import pytest
import redis
from django.conf import settings
from django.contrib.sessions.models import Session
from django.utils import timezone

from accounts import notice_kinds
from accounts.models import User
from accounts.services import notices
from games import live
from games.models import Match, MatchState, Visibility
from games.streams.frames import audience
from tests.accounts.factories import make_user
from tests.conftest import serve
from tests.games.streaming import Stream, change, make_table, numbers, silent_change, until, user_at

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("clean_valkey"),
    pytest.mark.xdist_group("live"),
]
HURRY = {"DJANGO_SETTINGS_MODULE": "tests.games.live_settings"}


@pytest.fixture(scope="module")
def web(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of one process, in a hurry, for all tests of this file."""
    with serve(environment | HURRY, tmp_path_factory.mktemp("live") / "web.log") as address:
        yield address


@pytest.fixture
def valkey() -> Iterator["redis.Redis[bytes]"]:
    with redis.Redis.from_url(settings.VALKEY_URL) as client:
        yield client


def events_of(web: str, match: Match, query: str = "") -> str:
    return f"{web}/matches/{match.code}/events{query}"


def presence_of(stream: Stream, seat: int) -> dict[str, object]:
    """The next that the stream says of the seat."""
    while (told := stream.take("presence").data)["seat"] != seat:
        pass
    return dict(told)


def test_a_new_stream_begins_with_the_state_and_goes_on_with_what_happens(web):
    match = make_table()
    with Stream(events_of(web, match)) as stream:
        assert stream.status == 200
        assert "content-type: text/event-stream" in stream.head
        assert "cache-control: no-store" in stream.head
        assert "x-accel-buffering: no" in stream.head
        assert "content-encoding" not in stream.head
        first = stream.take()
        assert (first.kind, first.id, first.data["code"], first.data["you"]) == ("state", 0, match.code, None)
        change(match, "play", {"seat": 0, "card": "3C"})
        event = stream.take()
        assert (event.kind, event.id) == ("play", 1)
        assert event.data == {"seq": 1, "seat": 0, "card": "3C"}


def test_a_stream_resumes_after_the_number_that_its_browser_holds(web):
    match = make_table()
    for _ in range(5):
        change(match)
    with Stream(events_of(web, match, "?after=2")) as stream:
        assert numbers(stream, 3) == [3, 4, 5]
        change(match)
        assert numbers(stream, 1) == [6]
    with Stream(events_of(web, match, "?after=2"), headers={"Last-Event-ID": "5"}) as stream:
        assert numbers(stream, 1) == [6]
    with Stream(events_of(web, match, "?after=6")) as stream:
        change(match)
        assert numbers(stream, 1) == [7]


def test_nothing_is_lost_or_doubled_when_changes_come_while_streams_open(web):
    match = make_table()
    stop = threading.Event()

    def play() -> None:
        from django.db import connection

        while not stop.is_set():
            change(match)
        connection.close()

    player = threading.Thread(target=play)
    player.start()
    try:
        for _ in range(15):
            with Stream(events_of(web, match)) as stream:
                first = stream.take()
                assert first.kind == "state"
                heard = numbers(stream, 5)
            with Stream(events_of(web, match, f"?after={heard[-1]}")) as stream:
                heard += numbers(stream, 5)
            assert heard == list(range(first.id + 1, first.id + 11))
    finally:
        stop.set()
        player.join()


@pytest.mark.parametrize("lost", ["the first", "one between", "the last", "all"])
def test_the_state_comes_when_what_was_missed_is_not_all_kept(web, valkey, lost):
    match = make_table()
    for _ in range(4):
        change(match)
    key = audience(match.code, None)
    if lost == "all":
        valkey.delete(key)
    else:
        valkey.xdel(key, {"the first": "2-0", "one between": "3-0", "the last": "4-0"}[lost])
    with Stream(events_of(web, match, "?after=1")) as stream:
        first = stream.take()
        assert (first.kind, first.id, first.data["seq"]) == ("state", 4, 4)
        change(match)
        assert numbers(stream, 1) == [5]


@pytest.mark.parametrize("held", ["99", "-1", "x", "%D9%A3", "9" * 30, ""])
def test_a_number_that_was_never_given_brings_the_state(web, held):
    match = make_table()
    change(match)
    with Stream(events_of(web, match, f"?after={held}"), headers={"Last-Event-ID": ""}) as stream:
        assert stream.take().kind == "state"


def test_the_heartbeat_tells_the_number_of_a_change_that_was_not_published(web):
    match = make_table()
    with Stream(events_of(web, match, "?after=0")) as stream:
        assert stream.take("hb").data["seq"] == 0
        silent_change(match)
        until(lambda: stream.take("hb").data["seq"] == 1)
        assert stream.is_quiet()


def test_a_seat_hears_what_is_its_own_and_nobody_else_does(web):
    match = make_table(4)
    streams = [Stream(events_of(web, match), user=user_at(match, seat)) for seat in range(4)]
    streams.append(Stream(events_of(web, match)))
    streams.append(Stream(events_of(web, match), user=make_user()))
    assert [stream.take().data["you"] for stream in streams] == [0, 1, 2, 3, None, None]
    change(match, "trick", {"winner": 1}, {seat: {"drew": f"secret-{seat}"} for seat in range(4)})
    change(match, "hint", {}, {2: {"card": "secret-hint"}})
    change(match, "play", {"seat": 1})
    for seat, stream in enumerate(streams):
        trick = stream.take()
        assert trick.data.get("drew") == (f"secret-{seat}" if seat < 4 else None)
        if seat == 2:
            hint = stream.take()
            assert (hint.kind, hint.id, hint.data) == ("hint", None, {"card": "secret-hint"})
        assert stream.take().kind == "play"
        stream.close()
        own = {f"secret-{seat}"} | ({"secret-hint"} if seat == 2 else set()) if seat < 4 else set()
        assert {
            text for text in (*(f"secret-{one}" for one in range(4)), "secret-hint") if text.encode() in stream.raw
        } == own
    # what is kept for resuming is as separate
    with Stream(events_of(web, match, "?after=0")) as again:
        assert again.take().data == {"seq": 1, "winner": 1}


def test_private_fields_in_the_public_part_are_refused_before_anything_is_sent(valkey):
    match = make_table()
    for name in ("hand", "drew", "signals"):
        with pytest.raises(ValueError, match=name):
            change(match, "state", {name: ["3C"]})
    match.refresh_from_db()
    assert match.live_seq == 0
    assert valkey.keys("match:*") == []
    with pytest.raises(RuntimeError):
        live.publish(match, "play", {})


def test_a_private_match_exists_for_its_players_alone(web):
    match = make_table(visibility=Visibility.PRIVATE)
    for user, status in ((None, 404), (make_user(), 404), (user_at(match, 0), 200), (make_user(is_staff=True), 200)):
        with Stream(events_of(web, match), user=user) as stream:
            assert stream.status == status
    with Stream(f"{web}/matches/NOTHING/events") as stream:
        assert stream.status == 404


def test_no_stream_of_a_match_that_is_over_and_has_nothing_left(web):
    match = make_table()
    for _ in range(2):
        change(match)
    over = timezone.now() - timedelta(minutes=5)
    Match.objects.filter(pk=match.pk).update(state=MatchState.VOID, finished_at=over)
    with Stream(events_of(web, match, "?after=2")) as stream:
        assert stream.status == 204
    with Stream(events_of(web, match, "?after=1")) as stream:
        assert numbers(stream, 1) == [2]
        assert stream.has_ended()
    with Stream(events_of(web, match)) as stream:
        assert stream.take().kind == "state"
        assert stream.has_ended()


def test_streams_of_a_match_end_some_time_after_it_or_are_not_opened_once_it_is_rated(web):
    match = make_table()
    with Stream(events_of(web, match, "?after=0")) as stream:
        change(match, "result", {"outcome": "void"}, state=MatchState.VOID, finished_at=timezone.now())
        with Stream(events_of(web, match, "?after=1")) as other:
            assert other.status == 200
        change(match, "rating", {"seats": []})
        with Stream(events_of(web, match, "?after=2")) as other:
            assert other.status == 204
        assert numbers(stream, 2) == [1, 2]
        assert stream.has_ended()


def test_presence_is_told_when_the_first_stream_of_a_seat_opens_and_the_last_has_been_closed_for_a_while(web):
    match = make_table()
    with Stream(events_of(web, match)) as spectator:
        spectator.take("state")
        one = Stream(events_of(web, match), user=user_at(match, 1))
        one.take("state")
        assert presence_of(spectator, 1) == {"seat": 1, "present": True, "left_ms": None}
        with Stream(events_of(web, match), user=user_at(match, 1)) as two:
            state = two.take("state").data
            assert [seat["present"] for seat in state["seats"]] == [False, True]
            one.close()
            heard = [spectator.take("hb", "presence") for _ in range(4)]
            assert all(event.kind == "hb" or event.data["seat"] == 0 for event in heard)
        gone = presence_of(spectator, 1)
        assert gone["present"] is False
        assert 110_000 < gone["left_ms"] < 120_000


def test_a_reload_is_no_absence(web):
    match = make_table()
    with Stream(events_of(web, match)) as spectator:
        Stream(events_of(web, match), user=user_at(match, 0)).close()
        assert presence_of(spectator, 0)["present"] is True
        with Stream(events_of(web, match), user=user_at(match, 0)) as stream:
            stream.take("state")
            heard = [spectator.take("hb", "presence") for _ in range(4)]
            gone = [event.data for event in heard if event.kind == "presence" and not event.data["present"]]
            assert [data for data in gone if data["seat"] == 0] == []


def test_a_reader_that_takes_nothing_loses_its_stream_and_no_event(web):
    match = make_table()
    with Stream(events_of(web, match, "?after=0"), receive_buffer=4096, is_reading=False) as slow:
        with Stream(events_of(web, match, "?after=0")) as quick:
            until(lambda: quick.take("hb"))
            for _ in range(150):
                change(match, "play", {"text": "x" * 60_000})
                quick.take("play")
        slow.read_on()
        heard = []
        while (event := slow._events.get(timeout=10)) is not None and hasattr(event, "kind"):
            heard.append(event.id)
    got = [number for number in heard if number is not None]
    assert got == list(range(1, len(got) + 1))
    assert len(got) < 150
    with Stream(events_of(web, match, f"?after={got[-1]}")) as again:
        assert again.take().id == got[-1] + 1


def test_streams_hold_no_connection_of_a_pool_of_two(web):
    """Also not after a middleware has asked the database again in its response phase."""
    match = make_table()
    streams = [Stream(events_of(web, match, "?after=0" if number % 2 else "")) for number in range(50)]
    try:
        assert {stream.status for stream in streams} == {200}
        assert {stream.take().kind for stream in streams[::2]} == {"state"}
        change(match)
        assert [numbers(stream, 1) for stream in streams] == [[1]] * 50
        with Stream(f"{web}/healthz") as page:
            assert page.status == 200
    finally:
        for stream in streams:
            stream.close()


def test_a_person_has_four_streams_and_a_page_that_comes_again_replaces_its_own(web):
    match = make_table()
    user = user_at(match, 0)
    streams = [Stream(events_of(web, match, f"?tab=page-000{number}"), user=user) for number in range(4)]
    for stream in streams:
        stream.take("state")
    with Stream(events_of(web, match, "?tab=page-0004"), user=user) as fifth:
        assert fifth.status == 503
        assert "retry-after: 15" in fifth.head
    with Stream(events_of(web, match, "?tab=page-0002"), user=user) as again:
        assert again.take("state").data["you"] == 0
        assert streams[2].has_ended()
    with Stream(events_of(web, match), user=user_at(match, 1)) as other:
        assert other.status == 200
    for stream in streams:
        stream.close()


@pytest.mark.parametrize("why", ["signed out", "blocked", "new password", "seat lost"])
def test_a_stream_ends_when_its_viewer_may_not_have_it_any_more(web, why):
    match = make_table()
    user = user_at(match, 0)
    with Stream(events_of(web, match), user=user) as stream, Stream(events_of(web, match)) as spectator:
        assert stream.take().data["you"] == 0
        if why == "signed out":
            Session.objects.all().delete()
        elif why == "blocked":
            User.objects.filter(pk=user.pk).update(is_active=False)
        elif why == "new password":
            user.set_password("another-long-password-1")
            user.save()
        else:
            match.seats.filter(index=0).update(player=make_user().player)
        assert stream.has_ended()
        change(match)
        spectator.take("state")
        assert numbers(spectator, 1) == [1]


def test_what_happens_to_a_user_comes_on_any_of_their_streams(web):
    match = make_table()
    user = user_at(match, 0)
    with (
        Stream(f"{web}/me/events", user=user) as mine,
        Stream(events_of(web, match), user=user) as table,
        Stream(f"{web}/me/events", user=make_user()) as other,
    ):
        assert (mine.take().data, other.take().data) == ({"count": 0}, {"count": 0})
        table.take("state")
        live.publish_to_user(user.pk, "turn", {"match": match.code})
        for stream in (mine, table):
            event = stream.take()
            assert (event.kind, event.id, event.data) == ("turn", None, {"match": match.code})
        assert mine.take("hb").data.keys() == {"now_ms"}
        assert other.is_quiet()
    with Stream(f"{web}/me/events") as nobody:
        assert nobody.status == 401


def test_the_number_of_notices_follows_at_once(web):
    user, other = make_user(), make_user()
    with Stream(f"{web}/me/events", user=user) as mine, Stream(f"{web}/me/events", user=other) as theirs:
        assert (mine.take().data, theirs.take().data) == ({"count": 0}, {"count": 0})
        notices.notify(users=[user], kind=next(iter(notice_kinds.kinds())))
        notices.notify(users=[user, other], kind=next(iter(notice_kinds.kinds())))
        assert [mine.take().data, mine.take().data, theirs.take().data] == [{"count": 1}, {"count": 2}, {"count": 1}]
        notices.mark_read(user=user)
        assert mine.take().data == {"count": 0}
        assert theirs.is_quiet()


def test_everybody_comes_again_when_told_to(web):
    match = make_table()
    with Stream(events_of(web, match)) as stream:
        stream.take("state")
        live.reconnect_all()
        assert stream.has_ended()
