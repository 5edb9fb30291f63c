"""A worker that lies: nothing of what it says is stored, it is named, and the match is played again."""

import hashlib
import json
import logging
from collections.abc import Callable
from dataclasses import replace

import pytest

from bots import doorbell
from bots.arena import names
from bots.arena.reports import DealReport, MatchReport, Report
from bots.models import Fault, MatchRun, RunState
from bots.services.runs import Verdict, receive, receive_many
from bots.services.runs.lines import lease_lost
from games.engine import format_cards, parse_cards
from games.models import Deal, MatchState
from tests.bots.honest_worker import Worker, send
from tests.bots.runs_fixtures import queued, snapshot, worker_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clean_valkey")]


def _with_plays(report: DealReport, plays: tuple[int, ...]) -> DealReport:
    text = format_cards(plays)
    return replace(report, plays=text, plays_sha256=hashlib.sha256(text.encode()).hexdigest())


def other_points(worker: Worker) -> Report:
    report = worker.deal()
    return replace(report, points=tuple(reversed(report.points)) if len(set(report.points)) > 1 else (61, 59))


def other_winner(worker: Worker) -> Report:
    report = worker.deal()
    return replace(report, winner_side=1 if report.winner_side == 0 else 0)


def illegal_card(worker: Worker) -> Report:
    """The last card first: it is in nobody's hand yet."""
    report = worker.deal()
    plays = parse_cards(report.plays)
    return _with_plays(report, (plays[-1], *plays[1:-1], plays[0]))


def other_deck(worker: Worker) -> Report:
    """A true game, on the deck of another seed."""
    other = Worker(job=replace(worker.job, seed="ab" * 32), nonce=worker.nonce)
    other.seq = worker.seq
    return other.deal()


def other_number(worker: Worker) -> Report:
    return replace(worker.deal(), deal=2)


def unfinished_deal(worker: Worker) -> Report:
    report = worker.deal()
    return _with_plays(replace(report, think_cpu_us=(1,) * 38, think_wall_us=(1,) * 38), parse_cards(report.plays)[:-2])


def other_hash(worker: Worker) -> Report:
    return replace(worker.deal(), plays_sha256="0" * 64)


def too_long_thinking(worker: Worker) -> Report:
    report = worker.deal()
    return replace(report, think_cpu_us=(4_000_000, *report.think_cpu_us[1:]))


def too_long_waiting(worker: Worker) -> Report:
    report = worker.deal()
    return replace(report, think_wall_us=(1_200_000,) * len(report.think_wall_us))


def times_of_other_plays(worker: Worker) -> Report:
    report = worker.deal()
    return replace(report, think_cpu_us=report.think_cpu_us[:-1])


def forged_fault(worker: Worker) -> Report:
    """Blames the seat that is not on turn."""
    report = worker.deal(fault_after=8, kind="timeout")
    (fault,) = report.faults
    return replace(report, faults=(replace(fault, seat=1 - fault.seat),), winner_side=fault.seat)


def fault_for_another_request(worker: Worker) -> Report:
    report = worker.deal(fault_after=8, kind="timeout")
    return replace(report, faults=(replace(report.faults[0], request_sha256="0" * 64),))


def fault_that_shows_another_request(worker: Worker) -> Report:
    """The hash of the true request beside a line that would tell the owner something else."""
    report = worker.deal(fault_after=8, kind="timeout")
    fault = report.faults[0]
    return replace(report, faults=(replace(fault, request=fault.request.replace('"stock":', '"stock":9,"stock":')),))


def fault_whose_clock_says_more(worker: Worker) -> Report:
    report = worker.deal(fault_after=8, kind="timeout")
    fault = report.faults[0]
    changed = fault.request.replace('"clock":{', '"clock":{"deck":"AD",')
    return replace(report, faults=(replace(fault, request=changed),))


def legal_card_called_illegal(worker: Worker) -> Report:
    report = worker.deal(fault_after=8, kind="illegal")
    fault = report.faults[0]
    legal = fault.request.split('"legal":["')[1][:2]
    return replace(report, faults=(replace(fault, answer=f'{{"n":9,"card":"{legal}"}}'),))


def fault_at_another_ply(worker: Worker) -> Report:
    report = worker.deal(fault_after=8, kind="timeout")
    return replace(report, faults=(replace(report.faults[0], ply=9),))


def fault_after_the_end(worker: Worker) -> Report:
    report = worker.deal()
    return replace(report, termination="timeout", faults=(worker.start_fault(0, "timeout"),), winner_side=1)


def fault_kind_of_another(worker: Worker) -> Report:
    return replace(worker.deal(fault_after=8, kind="timeout"), termination="crash")


def faults_of_both_sides(worker: Worker) -> Report:
    report = worker.deal(fault_after=-1, kind="crash")
    return replace(report, faults=(worker.start_fault(0), worker.start_fault(1)))


def early_end(worker: Worker) -> Report:
    return replace(worker.end(), outcome=0, score=(2, 0), deals=2)


def end_by_faults(worker: Worker) -> Report:
    return replace(worker.end(), outcome=0, termination="fault")


def void_by_faults(worker: Worker) -> Report:
    return replace(worker.end(), outcome=None, termination="void", reason="faults", faults=(worker.start_fault(0),))


def return_of_another_deal(worker: Worker) -> Report:
    return replace(worker.returned(), next_deal=3)


