"""Bots at tables of people: asked once a card, asked again when no answer comes, believed after the engine's check."""

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from bots import events as bot_events
from bots.arena.reports import Refused, Returned
from bots.models import DealLog, Fault, MovePurpose, MoveRun, MoveState
from bots.services import moves
from bots.services.runs import receive, receive_many
from games.engine import card_code
from games.models import Deal, Match, MatchEnd, MatchState
from games.selectors.state import state
from games.services import clock, play, practice
from games.streams import presence
from tests.bots.movers import Mover, bots_play, mover, open_runs
from tests.bots.runs_fixtures import queued
from tests.factories import make_human, make_version
from tests.games.tables import everybody_ready, make_practice, make_table, now, play_card

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clean_valkey")]


def against_bot(**fields: Any) -> Match:
    """A table at which the bot of seat 0 is on turn."""
    while True:
        match = make_table(make_version(), seed=None, **fields)
        if now(match).turn == 0:
            return match


def rows(match: Match) -> list[dict[str, Any]]:
    found = [*Match.objects.filter(pk=match.pk).values()]
    for model in (Deal, MoveRun, Fault):
        found += model.objects.filter(match=match).order_by("pk").values()
    return found


# ---- asking


def test_a_bot_is_asked_when_its_turn_comes_and_nobody_else():
    match = against_bot()
    (run,) = open_runs(match)
    assert (run.deal, run.ply, run.seat, run.attempt, run.bank_us) == (1, 0, 0, 0, 3_000_000)
    assert run.version == match.seats.get(index=0).bot_seat.version
    people = make_table()
    play_card(people)
    assert open_runs(people) == []


def test_the_job_holds_what_the_seat_may_know_and_no_seed():
    match = make_table(make_version(), rules="n=4 signals=signs signs_from=1")
    while now(match).turn != 0:
        turn = now(match).turn
        play.make_sign(match=match, seat=turn, deal=1, ply=len(now(match).deal.plays), code="K")
        play_card(match)
    worker = mover(match)
    sent = str(worker.job.to_dict())
    assert bytes(match.seed).hex() not in sent
    found = now(match)
    hidden = [card_code(card) for seat in (1, 2, 3) for card in found.deal.hands[seat]]
    hidden += [card_code(card) for card in found.deal.stock[:-1]]
    assert not [card for card in hidden if f'"{card}"' in worker.job.request]
    assert worker.request["hand"] == [card_code(card) for card in found.deal.hands[0]]
    assert worker.request["signs"] == found.row.signs


def test_a_bot_plays_and_is_asked_again_at_its_next_turn():
    match = against_bot()
    worker = mover(match)
    assert worker.tell(worker.started(), worker.card(bank_left_us=2_500_000, note="tengo il tre")) == ["accepted"] * 2
    found = now(match)
    assert (found.row.plays, found.row.think_ms, found.turn) == (worker.request["legal"][0], [3], 1)
    run = MoveRun.objects.get()
    assert (run.state, run.note, run.cpu_us, run.worker) == (MoveState.DONE, "tengo il tre", 900, "test/moves/0")
    play_card(match)
    if now(match).turn == 1:
        play_card(match)
    assert mover(match).run.bank_us == 2_500_000
    assert mover(match).request["clock"] == {"bank_cpu_ms": 2_500}


def test_a_bank_is_full_again_in_the_next_deal_and_goes_on_when_the_bot_leads_after_its_own_card():
    match = against_bot(rules="n=2 format=first_to:2")
    left = 3_000_000
    while now(match).in_play is not None:
        if now(match).turn == 1:
            play_card(match)
            continue
        worker = mover(match)
        assert worker.run.bank_us == left
        left -= 1_000
        assert worker.tell(worker.started(), worker.card(bank_left_us=left)) == ["accepted"] * 2
    everybody_ready(match)
    if now(match).turn == 1:
        play_card(match)
    assert mover(match).run.bank_us == 3_000_000


