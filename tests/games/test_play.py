"""Playing at a table of people: every card once, whatever is sent twice, late or at the same time."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone

from accounts.foundation import BadState
from games.engine import card_code, verify_match
from games.errors import BadMatch, TableError
from games.events import DealFinished, MatchFinished, MatchStarted, TurnGiven, TurnTaken, subscribe
from games.models import Deal, DealEnd, Match, MatchEnd, MatchOutcome, MatchState
from games.selectors import records
from games.selectors.state import state
from games.services import clock, deals, play
from tests.factories import make_version
from tests.games.tables import everybody_ready, make_table, now, play_card, play_cards, play_deal, play_match

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clean_valkey")]


def rows(match: Match) -> list[dict[str, Any]]:
    """Everything that is stored of a match."""
    return [*Match.objects.filter(pk=match.pk).values(), *Deal.objects.filter(match=match).order_by("pk").values()]


def refused(code: str, match: Match, verb: Any, /, **fields: Any) -> TableError:
    """The refusal, which changed nothing."""
    before = rows(match)
    with pytest.raises(TableError) as error:
        verb(match=match, **fields)
    assert (error.value.code, rows(match)) == (code, before)
    return error.value


# ---- the course of a match


def test_a_match_begins_with_a_deal_in_which_the_seat_after_the_dealer_is_on_turn():
    match = make_table(is_started=False)
    assert (match.state, match.deals.count()) == (MatchState.PLANNED, 0)
    match = deals.start_match(match=match)
    found = now(match)
    assert (found.match.state, found.match.live_seq) == (MatchState.PLAYING, 1)
    assert found.row is not None
    assert (found.row.number, found.row.dealer, found.turn) == (1, match.first_dealer, 1 - match.first_dealer)
    assert found.row.turn_at is not None
    with pytest.raises(BadState):
        deals.start_match(match=match)


def test_a_whole_match_is_played_counted_and_can_be_verified():
    match = play_match(make_table())
    assert (match.state, match.termination, match.outcome) == (MatchState.FINISHED, MatchEnd.NORMAL, MatchOutcome.WON)
    assert match.winner_side is not None
    assert max(match.score) == 2
    assert match.finish_seq is not None
    assert match.wake_at is None
    bundle = records.bundle(match, None)
    assert bundle is not None
    assert verify_match(bundle) == []
    for row in match.deals.all():
        assert (len(row.plays), len(row.think_ms), len(row.seqs), sum(row.points)) == (80, 40, 40, 120)
        assert (row.termination, row.turn_at) == (DealEnd.NORMAL, None)


@pytest.mark.parametrize("rules", ["n=4", "n=3", "n=2 format=race:120", "n=2 stop_at_61=auto format=deals:1"])
def test_other_rules_come_to_their_end_too(rules):
    match = play_match(make_table(rules=rules))
    assert match.is_over
    bundle = records.bundle(match, None)
    assert bundle is not None
    assert verify_match(bundle) == []


def test_the_apps_above_hear_what_happens():
    heard: list[object] = []
    kinds = (MatchStarted, DealFinished, MatchFinished, TurnGiven, TurnTaken)
    from accounts.foundation import events

    for kind in kinds:
        subscribe(kind, function=heard.append)
    try:
        match = play_match(make_table(rules="n=2 format=deals:1"))
    finally:
        for kind in kinds:
            events._functions[kind].remove(heard.append) if heard.append in events._functions[kind] else None
    mine = [event for event in heard if event.match_id == match.pk]  # type: ignore[attr-defined]
    assert [type(event) for event in mine[:2]] == [MatchStarted, TurnGiven]
    assert sum(isinstance(event, TurnGiven) for event in mine) == 40
    assert [type(event) for event in mine[-3:]] == [DealFinished, MatchFinished, TurnTaken]


def test_the_next_deal_begins_when_everybody_is_ready():
    match = play_deal(make_table())
    assert now(match).in_play is None
    play.ready(match=match, seat=0, deal=2)
    assert now(match).in_play is None
    assert state(Match.objects.get(pk=match.pk))["ready"] == [0]
    seq = play.ready(match=match, seat=0, deal=2)["seq"]
    assert seq == Match.objects.get(pk=match.pk).live_seq
    refused("stale", match, play.ready, seat=1, deal=3)
    play.ready(match=match, seat=1, deal=2)
    found = now(match)
    assert found.row is not None
    assert (found.row.number, found.row.dealer) == (2, 1 - match.first_dealer)
    before = rows(match)
    play.ready(match=match, seat=1, deal=2)
    assert rows(match) == before


def test_a_planned_match_begins_when_every_person_is_ready():
    match = make_table(make_version(), is_started=False)
    play.ready(match=match, seat=1, deal=1)
    assert Match.objects.get(pk=match.pk).state == MatchState.PLAYING
    two = make_table(is_started=False)
    play.ready(match=two, seat=1, deal=1)
    assert Match.objects.get(pk=two.pk).ready == [1]
    refused("stale", two, play.ready, seat=0, deal=2)
    play.ready(match=two, seat=0, deal=1)
    assert Match.objects.get(pk=two.pk).state == MatchState.PLAYING


# ---- one card


def test_the_answer_says_what_was_played_and_how_the_clocks_stand():
    match = make_table(clock="180+5")
    found = now(match)
    assert found.deal is not None
    assert found.row is not None
    seat, card = found.deal.turn, card_code(found.deal.legal()[2])
    answer = play.play(match=match, seat=seat, deal=1, ply=0, card=card.lower())
    assert {name: answer[name] for name in ("seq", "deal", "ply", "card")} == {
        "seq": 2, "deal": 1, "ply": 0, "card": card,
    }  # fmt: skip
    assert answer["clock"]["running"] == 1 - seat
    assert answer["clock"]["left_ms"][seat] == 185_000
    assert answer["clock"] == state(Match.objects.get(pk=match.pk))["clock"]


def test_a_card_that_is_sent_again_gets_the_first_answer_and_changes_nothing():
    match = make_table(clock="60+3", rules="n=2 format=deals:1")
    answers = []
    while (found := now(match)).in_play is not None:
        assert found.deal is not None
        assert found.row is not None
        assert found.turn is not None
        asked = {"seat": found.turn, "deal": 1, "ply": len(found.deal.plays), "card": card_code(found.deal.legal()[0])}
        answers.append((asked, play.play(match=match, **asked)))
    before = rows(match)
    for asked, answer in answers:
        assert play.play(match=match, **asked) == answer
    assert rows(match) == before
    assert now(match).match.is_over


def test_what_cannot_be_played_is_refused_and_changes_nothing():
    match = play_cards(make_table(), 5)
    found = now(match)
    assert found.deal is not None
    turn, hand = found.deal.turn, [card_code(card) for card in found.deal.legal()]
    foreign = card_code(found.deal.hands[1 - turn][0])
    last = card_code(found.deal.plays[-1])
    asked = {"deal": 1, "ply": 5}
    assert refused("bad_card", match, play.play, seat=turn, card="XX", **asked).status == 422
    assert refused("card_not_in_hand", match, play.play, seat=turn, card=foreign, **asked).status == 422
    assert refused("card_not_in_hand", match, play.play, seat=turn, card=last, **asked).status == 422
    assert refused("not_your_turn", match, play.play, seat=1 - turn, card=foreign, **asked).status == 409
    refused("stale", match, play.play, seat=turn, card=hand[0], deal=1, ply=4)
    refused("stale", match, play.play, seat=turn, card=hand[0], deal=1, ply=6)
    refused("stale", match, play.play, seat=turn, card=hand[0], deal=2, ply=5)
    refused("stale", match, play.play, seat=turn, card=hand[0], deal=0, ply=5)
    refused("stale", match, play.play, seat=turn, card=last, deal=1, ply=4)  # it was the other seat's card
    refused("stale", match, play.play, seat=turn, card=hand[0], deal=1, ply=-1)


def test_no_card_is_played_before_between_and_after_the_deals():
    waiting = make_table(is_started=False)
    refused("not_started", waiting, play.play, seat=0, deal=1, ply=0, card="AD")
    between = play_deal(make_table())
    refused("deal_over", between, play.play, seat=0, deal=1, ply=40, card="AD")
    over = play_match(make_table(rules="n=2 format=deals:1"))
    refused("match_over", over, play.play, seat=0, deal=1, ply=40, card="AD")
    refused("match_over", over, play.ready, seat=0, deal=2)


def test_every_change_has_the_next_number():
    match = make_table(rules="n=2 format=deals:1")
    play_deal(match)
    found = now(match)
    assert found.row is not None
    # start, 40 plays, 20 tricks, deal, result
    assert found.match.live_seq == 1 + 40 + 20 + 2
    assert found.row.seqs == [2 + ply + ply // 2 for ply in range(40)]


def test_a_play_takes_a_constant_number_of_queries(django_assert_max_num_queries):
    match = play_deal(make_table())
    everybody_ready(match)
    for plays in (1, 20):
        play_cards(match, plays)
        with django_assert_max_num_queries(13):  # 4 of them are those of the helper, 2 savepoints
            play_card(match)


# ---- giving up


def test_who_gives_up_a_deal_loses_it_and_the_match_goes_on():
    match = play_cards(make_table(), 7)
    refused("stale", match, play.resign, seat=0, deal=2, scope="deal")
    refused("bad_body", match, play.resign, seat=0, deal=1, scope="all")
    assert play.resign(match=match, seat=0, deal=1, scope="deal")["is_offer"] is False
    found = now(match)
    assert found.row is not None
    assert (found.row.termination, found.row.fault_seat, found.row.winner_side) == (DealEnd.RESIGN, 0, 1)
    assert sum(found.row.points) + found.row.unplayed == 120
    assert (found.match.score, found.match.state) == ([0, 1], MatchState.PLAYING)
    before = rows(match)
    play.resign(match=match, seat=0, deal=1, scope="deal")
    assert rows(match) == before
    refused("deal_over", match, play.resign, seat=1, deal=1, scope="deal")
    play.resign(match=everybody_ready(match), seat=0, deal=2, scope="deal")
    assert (now(match).match.termination, now(match).match.winner_side) == (MatchEnd.NORMAL, 1)


@pytest.mark.parametrize("is_between", [False, True])
def test_who_gives_up_the_match_loses_it_in_a_deal_and_between_deals(is_between):
    match = make_table()
    if is_between:
        play_deal(match)
    play.resign(match=match, seat=1, deal=1, scope="match")
    found = now(match).match
    assert (found.state, found.termination, found.winner_side) == (MatchState.FINISHED, MatchEnd.RESIGN, 0)
    before = rows(match)
    play.resign(match=match, seat=1, deal=1, scope="match")
    assert rows(match) == before
    refused("match_over", match, play.resign, seat=0, deal=1, scope="match")


def test_with_a_person_as_partner_giving_up_needs_both_before_the_next_card():
    match = play_cards(make_table(rules="n=4"), 3)
    assert play.resign(match=match, seat=0, deal=1, scope="deal")["is_offer"] is True
    again = Match.objects.get(pk=match.pk)
    assert state(again, 2)["offers"] == {"0": "deal"}
    assert "offers" not in state(again, 1)
    assert "offers" not in state(again)
    play_card(match)
    assert play.resign(match=match, seat=2, deal=1, scope="deal")["is_offer"] is True
    assert play.resign(match=match, seat=0, deal=1, scope="match")["is_offer"] is True
    assert play.resign(match=match, seat=0, deal=1, scope="deal")["is_offer"] is False
    found = now(match)
    assert found.row is not None
    assert (found.row.termination, found.row.winner_side, found.match.state) == (DealEnd.RESIGN, 1, MatchState.PLAYING)


def test_a_bot_as_partner_agrees():
    match = make_table(rules="n=4")
    people = [seat.player for seat in match.seats.select_related("player")]
    table = make_table(people[0], people[1], make_version(), people[3], rules="n=4")
    assert play.resign(match=table, seat=0, deal=1, scope="match")["is_offer"] is False
    assert now(table).match.winner_side == 1


# ---- calls and signs


def test_the_deal_is_called_with_more_than_60_points_on_the_own_turn():
    match = make_table(rules="n=2 format=deals:1 stop_at_61=claim")
    refused("not_your_turn", match, play.call, seat=now(match).turn == 0, deal=1, ply=0)
    refused("claim_too_low", match, play.call, seat=now(match).turn, deal=1, ply=0)
    while True:
        play_cards(match, 1)
        found = now(match)
        assert found.deal is not None
        if not found.deal.table and max(found.deal.side_points) > 60:
            break
    leader = found.deal.side_points.index(max(found.deal.side_points))
    while now(match).turn != leader or now(match).deal.table:  # type: ignore[union-attr]
        play_card(match)
    ply = len(now(match).deal.plays)  # type: ignore[union-attr]
    play.call(match=match, seat=leader, deal=1, ply=ply)
    found = now(match)
    assert found.row is not None
    assert (found.row.termination, found.match.winner_side) == (DealEnd.CLAIM, leader)
    before = rows(match)
    play.call(match=match, seat=leader, deal=1, ply=ply)
    assert rows(match) == before
    bundle = records.bundle(found.match, None)
    assert bundle is not None
    assert verify_match(bundle) == []


def test_other_rules_know_no_call():
    match = make_table()
    refused("claim_not_allowed", match, play.call, seat=now(match).turn, deal=1, ply=0)


def test_a_sign_is_seen_by_the_whole_table_once_a_trick():
    match = make_table(rules="n=4 signals=signs signs_from=1")
    turn = now(match).turn
    play.make_sign(match=match, seat=turn, deal=1, ply=0, code="K")
    for viewer in (None, 0, 1, 2, 3):
        assert state(Match.objects.get(pk=match.pk), viewer)["signs"] == [{"seat": turn, "ply": 0, "code": "K"}]
    before = rows(match)
    play.make_sign(match=match, seat=turn, deal=1, ply=0, code="K")
    assert rows(match) == before
    refused("signal.not_allowed", match, play.make_sign, seat=turn, deal=1, ply=0, code="A")
    assert refused("signal.code", match, play.make_sign, seat=turn, deal=1, ply=0, code="Z").status == 422
    refused("stale", match, play.make_sign, seat=turn, deal=1, ply=1, code="A")
    early = make_table(rules="n=4 signals=signs")
    refused("signal.too_early", early, play.make_sign, seat=0, deal=1, ply=0, code="A")
    plain = make_table(rules="n=4")
    refused("signal.not_allowed", plain, play.make_sign, seat=0, deal=1, ply=0, code="A")


# ---- faults of bots


def test_the_second_fault_of_a_bot_loses_the_match():
    match = make_table(make_version(), rules="n=2 format=first_to:3")
    for deal in (1, 2):
        while now(match).turn != 0:
            play_card(match)
        ply = len(now(match).deal.plays)  # type: ignore[union-attr]
        assert play.lose_by_fault(match=match, seat=0, deal=deal, ply=ply, kind=DealEnd.CRASH)
        assert not play.lose_by_fault(match=match, seat=0, deal=deal, ply=ply, kind=DealEnd.CRASH)
        if deal == 1:
            assert now(match).match.score == [0, 1]
            everybody_ready(match)
    found = now(match).match
    assert (found.state, found.termination, found.winner_side) == (MatchState.FINISHED, MatchEnd.FAULT, 1)


# ---- the same thing at the same time, over connections of their own


def _at_once(count: int, work: Any) -> list[Any]:
    def one(number: int) -> Any:
        try:
            return work(number)
        except TableError as error:
            return error.code
        finally:
            connections.close_all()

    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(one, range(count)))


@pytest.mark.django_db(transaction=True)
def test_two_tabs_that_play_the_same_card_at_once_play_it_once():
    match = make_table(clock="180+5")
    for _ in range(6):
        found = now(match)
        assert found.deal is not None
        assert found.turn is not None
        asked = {"seat": found.turn, "deal": 1, "ply": len(found.deal.plays), "card": card_code(found.deal.legal()[0])}
        one, two = _at_once(2, lambda _, asked=asked: play.play(match=match, **asked))
        assert one == two
        assert isinstance(one, dict)
        assert len(now(match).deal.plays) == asked["ply"] + 1  # type: ignore[union-attr]


@pytest.mark.django_db(transaction=True)
def test_of_twenty_threads_with_three_cards_one_card_is_played():
    match = make_table()
    found = now(match)
    assert found.deal is not None
    assert found.turn is not None
    hand = [card_code(card) for card in found.deal.legal()]
    turn = found.turn

    def work(number: int) -> Any:
        return play.play(match=match, seat=turn, deal=1, ply=0, card=hand[number % 3])

    answers = _at_once(20, work)
    played = [answer for answer in answers if isinstance(answer, dict)]
    assert len({answer["card"] for answer in played}) == 1
    assert all(answer == played[0] for answer in played)
    assert {answer for answer in answers if not isinstance(answer, dict)} == {"stale"}
    found = now(match)
    assert found.row is not None
    assert found.row.plays == played[0]["card"]
    assert found.match.live_seq == 2


@pytest.mark.django_db(transaction=True)
def test_a_deal_that_everybody_starts_at_once_starts_once():
    match = play_deal(make_table())
    _at_once(8, lambda number: play.ready(match=match, seat=number % 2, deal=2))
    assert list(match.deals.values_list("number", flat=True)) == [1, 2]


@pytest.mark.django_db(transaction=True)
def test_sweeps_at_the_same_time_begin_a_deal_once_while_a_card_is_played_elsewhere():
    match, other = play_deal(make_table()), make_table()
    Deal.objects.filter(match=match).update(finished_at=timezone.now() - timedelta(seconds=21))
    Match.objects.filter(pk__in=(match.pk, other.pk)).update(wake_at=timezone.now())
    card = card_code(now(other).deal.legal()[0])  # type: ignore[union-attr]
    turn = now(other).turn

    def work(number: int) -> Any:
        if number == 0:
            return play.play(match=other, seat=turn, deal=1, ply=0, card=card)
        return clock.wake_due()

    answers = _at_once(6, work)
    assert answers[0]["card"] == card
    assert list(match.deals.values_list("number", flat=True)) == [1, 2]
    assert now(match).match.live_seq == match.live_seq + 1
    assert now(other).row.plays == card  # type: ignore[union-attr]


def test_a_clock_that_makes_no_sense_makes_no_match():
    for code in ("", "180", "0+5", "180+5+1", "180+x", "999999+1"):
        with pytest.raises(BadMatch) as error:
            make_table(clock=code)
        assert error.value.code == "match.clock"
    assert Match.objects.count() == 0