LIES: dict[Callable[[Worker], Report], str] = {
    other_points: "deal.points",
    other_winner: "deal.winner",
    illegal_card: "deal.plays",
    other_deck: "deal.plays",
    other_number: "deal.number",
    unfinished_deal: "deal.points",
    other_hash: "deal.plays_sha256",
    too_long_thinking: "deal.times",
    too_long_waiting: "deal.times",
    times_of_other_plays: "deal.times",
    forged_fault: "fault.ply",
    fault_for_another_request: "fault.request",
    fault_that_shows_another_request: "fault.request",
    fault_whose_clock_says_more: "fault.request",
    legal_card_called_illegal: "fault.illegal",
    fault_at_another_ply: "fault.ply",
    fault_after_the_end: "deal.end",
    fault_kind_of_another: "deal.end",
    faults_of_both_sides: "fault.sides",
    early_end: "match.score",
    end_by_faults: "match.end",
    void_by_faults: "fault.sides",
    return_of_another_deal: "returned.deal",
}


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.__name__)
def test_a_lie_is_refused_and_the_match_is_played_again(lie, caplog):
    match, worker = queued(seed=bytes(range(32)))
    send(worker.started())
    told = lie(worker)

    with caplog.at_level(logging.WARNING):
        assert send(told).verdict is Verdict.REFUSED

    run = MatchRun.objects.get(run_id=worker.job.run_id)
    assert (run.state, run.reason, run.worker, run.next_seq) == (RunState.REFUSED, LIES[lie], worker.name, 1)
    match.refresh_from_db()
    assert (match.state, match.score) == (MatchState.QUEUED, [0, 0])
    assert not Deal.objects.exists()
    assert not Fault.objects.exists()
    assert match.runs.get(state=RunState.QUEUED).attempt == 1
    assert doorbell.valkey().exists(names.stop_key(worker.job.run_id))
    (line,) = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert "run.refused" in str(line.msg)
    assert worker.name in str(line.msg)

    before = snapshot(match)
    assert send(told).verdict is Verdict.REFUSED  # the same report again: the same answer
    assert snapshot(match) == before


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.__name__)
def test_the_report_behind_the_lie_is_accepted(lie):
    """Each lie is one change of a true report; without that change nothing is refused."""
    _, worker = queued(seed=bytes(range(32)))
    send(worker.started())
    kind = {"fault_kind_of_another": "timeout"}.get(lie.__name__, "timeout")
    truth = worker.deal() if "fault" not in lie.__name__ else worker.deal(fault_after=8, kind=kind)
    assert send(truth).verdict is Verdict.ACCEPTED


def test_an_illegal_card_is_believed_when_the_hand_does_not_hold_it():
    match, worker = queued()
    send(worker.started())
    assert send(worker.deal(fault_after=8, kind="illegal")).verdict is Verdict.ACCEPTED
    assert match.deals.get().termination == "illegal"


def test_a_weaker_sandbox_than_asked_for_is_refused():
    _, worker = queued()
    assert send(replace(worker.started(), tier="unsafe")).verdict is Verdict.REFUSED
    assert MatchRun.objects.get(run_id=worker.job.run_id).reason == "started.tier"


def test_a_deal_before_the_start_is_refused():
    match, worker = queued()
    worker.seq = 0
    assert send(worker.deal()).verdict is Verdict.REFUSED
    assert MatchRun.objects.get(run_id=worker.job.run_id).reason == "report.order"
    assert not match.deals.exists()


def test_a_report_under_the_run_of_another_match_is_refused():
    _, worker = queued()
    victim, other = queued()
    send(worker.started())
    send(replace(other.started(), nonce=other.nonce))
    report = replace(worker.deal(), run_id=other.job.run_id)

    assert send(report).verdict is Verdict.REFUSED
    assert not Deal.objects.exists()
    victim.refresh_from_db()
    assert victim.state == MatchState.QUEUED


def test_a_worker_with_an_expired_lease_changes_nothing():
    match, worker = queued()
    send(worker.started())
    worker.lose_lease()
    receive(lease_lost(worker.job.run_id))
    before = snapshot(match)

    assert worker.take_lease()  # as if the worker had woken up again
    for report in (worker.deal(), replace(worker.end(), seq=1), replace(worker.returned(), seq=1)):
        assert send(report).verdict is not Verdict.ACCEPTED
    assert snapshot(match) == before


def test_lines_that_are_no_reports_end_the_run_of_whoever_knows_its_nonce():
    _, worker = queued()
    send(worker.started())
    broken = worker.deal().to_dict() | {"points": "many"}

    assert receive(broken | {"nonce": "somebody-else"}).verdict is Verdict.SCHEMA
    assert MatchRun.objects.get(run_id=worker.job.run_id).state == RunState.PLAYING
    assert receive(broken).verdict is Verdict.SCHEMA
    assert MatchRun.objects.get(run_id=worker.job.run_id).state == RunState.REFUSED


def test_a_liar_does_not_spoil_the_reports_of_others():
    _, liar = queued()
    match, worker = queued()
    send(liar.started())
    lie = other_points(liar)
    true = worker.play()
    answers = receive_many([json.dumps(report.to_dict()) for report in (*true[:2], lie, *true[2:])])
    assert [answer.verdict for answer in answers].count(Verdict.REFUSED) == 1
    match.refresh_from_db()
    assert match.state == MatchState.FINISHED
    assert worker_of(MatchRun.objects.get(run_id=liar.job.run_id).match, nonce="next-worker").job.attempt == 1


def test_an_early_void_by_the_machine_cannot_end_a_match():
    match, worker = queued()
    send(worker.started())
    report = MatchReport(
        run_id=worker.job.run_id, nonce=worker.nonce, seq=1, outcome=None, termination="void", score=(0, 0), deals=0,
        reason="because",
    )  # fmt: skip
    assert send(report).verdict is Verdict.REFUSED
    match.refresh_from_db()
    assert match.state == MatchState.QUEUED
