"""Reports: each counts once, in its order, for its own run."""

import json
from dataclasses import replace
from uuid import uuid4

import pytest

from bots import doorbell
from bots.arena import names
from bots.arena.reports import MatchReport, Refused
from bots.models import Fault, RunState
from bots.services import dispatch, ringing
from bots.services.runs import Verdict, receive, receive_many, stop
from bots.services.runs.lines import lease_lost
from games.engine import verify
from games.models import Heartbeat, MatchEnd, MatchState
from games.selectors import records
from games.services import heartbeats, matches
from tests.bots.honest_worker import Worker, send
from tests.bots.runs_fixtures import queued, snapshot, worker_of
from tests.factories import make_bot_match

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clean_valkey")]


def test_a_match_is_played_from_its_reports():
    heartbeats.forget()
    match, worker = queued()
    answers = [send(report) for report in worker.play()]

    assert {answer.verdict for answer in answers} == {Verdict.ACCEPTED}
    match.refresh_from_db()
    assert match.state == MatchState.FINISHED
    assert match.termination == MatchEnd.NORMAL
    assert match.winner_side == worker.score.winner_side
    assert match.score == list(worker.score.wins)
    assert match.finish_seq is not None
    assert match.deals.count() == worker.score.deals
    run = match.runs.get()
    assert (run.state, run.nonce, run.worker) == (RunState.DONE, worker.nonce, worker.name)
    assert run.next_seq == worker.score.deals + 2
    assert Heartbeat.objects.get(role="arena").name == worker.name


def test_the_record_of_a_match_played_from_reports_verifies():
    match, worker = queued()
    receive_many([_text(report) for report in worker.play()])
    match.refresh_from_db()

    assert verify.verify_match(records.bundle(match, None)) == []


def test_reports_of_many_matches_are_stored_together():
    workers = []
    made = [make_bot_match() for _ in range(6)]
    assert dispatch.fill() == 6
    for number, match in enumerate(made):
        workers.append(worker_of(match, nonce=f"nonce-{number:04}"))
    played = [worker.play() for worker in workers]
    mixed = [
        report for step in range(max(map(len, played))) for reports in played for report in reports[step : step + 1]
    ]

    answers = receive_many([_text(report) for report in mixed])

    assert {answer.verdict for answer in answers} == {Verdict.ACCEPTED}
    assert [answer.seq for answer in answers] == [report.seq for report in mixed]
    for match, worker in zip(made, workers, strict=True):
        match.refresh_from_db()
        assert (match.state, match.score) == (MatchState.FINISHED, list(worker.score.wins))
        assert list(match.deals.values_list("number", flat=True)) == list(range(1, worker.score.deals + 1))


def test_the_number_of_queries_does_not_grow_with_the_reports(django_assert_num_queries):
    def batch(count):
        made = [make_bot_match() for _ in range(count)]
        dispatch.fill()
        return [_text(report) for match in made for report in worker_of(match).play()]

    few, many = batch(2), batch(6)
    heartbeats.forget()
    with django_assert_num_queries(QUERIES):
        receive_many(few)
    heartbeats.forget()
    with django_assert_num_queries(QUERIES):
        receive_many(many)


#: Savepoint and its release, lock timeout, locks, runs, seats, versions; runs, order, matches, deals, their logs,
#: heartbeat.
QUERIES = 13


@pytest.mark.parametrize("position", [0, 1, -1])
def test_a_second_report_of_the_same_kind_gets_the_same_answer_and_changes_nothing(position):
    match, worker = queued()
    reports = worker.play()
    first = [send(report) for report in reports]
    before = snapshot(match)

    assert send(reports[position]) == first[position]
    assert snapshot(match) == before


def test_a_report_that_comes_twice_in_one_batch_counts_once():
    match, worker = queued()
    reports = worker.play()
    answers = receive_many([_text(report) for report in reports for _ in range(2)])

    assert answers[::2] == answers[1::2]
    match.refresh_from_db()
    assert match.deals.count() == worker.score.deals


def test_a_gap_is_refused_and_the_missing_report_may_still_come():
    match, worker = queued()
    started, first, *rest = worker.play()
    send(started)
    before = snapshot(match)

    assert send(rest[0]).verdict is Verdict.GAP
    assert snapshot(match) == before
    assert [send(report).verdict for report in (first, *rest)] == [Verdict.ACCEPTED] * (len(rest) + 1)


def test_an_unknown_run_is_stale():
    match, worker = queued()
    before = snapshot(match)
    stranger = replace(worker.started(), run_id=str(uuid4()))

    assert send(stranger).verdict is Verdict.STALE
    assert snapshot(match) == before


def test_another_nonce_than_the_first_is_stale():
    match, worker = queued()
    send(worker.started())
    before = snapshot(match)
    other = Worker(job=worker.job, nonce="fedcba9876543210")
    other.seq = 1

    assert send(other.deal()).verdict is Verdict.STALE
    assert snapshot(match) == before


