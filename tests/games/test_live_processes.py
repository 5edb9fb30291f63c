"""Live updates when a web process or Valkey goes away: streams resume elsewhere, without loss and without doubles."""

import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
import redis
from django.db import connection

from config.devservices.valkey import _binary
from games import live
from games.models import Match
from tests.conftest import poll, process, serve, web_process
from tests.games.streaming import Stream, change, make_table, numbers, until, user_at
from tests.games.test_live_streams import HURRY, events_of, presence_of

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("clean_valkey"),
    pytest.mark.xdist_group("live"),
]


@dataclass
class Player:
    """Somebody who makes changes without a pause until `stop`."""

    match: Match
    last: int = 0
    is_stopped: bool = False

    def __enter__(self) -> "Player":
        self._thread = threading.Thread(target=self._play)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.is_stopped = True
        self._thread.join()

    def _play(self) -> None:
        while not self.is_stopped:
            self.last = change(self.match)
            time.sleep(0.005)
        connection.close()


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_browser_whose_process_ends_goes_on_at_another_one_without_loss_or_double(environment, tmp_path, how):
    match = make_table()
    with ExitStack() as stack:
        first, web = stack.enter_context(web_process(environment | HURRY, tmp_path / "first.log"))
        second = stack.enter_context(serve(environment | HURRY, tmp_path / "second.log"))
        seated = [Stream(events_of(first, match, "?after=0"), user=user_at(match, seat)) for seat in (0, 1)]
        watching = stack.enter_context(Stream(events_of(second, match, "?after=0")))
        watching.take("hb")
        with Player(match) as player:
            heard = {seat: numbers(stream, 20) for seat, stream in enumerate(seated)}
            web.send_signal(how)
            for seat, stream in enumerate(seated):
                heard[seat] += _rest(stream)
                resumed = Stream(events_of(second, match, f"?after={heard[seat][-1]}"), user=user_at(match, seat))
                stack.enter_context(resumed)
                heard[seat] += numbers(resumed, 20)
            web.wait(10)
        for found in heard.values():
            assert found == list(range(1, len(found) + 1))
            assert len(found) >= 40
        assert numbers(watching, player.last) == list(range(1, player.last + 1))
    if how == signal.SIGTERM:
        log = (tmp_path / "first.log").read_text()
        assert "Traceback" not in log
        # what the server says when open answers have kept it for the whole of its grace
        assert "graceful shutdown exceeded" not in log


def _rest(stream: Stream) -> list[int | None]:
    """What still comes down a stream whose process ends."""
    found = []
    while hasattr(event := stream._events.get(timeout=10), "kind"):
        found += [event.id] if event.id is not None else []
    stream.close()
    return found


def test_a_seat_whose_process_was_killed_is_shown_as_gone_by_the_others(environment, tmp_path):
    match = make_table()
    with ExitStack() as stack:
        first, web = stack.enter_context(web_process(environment | HURRY, tmp_path / "first.log"))
        second = stack.enter_context(serve(environment | HURRY, tmp_path / "second.log"))
        watching = stack.enter_context(Stream(events_of(second, match)))
        watching.take("state")
        seated = stack.enter_context(Stream(events_of(first, match), user=user_at(match, 1)))
        seated.take("state")
        assert presence_of(watching, 1)["present"] is True
        web.kill()
        assert presence_of(watching, 1)["present"] is False


def test_every_one_of_fifty_first_streams_of_a_process_hears_its_table(environment, tmp_path):
    """They come while the reader's first connection opens: what a client library subscribes then is lost."""
    tables = [make_table() for _ in range(50)]
    with serve(environment | HURRY, tmp_path / "web.log") as address, ExitStack() as stack:
        opened: dict[int, Stream] = {}

        def come(place: int) -> None:
            opened[place] = stack.enter_context(Stream(events_of(address, tables[place], "?after=0")))

        threads = [threading.Thread(target=come, args=(place,)) for place in range(50)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert {stream.status for stream in opened.values()} == {200}
        for stream in opened.values():
            stream.take("hb")
        for table in tables:
            change(table)
        assert [numbers(opened[place], 1) for place in range(50)] == [[1]] * 50


class OwnValkey:
    """A server that this test alone uses, and may end."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = f"unix://{folder / 'v.sock'}"
        self._stack = ExitStack()

    def start(self) -> None:
        command = [_binary(), "--port", "0", "--unixsocket", str(self.folder / "v.sock"), "--dir", str(self.folder),
                   "--databases", "64", "--save", "", "--appendonly", "no"]  # fmt: skip
        self._stack.enter_context(process(*command, env={}, log=self.folder / "log"))
        poll(self.answers)

    def stop(self) -> None:
        self._stack.close()

    def answers(self) -> bool:
        try:
            with redis.Redis.from_url(self.url) as client:
                return bool(client.ping())
        except (redis.RedisError, OSError):
            return False


@pytest.fixture
def own_valkey(settings) -> Iterator[OwnValkey]:
    folder = Path(tempfile.mkdtemp(prefix="v"))
    server = OwnValkey(folder)
    server.start()
    number = settings.VALKEY_URL.partition("?")[2]
    settings.VALKEY_URL = f"{server.url}?{number}"
    live.valkey.cache_clear()
    yield server
    live.valkey().close()
    live.valkey.cache_clear()
    server.stop()
    shutil.rmtree(folder)


def test_streams_outlive_a_restart_of_valkey_and_learn_what_they_missed(environment, tmp_path, own_valkey):
    match = make_table()
    own = environment | HURRY | {"VALKEY_URL": own_valkey.url}
    with serve(own, tmp_path / "web.log") as address, Stream(events_of(address, match, "?after=0")) as stream:
        stream.take("hb")
        change(match)
        assert numbers(stream, 1) == [1]
        own_valkey.stop()
        began = time.monotonic()
        assert change(match) == 2  # the request does not fail, and does not wait
        assert time.monotonic() - began < 2
        with Stream(events_of(address, match, "?after=2")) as other:
            assert other.has_ended()  # no stream now: its page polls
            assert other.raw == b""
        own_valkey.start()
        until(lambda: stream.take("hb").data["seq"] == 2)
        change(match)
        assert numbers(stream, 1) == [3]
        # what was lost with the old server cannot be resumed from the new one
        with Stream(events_of(address, match, "?after=1")) as other:
            assert (event := other.take()).kind == "state"
            assert event.id == 3


def test_a_reader_whose_connection_breaks_catches_up(environment, tmp_path, own_valkey):
    tables = [make_table() for _ in range(10)]
    own = environment | HURRY | {"VALKEY_URL": own_valkey.url}
    with serve(own, tmp_path / "web.log") as address, ExitStack() as stack:
        streams = [stack.enter_context(Stream(events_of(address, table, "?after=0"))) for table in tables]
        for stream in streams:
            stream.take("hb")
        for _ in range(4):
            live.valkey().client_kill_filter(_type="pubsub")
            for table in tables:
                change(table)
        assert [numbers(stream, 4) for stream in streams] == [[1, 2, 3, 4]] * 10
