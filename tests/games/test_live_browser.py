"""The module `live.js` in a browser, against real processes: resumes, repairs gaps, polls, and rests when hidden."""

from collections.abc import Iterator

import pytest

from games import live
from games.streams.frames import audience
from tests.conftest import serve, web_process
from tests.games.streaming import change, make_table, session_of, silent_change, until, user_at
from tests.games.test_live_streams import HURRY

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("clean_valkey"),
    pytest.mark.xdist_group("live"),
]
#: A page of the site that follows nothing itself; the module of the table is put to work on it.
PAGE = "/learn/rules/"
LISTEN = """
async ([address, seq, isSeated]) => {
  const { listen } = await import('/static/js/live.js');
  window.heard = [];
  window.statuses = [];
  window.beats = 0;
  window.listening = listen({
    address, seq, isSeated,
    onEvent: (kind, data) => window.heard.push(['inbox', 'presence'].includes(kind) ? kind : data.seq ?? kind),
    onState: (state) => window.heard.push(`state ${state.seq}`),
    onTime: () => { window.beats += 1; },
    onStatus: (status) => window.statuses.at(-1) !== status && window.statuses.push(status),
  });
}
"""


@pytest.fixture(scope="module")
def web(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serve(environment | HURRY, tmp_path_factory.mktemp("live") / "web.log") as address:
        yield address


def listen(page, web, match, *, seq=0, seat=None):
    """Open a page that follows the match; returns what it heard so far, but for presence."""
    if seat is not None:
        page.context.add_cookies(
            [{"name": name, "value": value, "url": web} for name, value in session_of(user_at(match, seat)).items()]
        )
    page.goto(web + PAGE)
    page.evaluate(LISTEN, [f"/matches/{match.code}/", seq, seat is not None])
    until(lambda: "live" in page.evaluate("window.statuses"))
    return lambda: [one for one in page.evaluate("window.heard") if one != "presence"]


def test_events_come_once_and_in_order_and_a_reopened_stream_resumes(page, web):
    match = make_table()
    heard = listen(page, web, match, seat=0)
    change(match)
    until(lambda: heard() == [1])
    live.reconnect_all()
    until(lambda: "lost" in page.evaluate("window.statuses"))
    change(match)
    change(match)
    until(lambda: heard() == [1, 2, 3])
    until(lambda: page.evaluate("window.statuses.at(-1)") == "live")


def test_two_processes_may_overtake_each_other(page, web):
    """An early event waits for the one before it: nothing is asked for, nothing is drawn twice."""
    match = make_table()
    heard = listen(page, web, match)
    key = audience(match.code, None)
    early = {key: b'id: 2\nevent: play\ndata: {"seq":2}\n\n'}
    live._send(early, 2)
    live._send({key: b'id: 1\nevent: play\ndata: {"seq":1}\n\n'}, 1)
    until(lambda: heard() == [1, 2])


def test_a_gap_brings_the_state(page, web):
    match = make_table()
    heard = listen(page, web, match)
    silent_change(match)
    change(match)
    until(lambda: heard() == ["state 2"])
    change(match)
    until(lambda: heard() == ["state 2", 3])


def test_the_heartbeat_brings_the_state_when_the_last_event_was_lost(page, web):
    match = make_table()
    heard = listen(page, web, match)
    silent_change(match)
    until(lambda: heard() == ["state 1"])


@pytest.mark.complaints("net::ERR", "Failed to load resource")
def test_the_state_is_asked_for_while_no_stream_gets_through(page, web):
    match = make_table()
    page.context.route("**/events?*", lambda route: route.abort())
    heard = listen_without_stream(page, web, match)
    change(match)
    until(lambda: heard() == ["state 1"])
    page.context.unroute("**/events?*")
    change(match)
    until(lambda: heard()[-1] in {2, "state 2"})
    assert len(heard()) == 2


def listen_without_stream(page, web, match):
    page.goto(web + PAGE)
    page.evaluate(LISTEN, [f"/matches/{match.code}/", 0, False])
    until(lambda: page.evaluate("window.statuses[0]") == "lost")
    return lambda: [one for one in page.evaluate("window.heard") if one != "presence"]


@pytest.mark.complaints("net::ERR", "Failed to load resource")
def test_a_page_goes_on_at_the_process_that_takes_the_place_of_a_killed_one(page, environment, tmp_path):
    match = make_table()
    with web_process(environment | HURRY, tmp_path / "first.log") as (address, web):
        heard = listen(page, address, match, seat=1)
        change(match)
        until(lambda: heard() == [1])
        web.kill()
        until(lambda: page.evaluate("window.statuses.at(-1)") == "lost")
        change(match)
    # the same address, as behind a proxy
    with serve(environment | HURRY, tmp_path / "second.log", port=int(address.rpartition(":")[2])):
        change(match)
        until(lambda: [one for one in heard() if isinstance(one, int)][-1:] == [3] or heard()[-1] == "state 3")
        change(match)
        until(lambda: heard()[-1] == 4)
    numbers = [int(str(one).removeprefix("state ")) for one in heard()]
    assert numbers == sorted(set(numbers))


def test_a_seat_keeps_its_stream_while_its_tab_is_hidden_and_a_spectator_rests(page, web):
    match = make_table()
    page.clock.install()
    heard = listen(page, web, match)
    page.evaluate(
        "Object.defineProperty(document, 'hidden', { get: () => window.isHidden ?? false, configurable: true })"
    )
    page.evaluate("window.isHidden = true; document.dispatchEvent(new Event('visibilitychange'))")
    change(match)
    until(lambda: heard() == [1])
    page.clock.fast_forward(61_000)
    change(match)
    page.evaluate("window.isHidden = false; document.dispatchEvent(new Event('visibilitychange'))")
    until(lambda: heard()[-1] in {2, "state 2"})
    page.evaluate("window.listening.stop()")

    match = make_table()
    heard = listen(page, web, match, seat=0)
    page.evaluate("Object.defineProperty(document, 'hidden', { get: () => true })")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    for _ in range(5):  # as long as signs of life come, no silence is seen
        beats = page.evaluate("window.beats")
        until(lambda beats=beats: page.evaluate("window.beats") > beats)
        page.clock.run_for(15_000)
    assert page.evaluate("window.statuses") == ["live"]
    change(match)
    until(lambda: 1 in heard())
    assert "state 1" not in heard()


def test_with_many_tabs_a_spectator_rests_as_soon_as_it_is_out_of_sight(page, web):
    match = make_table()
    heard = listen(page, web, match)
    page.evaluate("Object.defineProperty(document, 'hidden', { get: () => window.isHidden ?? false })")
    others = [page.context.new_page() for _ in range(3)]
    for other in others:
        listen(other, web, match)
    page.evaluate("window.isHidden = true; document.dispatchEvent(new Event('visibilitychange'))")
    until(lambda: page.evaluate("window.listening.isOpen()") is False)
    change(match)
    until(lambda: others[0].evaluate("window.heard").count(1) == 1)
    assert heard() == []
    page.evaluate("window.isHidden = false; document.dispatchEvent(new Event('visibilitychange'))")
    until(heard)
    assert set(heard()) <= {1, "state 1"}


def test_the_page_stops_when_the_match_is_over_and_nothing_is_left(page, web):
    from datetime import timedelta

    from django.utils import timezone

    from games.models import Match, MatchState

    match = make_table()
    heard = listen(page, web, match)
    change(match, "result", {"outcome": "void"}, state=MatchState.VOID, finished_at=timezone.now())
    until(lambda: heard() == [1])
    Match.objects.filter(pk=match.pk).update(finished_at=timezone.now() - timedelta(minutes=2))
    until(lambda: page.evaluate("window.statuses.at(-1)") == "ended")
    assert heard() == [1]


def test_a_page_without_a_match_hears_what_happens_to_its_user(page, web):
    match = make_table()
    user = user_at(match, 0)
    page.context.add_cookies([{"name": name, "value": value, "url": web} for name, value in session_of(user).items()])
    page.goto(web + PAGE)
    page.evaluate(LISTEN, ["/me/", None, False])
    until(lambda: page.evaluate("window.heard") == ["inbox"])
    live.publish_to_user(user.pk, "turn", {"match": match.code})
    until(lambda: page.evaluate("window.heard") == ["inbox", "turn"])