def test_a_whole_match_of_a_person_and_a_bot_leaves_its_logs():
    match = against_bot(rules="n=2 format=deals:1")
    while now(match).in_play is not None:
        if not bots_play(match):
            play_card(match)
    assert Match.objects.get(pk=match.pk).state == MatchState.FINISHED
    assert MoveRun.objects.filter(match=match, state=MoveState.DONE).count() == 20
    log = DealLog.objects.get(deal__match=match)
    assert (len(log.cpu_us), sum(log.cpu_us), sum(log.wall_us)) == (40, 20 * 900, 20 * 2_600)


def test_three_bots_and_a_person_play_a_deal():
    match = make_table(make_version(), make_human(), make_version(), make_version(), rules="n=4 format=deals:1")
    while now(match).in_play is not None:
        if not bots_play(match):
            play_card(match)
    assert MoveRun.objects.filter(match=match, state=MoveState.DONE).count() == 30


# ---- reports that change nothing


def test_a_report_again_gets_the_same_answer_and_changes_nothing():
    match = against_bot()
    worker = mover(match)
    reports = (worker.started(), worker.card())
    answers = [worker.answer(report) for report in reports]
    before = rows(match)
    assert [worker.answer(report) for report in reports] == answers
    assert rows(match) == before


def test_a_card_comes_before_the_matches_of_bots_and_every_report_gets_its_own_answer():
    _, arena = queued()
    match = against_bot()
    worker = mover(match)
    of_bots = [json.dumps(report.to_dict()) for report in arena.play()]
    of_card = [json.dumps(report.to_dict()) for report in (worker.started(), worker.card())]
    answers = receive_many([*of_bots[:2], of_card[0], "no report", *of_bots[2:], of_card[1]])
    expected = ["accepted", "accepted", "accepted", "report.schema", *["accepted"] * (len(of_bots) - 2), "accepted"]
    assert [str(answer.verdict) for answer in answers] == expected
    assert now(match).row.plays == worker.request["legal"][0]
    assert answers[-1].run_id == str(worker.run.run_id)


def test_reports_out_of_order_of_others_and_of_nobody_change_nothing():
    match = against_bot()
    worker = mover(match)
    before = rows(match)
    assert worker.tell(worker.card()) == ["run.gap"]
    other = Mover(run=worker.run, nonce="fedcba9876543210")
    assert other.tell(other.started()) == ["run.stale"]
    assert rows(match) == before
    worker.tell(worker.started())
    before = rows(match)
    assert other.tell(other.started(), other.card()) == ["run.stale"] * 2
    assert worker.tell(worker.card(seq=5)) == ["run.gap"]
    unknown = replace(worker.card(), run_id="01234567-89ab-cdef-0123-456789abcdef")
    assert worker.tell(unknown) == ["run.stale"]
    assert rows(match) == before


@pytest.mark.parametrize("how", ["resign", "match", "undo"])
def test_a_report_for_a_position_that_is_past_is_stale(how):
    match = make_practice() if how == "undo" else against_bot()
    seat = 0 if how == "undo" else 1
    if how == "undo":
        if now(match).turn != 0:
            bots_play(match)
        play_card(match)
        while now(match).turn == 0:
            play_card(match)
    worker = mover(match)
    assert worker.tell(worker.started()) == ["accepted"]
    if how == "undo":
        practice.undo(match=match, seat=0, deal=1, ply=len(now(match).deal.plays))
    else:
        play.resign(match=match, seat=seat, deal=1, scope="deal" if how == "resign" else "match")
    assert MoveRun.objects.get(pk=worker.run.pk).state == MoveState.STALE
    before = rows(match)
    assert worker.tell(worker.card(), worker.card()) == ["run.stale"] * 2
    assert rows(match) == before


def test_after_an_undo_the_bot_is_asked_anew_at_the_same_ply():
    match = make_practice(seed=None)
    bots_play(match)
    play_card(match)
    ply = len(now(match).deal.plays)
    first = mover(match) if now(match).turn == 1 else None
    practice.undo(match=match, seat=0, deal=1, ply=ply)
    assert open_runs(match) == []
    play_card(match, card_code(now(match).deal.legal()[1]))
    if first is not None and now(match).turn == 1:
        second = mover(match)
        assert (second.run.ply, second.run.pk != first.run.pk) == (first.run.ply, True)
        assert first.tell(first.started(), first.card()) == ["run.stale"] * 2


