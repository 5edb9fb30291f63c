"""Clocks, absence and outages of tables where people play, each at the moment that decides."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from config import heartbeats
from games.clocks import PRESETS, Clock, free_ms, left_ms, parse_clock
from games.engine import card_code
from games.errors import TableError
from games.models import DealEnd, Heartbeat, Match, MatchEnd, MatchState
from games.selectors.state import state
from games.services import absence, clock, matches, outages, play
from games.streams import presence
from tests.factories import make_guest, make_human, make_version
from tests.games.tables import make_practice, make_table, now, play_card, play_cards, play_deal

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clean_valkey")]


@contextmanager
def at(begin: datetime, **after: float) -> Iterator[None]:
    """The block happens so long after `begin`, and takes no time."""
    with time_machine.travel(begin + timedelta(**after), tick=False):
        yield


@pytest.fixture
def begin() -> Iterator[datetime]:
    """A moment at which the clock stands, for tables made in the test."""
    moment = timezone.now().replace(microsecond=0)
    with time_machine.travel(moment, tick=False):
        yield moment


def again(match: Match) -> Match:
    return Match.objects.get(pk=match.pk)


def touch(match: Match, *seats: int) -> None:
    for seat in seats:
        presence.touch(match.code, seat)


# ---- arithmetic


def test_a_clock_has_a_bank_and_an_increment():
    assert {name: parse_clock(code) for name, code in PRESETS.items()} == {
        "fast": Clock(60_000, 3_000),
        "normal": Clock(180_000, 5_000),
        "slow": Clock(600_000, 10_000),
    }
    assert parse_clock("none") is None
    assert [free_ms(ply, 2) for ply in range(5)] == [4_500, 500, 2_500, 500, 2_500]
    assert [free_ms(ply, 4) for ply in (3, 4, 5)] == [500, 2_500, 500]
    assert left_ms(Clock(60_000, 3_000), [0, 1, 1], [1_000, 0, 99_000], 2) == [62_000, 0]


def test_a_play_is_charged_from_the_turn_to_the_receipt_less_what_is_free(begin):
    match = make_table(clock="60+3")
    seat = now(match).turn
    with at(begin, seconds=10):
        play_card(match)  # 4.5 s are free
    with at(begin, seconds=10.4):
        play_card(match)  # half a second is
    with at(begin, seconds=15):
        play_card(match)  # and two seconds after a trick
    row = now(match).row
    assert row is not None
    assert row.think_ms == [5_500, 0, 2_100]
    data = state(again(match))["clock"]
    left = [60_000 + 3_000] * 2
    left[seat] -= 5_500
    taker = state(again(match))["tricks"][0]["winner"]
    left[taker] += 3_000 - 2_100
    assert data["left_ms"] == left
    assert data["running"] == 1 - taker
    assert data["as_of_ms"] == round((begin + timedelta(seconds=15.5)).timestamp() * 1000)


def test_the_time_that_a_request_waited_for_its_turn_is_not_charged(begin):
    match = make_table(clock="60+3")
    found = now(match)
    assert found.deal is not None
    card = card_code(found.deal.legal()[0])
    received = begin + timedelta(seconds=6)
    with at(begin, seconds=9):
        play.play(match=match, seat=found.turn, deal=1, ply=0, card=card, at=received)
    row = now(match).row
    assert row is not None
    assert row.think_ms == [1_500]
    assert row.turn_at == begin + timedelta(seconds=9)


# ---- the flag


def test_the_flag_falls_by_itself_and_loses_the_deal(begin):
    match = make_table(clock="60+3")
    seat = now(match).turn
    touch(match, 0, 1)
    assert again(match).wake_at == begin + timedelta(seconds=60)
    with at(begin, seconds=60):
        touch(match, 0, 1)
        assert clock.wake_due() == 1
        assert now(match).in_play is not None
        assert again(match).wake_at == begin + timedelta(seconds=64.5)
    with at(begin, seconds=64.4):
        assert clock.wake_due() == 0
    with at(begin, seconds=64.5):
        assert clock.wake_due() == 1
        assert clock.wake_due() == 0
    row = now(match).row
    assert row is not None
    assert (row.termination, row.fault_seat, row.winner_side, again(match).state) == (
        DealEnd.FLAG, seat, 1 - seat, MatchState.PLAYING,
    )  # fmt: skip


def test_a_card_that_comes_after_the_flag_is_too_late_also_before_the_sweep_comes(begin):
    match = make_table(clock="60+3")
    seat = now(match).turn
    with at(begin, seconds=64.6):
        with pytest.raises(TableError) as error:
            play_card(match)
        assert error.value.code == "deal_over"
        row = now(match).row
        assert row is not None
        assert (row.termination, row.fault_seat, row.plays) == (DealEnd.FLAG, seat, "")


def test_a_card_in_the_last_moment_is_in_time(begin):
    match = make_table(clock="60+3")
    with at(begin, seconds=64.499):
        play_card(match)
    assert state(again(match))["clock"]["left_ms"][1 - now(match).turn] == 3_001  # type: ignore[operator]


def test_clocks_are_full_again_in_the_next_deal(begin):
    match = make_table(clock="60+3")
    with at(begin, seconds=64.5):
        touch(match, 0, 1)
        clock.wake_due()
    with at(begin, seconds=84.5):
        touch(match, 0, 1)
        clock.wake_due()
        assert state(again(match))["clock"]["left_ms"] == [60_000, 60_000]
        assert now(match).rows[-1].number == 2


def test_no_flag_falls_without_a_clock_and_on_a_bot(begin):
    none = make_table()
    while True:
        bot = make_table(make_version(), clock="60+3", seed=None)
        if now(bot).turn == 0:
            break
    with at(begin, seconds=299):
        touch(none, 0, 1)
        touch(bot, 1)
        clock.wake_due()
        assert now(none).in_play is not None
        assert now(bot).in_play is not None


def test_the_next_deal_begins_twenty_seconds_after_the_last(begin):
    match = play_deal(make_table())
    assert again(match).wake_at == begin + timedelta(seconds=20)
    with at(begin, seconds=19.9):
        assert clock.wake_due() == 0
    with at(begin, seconds=20):
        assert clock.wake_due() == 1
    assert now(match).turn is not None


def test_a_match_on_hold_stays_between_its_deals(begin):
    match = play_deal(make_table())
    matches.hold(matches=[match])
    for seat in (0, 1):
        play.ready(match=match, seat=seat, deal=2)
    with at(begin, seconds=61):
        touch(match, 0, 1)
        clock.wake_due()
        assert now(match).in_play is None
        matches.release_hold(matches=[match])
    with at(begin, seconds=122):
        touch(match, 0, 1)
        clock.wake_due()
        assert now(match).in_play is not None


def test_a_match_that_is_ended_from_outside_stops_at_once(begin):
    match = make_table(clock="60+3")
    matches.void(match=match, reason="The hall is closed.")
    data = state(again(match), 0)
    assert (data["result"]["outcome"], data["result"]["reason"], data["turn"]) == ("void", "The hall is closed.", None)
    assert data["seq"] == 2
    with at(begin, seconds=90):
        assert clock.wake_due() == 0
        with pytest.raises(TableError) as error:
            play_card_of(match)
        assert error.value.code == "match_over"


def play_card_of(match: Match) -> None:
    """A first card of the seat that was on turn."""
    deal = now(match).deal
    assert deal is not None
    play.play(match=match, seat=deal.turn, deal=1, ply=0, card=card_code(deal.legal()[0]))


def test_a_table_that_cannot_be_looked_at_keeps_no_other_from_being_looked_at(begin, monkeypatch):
    broken, good = play_deal(make_table()), play_deal(make_table())
    real = clock.settle

    def settle(table: Any) -> None:
        if table.match.pk == broken.pk:
            raise RuntimeError("broken")
        real(table)

    monkeypatch.setattr(clock, "settle", settle)
    with at(begin, seconds=20):
        assert clock.wake_due() == 1
    assert now(good).turn is not None


# ---- absence and its claim


def test_the_deal_of_an_absent_seat_on_turn_may_be_claimed_after_two_minutes(begin):
    match = make_table(clock="600+10")
    turn = now(match).turn
    assert turn is not None
    touch(match, 0, 1)

    def claim(seconds: float, **fields: Any) -> Any:
        with at(begin, seconds=seconds):
            touch(match, 1 - turn)
            try:
                return absence.claim(match=match, seat=1 - turn, **{"deal": 1, "ply": 0, **fields})
            except TableError as error:
                return error.code, error.params.get("left_s")

    assert claim(1) == ("not_claimable", 120)
    assert claim(40) == ("not_claimable", 80)
    assert claim(119) == ("not_claimable", 1)
    assert claim(121, ply=1) == ("stale", None)
    with at(begin, seconds=121):
        with pytest.raises(TableError) as error:
            absence.claim(match=match, seat=turn, deal=1, ply=0)
        assert error.value.code == "not_claimable"
    assert "seq" in claim(120)
    row = now(match).row
    assert row is not None
    assert (row.termination, row.fault_seat, row.winner_side) == (DealEnd.ABSENT, turn, 1 - turn)
    assert claim(125)["seq"] == again(match).live_seq


def test_coming_back_before_the_claim_cancels_it(begin):
    match = make_table(clock="600+10")
    turn = now(match).turn
    assert turn is not None
    touch(match, 0, 1)
    with at(begin, seconds=115):
        touch(match, turn)
    with at(begin, seconds=130):
        with pytest.raises(TableError) as error:
            absence.claim(match=match, seat=1 - turn, deal=1, ply=0)
        assert error.value.params["left_s"] == 105


def test_nobody_s_absence_counts_while_it_is_not_its_turn(begin):
    match = make_table(clock="600+10")
    turn = now(match).turn
    assert turn is not None
    with at(begin, seconds=1):
        touch(match, 0, 1)
    with at(begin, seconds=300):
        touch(match, turn)
        play_card(match)
    with at(begin, seconds=301):
        touch(match, turn)
        with pytest.raises(TableError) as error:
            absence.claim(match=match, seat=turn, deal=1, ply=1)
        assert error.value.params["left_s"] == 89


def test_a_bot_is_never_claimed(begin):
    while True:
        match = make_table(make_version(), clock="600+10", seed=None)
        if now(match).turn == 0:
            break
    with at(begin, seconds=400), pytest.raises(TableError) as error:
        absence.claim(match=match, seat=1, deal=1, ply=0)
    assert error.value.code == "not_claimable"


# ---- everybody has left

LEFT = [
    # mode, clock, who sits there -> what becomes of it
    ("practice", "none", "bot", "parked"),
    ("practice", "600+10", "bot", "parked"),
    ("practice", "none", "guest", "parked"),
    ("casual", "none", "bot", "parked"),
    ("casual", "600+10", "bot", "parked"),
    ("rated", "600+10", "bot", "playing"),
    ("league", "600+10", "bot", "playing"),
    ("casual", "none", "person", "void"),
    ("casual", "600+10", "person", "void"),
    ("rated", "600+10", "person", "void"),
    ("league", "600+10", "person", "void"),
]


@pytest.mark.parametrize(("mode", "code", "opponent", "becomes"), LEFT)
def test_what_becomes_of_a_table_that_everybody_left(begin, mode, code, opponent, becomes):
    other = make_human() if opponent == "person" else make_version()
    person = make_guest() if opponent == "guest" else make_human()
    match = make_table(person, other, mode=mode, clock=code)
    touch(match, 0, 1)
    deals = again(match).deals.count()
    for seconds in range(60, 330, 60):
        with at(begin, seconds=seconds):
            clock.wake_due()
            assert (again(match).state, again(match).pause) in (
                (MatchState.PLAYING, ""),
                (MatchState.PLAYING, "silent"),
            )
    with at(begin, seconds=391):
        clock.wake_due()
    found = again(match)
    assert found.deals.count() == deals
    if becomes == "void":
        assert (found.state, found.termination, found.void_reason) == (MatchState.VOID, MatchEnd.ABSENT, "absent")
        row = now(match).row
        assert row is not None
        assert (row.termination, row.turn_at) == ("", None)
    else:
        assert found.state == MatchState.PLAYING
        assert found.pause == ("parked" if becomes == "parked" else found.pause)
        assert (found.wake_at is None) == (becomes == "parked")


def test_a_parked_table_stays_for_ever_and_goes_on_where_it_stood(begin):
    match = make_practice(clock="60+3", seed=None)
    while now(match).turn != 0:
        play_card(match)
    with at(begin, seconds=5.5):
        touch(match, 0)
        play_cards(match, 1)
    while now(match).turn != 0:
        play_card(match)
    left = state(again(match))["clock"]["left_ms"]
    match.clock = "none"
    Match.objects.filter(pk=match.pk).update(clock="none")
    with at(begin, seconds=400):
        clock.wake_due()
        assert again(match).pause == "parked"
        assert state(again(match), 0)["pause"] == "parked"
    Match.objects.filter(pk=match.pk).update(clock="60+3")
    with at(begin, days=20):
        assert clock.wake_due() == 0
        data = state(again(match))["clock"]
        assert (data["left_ms"], data["running"]) == (left, None)
        play.come_back(match=match, seat=0)
        assert again(match).pause == ""
        data = state(again(match))["clock"]
        assert (data["left_ms"], data["running"]) == (left, 0)
        play_card(match)
        row = now(match).row
        assert row is not None
        assert row.think_ms[-1] == 0


def test_one_person_who_stays_keeps_the_table(begin):
    match = make_table()
    for seconds in range(0, 900, 60):
        with at(begin, seconds=seconds):
            touch(match, 0)
            clock.wake_due()
    assert again(match).state == MatchState.PLAYING


# ---- outages


def web(at_: datetime) -> None:
    """The web role says that it lives."""
    heartbeats.write("web", at_)


@pytest.mark.django_db(transaction=True)
def test_an_outage_costs_nobody_time_and_nothing_is_decided_in_the_minute_after():
    begin = timezone.now().replace(microsecond=0)
    with at(begin):
        web(begin)
        match = make_table(clock="60+3")
        touch(match, 0, 1)
    with at(begin, seconds=5):
        web(begin + timedelta(seconds=5))
    with at(begin, seconds=70):  # nobody answers since second 5: no flag
        clock.wake_due()
        assert now(match).in_play is not None
    with at(begin, seconds=105):
        web(begin + timedelta(seconds=105))
    with at(begin, seconds=106):
        clock.wake_due()
        row = now(match).row
        assert row is not None
        assert row.turn_at == begin + timedelta(seconds=100)
        clock.wake_due()
        row = now(match).row
        assert row is not None
        assert row.turn_at == begin + timedelta(seconds=100)
        assert not outages.may_decide(timezone.now())
    for second in range(110, 180, 5):
        web(begin + timedelta(seconds=second))
    with at(begin, seconds=165):  # its time is over, the quiet minute is not
        touch(match, 0, 1)
        clock.wake_due()
        assert now(match).in_play is not None
    with at(begin, seconds=177):
        touch(match, 0, 1)
        clock.wake_due()
        row = now(match).row
        assert row is not None
        assert row.termination == DealEnd.FLAG


@pytest.mark.django_db(transaction=True)
def test_without_an_outage_the_same_clock_runs_out():
    begin = timezone.now().replace(microsecond=0)
    with at(begin):
        match = make_table(clock="60+3")
    for second in range(0, 66, 5):
        web(begin + timedelta(seconds=second))
    with at(begin, seconds=66):
        touch(match, 0, 1)
        clock.wake_due()
        assert now(match).in_play is None


def test_one_of_two_web_processes_that_starts_again_is_no_outage(begin):
    gap = [begin.isoformat(), (begin + timedelta(seconds=60)).isoformat()]
    Heartbeat.objects.create(role="web", name="one", at=begin + timedelta(seconds=60), detail={"gap": gap})
    Heartbeat.objects.create(role="web", name="two", at=begin + timedelta(seconds=60))
    with at(begin, seconds=62):
        assert outages.settle() is None
        assert outages.may_decide(timezone.now())
    Heartbeat.objects.filter(name="two").update(detail={"gap": gap})
    with at(begin, seconds=62):
        assert not outages.may_decide(timezone.now())
        assert outages.settle() == timedelta(seconds=60)
        assert outages.settle() is None


def test_a_web_process_that_is_gone_for_good_hides_no_outage(begin):
    gap = [begin.isoformat(), (begin + timedelta(seconds=60)).isoformat()]
    Heartbeat.objects.create(role="web", name="one", at=begin + timedelta(seconds=60), detail={"gap": gap})
    Heartbeat.objects.create(role="web", name="gone", at=begin - timedelta(days=9))
    with at(begin, seconds=62):
        assert outages.settle() == timedelta(seconds=60)