def test_a_run_that_another_delivery_holds_cannot_be_begun():
    match, worker = queued()
    before = snapshot(match)
    thief = Worker(job=worker.job, nonce="fedcba9876543210")

    assert send(thief.started()).verdict is Verdict.STALE
    assert snapshot(match) == before
    assert send(worker.started()).verdict is Verdict.ACCEPTED


def test_reports_after_the_end_are_stale():
    match, worker = queued()
    for report in worker.play():
        send(report)
    before = snapshot(match)
    late = replace(worker.end(), seq=worker.seq + 1)

    assert send(late).verdict is Verdict.STALE
    assert snapshot(match) == before


def test_a_lost_lease_is_played_on_by_another_run():
    match, worker = queued()
    send(worker.started())
    send(worker.deal())
    worker.lose_lease()

    assert receive(lease_lost(worker.job.run_id)).verdict is Verdict.ACCEPTED
    match.refresh_from_db()
    assert match.state == MatchState.QUEUED
    lost, fresh = match.runs.order_by("pk")
    assert (lost.state, fresh.state, fresh.attempt) == (RunState.LOST, RunState.QUEUED, 1)
    assert doorbell.valkey().exists(names.stop_key(worker.job.run_id))
    assert send(worker.deal()).verdict is Verdict.STALE

    second = worker_of(match, nonce="second-nonce")
    assert [done.deal for done in second.job.done] == [1]
    for report in second.play():
        assert send(report).verdict is Verdict.ACCEPTED
    match.refresh_from_db()
    assert match.state == MatchState.FINISHED
    assert match.deals.count() == second.score.deals
    assert verify.verify_match(records.bundle(match, None)) == []


def test_a_lease_that_is_held_again_is_not_lost():
    match, worker = queued()
    send(worker.started())
    before = snapshot(match)

    assert receive(lease_lost(worker.job.run_id)).verdict is Verdict.STALE
    assert snapshot(match) == before


def test_the_last_reports_come_before_the_lease_that_ended_with_them():
    match, worker = queued()
    reports = worker.play()
    worker.finish()

    answers = receive_many([*map(_text, reports), json.dumps(lease_lost(worker.job.run_id))])
    assert [answer.verdict for answer in answers] == [Verdict.ACCEPTED] * len(reports) + [Verdict.STALE]
    match.refresh_from_db()
    assert match.state == MatchState.FINISHED


def test_a_match_is_void_after_three_losses_at_the_same_deal():
    match, worker = queued()
    for attempt in range(3):
        assert worker.job.attempt == attempt
        send(worker.started())
        worker.lose_lease()
        receive(lease_lost(worker.job.run_id))
        if attempt < 2:
            worker = worker_of(match, nonce=f"attempt-{attempt}")
    match.refresh_from_db()
    assert (match.state, match.termination, match.void_reason) == (MatchState.VOID, MatchEnd.VOID, "infrastructure")
    assert not match.runs.filter(state__in=(RunState.QUEUED, RunState.PLAYING)).exists()


def test_a_reported_deal_counts_losses_anew():
    match, worker = queued()
    for attempt in range(4):
        send(worker.started())
        if attempt == 1:
            send(worker.deal())
        worker.lose_lease()
        receive(lease_lost(worker.job.run_id))
        worker = worker_of(match, nonce=f"attempt-{attempt}") if attempt < 3 else worker
        assert worker.job.attempt == (1, 1, 2, 2)[attempt]
    match.refresh_from_db()
    assert match.state == MatchState.VOID
    assert match.deals.count() == 1


def test_what_is_given_back_is_queued_again_without_blame():
    match, worker = queued()
    send(worker.started())
    send(worker.deal())
    assert send(worker.returned()).verdict is Verdict.ACCEPTED

    match.refresh_from_db()
    assert match.state == MatchState.QUEUED
    given_back, fresh = match.runs.order_by("pk")
    assert (given_back.state, given_back.reason) == (RunState.STOPPED, "time")
    assert (fresh.state, fresh.attempt) == (RunState.QUEUED, 0)


def test_a_match_that_was_never_begun_can_be_given_back():
    match, worker = queued()
    assert send(worker.returned("drain")).verdict is Verdict.ACCEPTED
    match.refresh_from_db()
    assert match.state == MatchState.QUEUED
    assert match.runs.count() == 2


def test_a_job_that_the_arena_cannot_do_is_tried_three_times():
    match, worker = queued()
    for attempt in range(3):
        refused = Refused(run_id=worker.job.run_id, nonce=worker.nonce, seq=0, reason="no_files", detail="gone")
        assert send(refused).verdict is Verdict.ACCEPTED
        if attempt < 2:
            worker = worker_of(match, nonce=f"attempt-{attempt}")
    match.refresh_from_db()
    assert match.state == MatchState.VOID
    assert list(match.runs.values_list("state", "attempt").order_by("pk")) == [
        ("refused", 0),
        ("refused", 1),
        ("refused", 2),
    ]


def test_no_work_is_handed_out_while_the_arena_refuses_everything():
    for _ in range(ringing.MOST_REFUSALS):
        ringing.note_refusal()
    make_bot_match()
    assert dispatch.fill() == 0
    doorbell.valkey().flushdb()
    assert dispatch.fill() == 1