# ---- lies


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"card": "foreign"}, "move.card"),
        ({"bank_left_us": 3_000_001}, "move.bank"),
        ({"cpu_us": 9_000_000}, "move.times"),
        ({"wall_us": 60_000_000}, "move.times"),
    ],
)
def test_what_cannot_be_true_is_refused_and_asked_again(change, code):
    match = against_bot()
    worker = mover(match)
    if change.get("card"):
        change = {"card": card_code(now(match).deal.hands[1][0])}
    assert worker.tell(worker.started(), worker.card(**change)) == ["accepted", "run.refused"]
    assert now(match).row.plays == ""
    run = MoveRun.objects.get(pk=worker.run.pk)
    assert (run.state, run.reason) == (MoveState.LOST, f"refused: {code}")
    again = mover(match)
    assert again.run.attempt == 1
    assert again.tell(again.started(), again.card()) == ["accepted"] * 2


def test_a_card_before_the_word_that_it_began_is_refused():
    match = against_bot()
    worker = mover(match)
    assert worker.tell(worker.card(seq=0)) == ["run.refused"]
    assert now(match).row.plays == ""


@pytest.mark.parametrize(
    "change",
    [
        {"request": "{}"}, {"request_sha256": "0" * 64}, {"seat": 1}, {"ply": 7}, {"ply": None}, {"kind": "illegal"},
    ],
)  # fmt: skip
def test_a_fault_that_cannot_be_is_nobody_s(change):
    match = against_bot()
    worker = mover(match)
    assert worker.tell(worker.started(), worker.fault(**change)) == ["accepted", "run.refused"]
    assert now(match).match.score == [0, 0]
    assert Fault.objects.count() == 0


# ---- faults


def test_a_fault_loses_the_deal_and_the_second_one_the_match():
    match = against_bot(rules="n=2 format=first_to:3")
    for deal in (1, 2):
        while now(match).turn == 1:
            play_card(match)
        worker = mover(match)
        assert worker.tell(worker.started(), worker.fault()) == ["accepted"] * 2
        assert worker.tell(worker.started(), worker.fault()) == ["accepted"] * 2
        assert now(match).row.termination == "crash"
        if deal == 1:
            assert now(match).match.score == [0, 1]
            everybody_ready(match)
    found = now(match).match
    assert (found.termination, found.winner_side) == (MatchEnd.FAULT, 1)
    assert list(Fault.objects.order_by("number").values_list("number", "seat", "kind", "deal__number")) == [
        (1, 0, "crash", 1),
        (2, 0, "crash", 2),
    ]


# ---- our own faults


def test_what_of_ours_failed_is_asked_again_at_once_and_then_told():
    match = against_bot()
    for attempt in range(3):
        worker = mover(match)
        assert worker.run.attempt == attempt
        assert worker.tell(worker.started(), worker.trouble()) == ["accepted"] * 2
    assert open_runs(match) == []
    assert now(match).match.score == [0, 0]
    assert Fault.objects.count() == 0
    with time_machine.travel(timezone.now() + timedelta(seconds=9), tick=True):
        assert clock.wake_due() == 1
        found = Match.objects.get(pk=match.pk)
        assert found.pause == "silent"
        assert state(found)["seats"][0]["present"] is False
        assert open_runs(match) == []
    with time_machine.travel(timezone.now() + timedelta(seconds=32), tick=True):
        clock.wake_due()
        worker = mover(match)
        assert worker.tell(worker.started(), worker.card()) == ["accepted"] * 2
        assert Match.objects.get(pk=match.pk).pause == ""


def test_without_an_answer_a_new_run_is_sent_three_times_then_each_half_minute_and_after_long_it_is_parked():
    heard: list[object] = []
    bot_events.subscribe(bot_events.BotSilent, function=heard.append)
    match = against_bot(clock="180+5")
    begin = timezone.now()
    sent = []
    for second in range(0, 700, 4):
        with time_machine.travel(begin + timedelta(seconds=second), tick=True):
            presence.touch(match.code, 1)
            clock.wake_due()
            sent.append((second, MoveRun.objects.filter(match=match).count(), Match.objects.get(pk=match.pk).pause))
            if sent[-1][2] == "parked":
                break
    second, third, fourth = (next(at for at, count, _ in sent if count == wanted) for wanted in (2, 3, 4))
    assert 8 <= second <= 12
    assert 8 <= third - second <= 12
    assert 30 <= fourth - third <= 40
    assert third < next(at for at, _, pause in sent if pause == "silent") < fourth
    assert 600 <= sent[-1][0] <= 612
    assert len(open_runs(match)) <= 1
    assert [event.match_id for event in heard] == [match.pk]  # type: ignore[attr-defined]
    assert now(match).match.state == MatchState.PLAYING
    with time_machine.travel(begin + timedelta(hours=5), tick=True):
        play.come_back(match=match, seat=1)
        assert Match.objects.get(pk=match.pk).pause == ""
        worker = mover(match)
        assert worker.run.attempt == 0
        assert worker.tell(worker.started(), worker.card()) == ["accepted"] * 2


def test_what_the_arena_gives_back_or_refuses_is_asked_again():
    match = against_bot()
    worker = mover(match)
    returned = Returned(run_id=str(worker.run.run_id), nonce=worker.nonce, seq=0, next_deal=1, reason="drain")
    assert worker.tell(returned) == ["accepted"]
    worker = mover(match)
    refused = Refused(run_id=str(worker.run.run_id), nonce=worker.nonce, seq=0, reason="no_files")
    assert worker.tell(refused) == ["accepted"]
    assert mover(match).run.attempt == 2


def test_a_broken_line_of_a_run_changes_nothing():
    match = against_bot()
    worker = mover(match)
    before = rows(match)
    line = f'{{"type":"move","run_id":"{worker.run.run_id}","nonce":"{worker.nonce}","seq":"x"}}'
    assert str(receive(line).verdict) == "report.schema"
    assert str(receive(f'{{"type":"lease_lost","run_id":"{worker.run.run_id}"}}').verdict) == "run.stale"
    assert rows(match) == before


# ---- hints


def test_a_hint_is_a_house_bot_s_card_with_a_reason_told_to_the_asker_alone(monkeypatch):
    match = make_practice()
    bots_play(match)
    ply = len(now(match).deal.plays)
    practice.ask_hint(match=match, seat=0, deal=1, ply=ply)
    practice.ask_hint(match=match, seat=0, deal=1, ply=ply)
    worker = mover(match, MovePurpose.HINT)
    assert (worker.run.version, worker.job.bot.sha256) == (None, moves.hint_archive(now(match)).sha256)
    told: list[tuple[Any, ...]] = []
    from games import live

    publish = live.publish

    def spy(*args: Any) -> None:
        told.append(args[1:])
        publish(*args)

    monkeypatch.setattr(live, "publish", spy)
    before = [row for row in rows(match) if "live_seq" in row]
    assert worker.tell(worker.started(), worker.card()) == ["accepted"] * 2
    (hint,) = told
    kind, public, seats = hint
    assert (kind, public, list(seats)) == ("hint", {}, [0])
    assert {name: seats[0][name] for name in ("deal", "ply", "card")} == {
        "deal": 1, "ply": ply, "card": worker.request["legal"][0],
    }  # fmt: skip
    assert seats[0]["reason"] in practice.REASONS
    assert [row for row in rows(match) if "live_seq" in row] == before


def test_a_hint_that_comes_too_late_is_not_told():
    match = make_practice()
    bots_play(match)
    practice.ask_hint(match=match, seat=0, deal=1, ply=len(now(match).deal.plays))
    worker = mover(match, MovePurpose.HINT)
    play_card(match)
    assert worker.tell(worker.started()) == ["run.stale"]