def test_a_stopped_match_waits_again_and_its_reports_are_stale():
    match, worker = queued()
    send(worker.started())
    send(worker.deal())
    stop(match=match, reason="paused")

    match.refresh_from_db()
    assert match.state == MatchState.PLANNED
    assert match.deals.count() == 1
    before = snapshot(match)
    assert send(worker.deal()).verdict is Verdict.STALE
    assert snapshot(match) == before
    assert doorbell.valkey().exists(names.stop_key(worker.job.run_id))


def test_a_held_match_that_waits_leaves_the_arena_at_once():
    match, worker = queued()
    matches.hold(matches=[match])
    match.refresh_from_db()
    assert (match.state, match.on_hold) == (MatchState.PLANNED, True)
    assert match.runs.get().state == RunState.STOPPED
    assert dispatch.fill() == 0
    assert send(worker.started()).verdict is Verdict.STALE

    matches.release_hold(matches=[match])
    assert dispatch.fill() == 1


def test_a_held_match_in_play_ends_its_deal():
    match, worker = queued()
    send(worker.started())
    matches.hold(matches=[match])
    assert doorbell.valkey().exists(names.stop_key(worker.job.run_id))
    assert send(worker.deal()).verdict is Verdict.ACCEPTED
    assert send(worker.returned("stop")).verdict is Verdict.ACCEPTED

    match.refresh_from_db()
    assert match.state == MatchState.PLANNED
    assert match.deals.count() == 1
    matches.release_hold(matches=[match])
    assert dispatch.fill() == 1
    assert worker_of(match, nonce="after-the-pause").job.attempt == 0


def test_a_void_match_is_not_played_on():
    match, worker = queued()
    send(worker.started())
    matches.void(match=match, reason="wrong version")
    before = snapshot(match)
    assert match.runs.get().state == RunState.STOPPED
    assert send(worker.deal()).verdict is Verdict.STALE
    assert snapshot(match) == before


def test_a_fault_gives_the_deal_to_the_other_side_and_is_kept():
    match, worker = queued()
    send(worker.started())
    report = worker.deal(fault_after=7, kind="crash")
    assert send(report).verdict is Verdict.ACCEPTED

    deal = match.deals.get()
    seat = report.faults[0].seat
    assert (deal.termination, deal.fault_seat, deal.winner_side) == ("crash", seat, 1 - seat)
    assert len(deal.plays) == 14
    fault = Fault.objects.get()
    assert (fault.deal, fault.seat, fault.kind, fault.ply, fault.stderr_tail) == (deal, seat, "crash", 7, "log")
    assert fault.version.bot.player == match.seats.get(index=seat).player


def test_a_second_faulty_deal_of_a_seat_loses_the_match():
    match, worker = queued()
    reports = [worker.started(), worker.deal(fault_after=-1, kind="crash"), worker.deal(fault_after=-1, kind="crash")]
    assert worker.is_over
    reports.append(worker.end())
    assert [send(report).verdict for report in reports] == [Verdict.ACCEPTED] * 4

    match.refresh_from_db()
    assert (match.state, match.termination, match.winner_side) == (MatchState.FINISHED, MatchEnd.FAULT, 1)
    assert match.score == [0, 2]
    assert verify.verify_match(records.bundle(match, None)) == []


def test_a_match_of_two_bots_that_do_not_start_is_void():
    match, worker = queued()
    send(worker.started())
    report = MatchReport(
        run_id=worker.job.run_id, nonce=worker.nonce, seq=1, outcome=None, termination="void", score=(0, 0), deals=0,
        reason="faults", faults=(worker.start_fault(0), worker.start_fault(1)),
    )  # fmt: skip
    assert send(report).verdict is Verdict.ACCEPTED
    match.refresh_from_db()
    assert (match.state, match.void_reason) == (MatchState.VOID, "faults")
    assert sorted(Fault.objects.values_list("seat", "deal")) == [(0, None), (1, None)]


def test_a_broken_machine_is_tried_again_elsewhere():
    match, worker = queued()
    send(worker.started())
    report = MatchReport(
        run_id=worker.job.run_id, nonce=worker.nonce, seq=1, outcome=None, termination="void", score=(0, 0), deals=0,
        reason="infrastructure: spawn",
    )  # fmt: skip
    assert send(report).verdict is Verdict.ACCEPTED
    match.refresh_from_db()
    assert match.state == MatchState.QUEUED
    assert list(match.runs.order_by("pk").values_list("state", "attempt")) == [("lost", 0), ("queued", 1)]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"type":"deal"}', "x" * 300_000, '{"type":"deal","run_id":"no"}']
)
def test_what_is_no_report_is_answered_and_changes_nothing(text):
    match, _ = queued()
    before = snapshot(match)
    assert receive(text).verdict is Verdict.SCHEMA
    assert snapshot(match) == before


def _text(report) -> str:
    return json.dumps(report.to_dict())
