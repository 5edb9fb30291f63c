"""One report after the other against the run that it names."""

from collections.abc import Callable
from typing import Any, Final

import structlog
from django.conf import settings

from bots import doorbell
from bots.arena.reports import DealReport, MatchReport, Refused, Report, Returned, Started
from bots.models import OPEN_RUNS, DealLog, RunState
from bots.sandbox import TIERS
from bots.services import pace, ringing
from bots.services.runs.answers import Answer, Verdict
from bots.services.runs.cases import FAULTS, INFRASTRUCTURE, Case
from bots.services.runs.lines import LeaseLost, Line, Unreadable
from bots.services.runs.verify import Lie, check_deal, check_end, check_void
from games.models import Deal, DealEnd
from games.services.results import deal_row

log = structlog.get_logger(__name__)


def take(case: Case, line: Line, lease: str | None) -> Answer:
    """Change `case` as a line of its run says, if it is the next one and true. `lease`: what the run's key holds."""
    if isinstance(line, LeaseLost):
        verdict = _lose(case, lease)
    elif isinstance(line, Unreadable):
        verdict = _unreadable(case, line)
    else:
        verdict = _report(case, line, lease)
    if verdict is not Verdict.ACCEPTED:
        _log_refusal(case, line, verdict)
    return Answer(line.run_id, line.seq, verdict)


def _log_refusal(case: Case, line: Line, verdict: Verdict) -> None:
    log.info(
        verdict.value,
        run_id=line.run_id,
        match=case.match.code,
        report=getattr(line, "type", ""),
        seq=line.seq,
        expected=case.run.next_seq,
        state=str(case.run.state),
    )


def _report(case: Case, report: Report, lease: str | None) -> Verdict:
    run = case.run
    if run.nonce == "" and run.state in OPEN_RUNS:
        if lease not in (None, report.nonce, doorbell.DONE):
            return Verdict.STALE  # another delivery of the job holds the run
        if report.seq > 0:
            return Verdict.GAP
        run.nonce = report.nonce
    if report.nonce != run.nonce:
        return Verdict.STALE
    if report.seq < run.next_seq:
        return Verdict.ACCEPTED  # a report again: the same answer, no change
    if run.state not in OPEN_RUNS:
        return Verdict.REFUSED if run.state == RunState.REFUSED else Verdict.STALE
    if report.seq > run.next_seq:
        return Verdict.GAP
    try:
        _HANDLERS.get(type(report), _foreign)(case, report)
    except Lie as lie:
        fail(case, lie.code)
        return Verdict.REFUSED
    case.accept()
    return Verdict.ACCEPTED


def fail(case: Case, code: str) -> None:
    """The run is refused for what it reported; its match is played again, the deals that were stored stay."""
    log.warning("run.refused", run_id=str(case.run.run_id), match=case.match.code, worker=case.run.worker, code=code)
    if case.run.state not in OPEN_RUNS:
        return
    doorbell.stop(case.run.run_id)
    ringing.note_refusal()
    case.end(RunState.REFUSED, code)
    case.play_on(is_lost=True)


def _unreadable(case: Case, line: Unreadable) -> Verdict:
    """Whoever knows the run's nonce and writes what is no report is not to be trusted with the run."""
    if line.nonce and line.nonce == case.run.nonce and case.run.state in OPEN_RUNS:
        log.warning("report.unreadable", rule=line.rule, run_id=line.run_id)
        fail(case, Verdict.SCHEMA)
    return Verdict.SCHEMA


def _lose(case: Case, lease: str | None) -> Verdict:
    """Every earlier report of the run is stored by now. If its key shows no sign of life, another run plays on."""
    run = case.run
    if run.state != RunState.PLAYING or lease == run.nonce:
        return Verdict.STALE
    log.warning("run.lost", run_id=str(run.run_id), match=case.match.code, worker=run.worker, attempt=run.attempt)
    doorbell.stop(run.run_id)
    case.end(RunState.LOST, "lease_lost")
    case.play_on(is_lost=True)
    return Verdict.ACCEPTED


# ---- what each kind of report changes; each raises Lie for what cannot be true


def _started(case: Case, report: Started) -> None:
    run = case.run
    if run.state != RunState.QUEUED or report.attempt != run.attempt:
        raise Lie("report.order")
    if TIERS.index(report.tier) < TIERS.index(settings.ARENA_TIER_MIN):
        raise Lie("started.tier")
    run.worker, run.tier, run.policy, run.kernel = report.worker, report.tier, report.policy, report.kernel
    run.speed = report.speed
    case.start()
    case.batch.workers[report.worker] = {"tier": report.tier, "kernel": report.kernel, "python": report.python}


def _deal(case: Case, report: DealReport) -> None:
    _must_be_playing(case)
    checked = check_deal(case.work.standing, report)
    deal = deal_row(
        match=case.match,
        number=report.deal,
        record=checked.record,
        points=checked.points,
        winner_side=checked.result.winner_side,
        termination=DealEnd(checked.termination),
        now=case.batch.progress.now,
        fault_seat=report.faults[0].seat if report.faults else None,
        think_ms=[(us + 500) // 1000 for us in report.think_cpu_us],
    )
    case.store(deal, _log_of(deal, report), report.faults)
    seats = checked.deal.played_by
    for seat, version in enumerate(case.work.versions):
        spent = sum(us for at, us in zip(seats, report.think_wall_us, strict=True) if at == seat)
        pace.note(version.pk, spent)


def _log_of(deal: Deal, report: DealReport) -> DealLog:
    return DealLog(
        deal=deal,
        cpu_us=list(report.think_cpu_us),
        wall_us=list(report.think_wall_us),
        bank_left_us=list(report.bank_left_us),
        notes=list(report.notes),
        logs=[[[part.ply, part.text] for part in parts] for parts in report.logs],
    )


def _match(case: Case, report: MatchReport) -> None:
    _must_be_playing(case)
    if report.termination != "void":
        winner = check_end(case.work.standing, report)
        case.end_match(winner, report.termination)
        return
    if report.reason.partition(":")[0] == INFRASTRUCTURE:
        # Ours to decide: perhaps only that machine is broken.
        log.warning("run.infrastructure", run_id=report.run_id, worker=case.run.worker, detail=report.reason)
        ringing.note_refusal()
        case.end(RunState.LOST, report.reason)
        case.play_on(is_lost=True)
        return
    check_void(case.work.standing, report)
    case.charge(report.faults, case.work.standing.score.deals + 1, None)
    case.end(RunState.DONE, FAULTS)
    case.void(FAULTS)


def _returned(case: Case, report: Returned) -> None:
    if report.next_deal != case.work.standing.score.deals + 1:
        raise Lie("returned.deal")
    case.end(RunState.STOPPED, report.reason)
    case.play_on(is_lost=False)


def _refused(case: Case, report: Refused) -> None:
    """The worker cannot do the job and says so."""
    if case.run.state != RunState.QUEUED:
        raise Lie("report.order")
    log.warning("run.refused_by_arena", run_id=report.run_id, reason=report.reason, detail=report.detail)
    ringing.note_refusal()
    if report.reason in ringing.NO_FILES:
        doorbell.forget_bots(version.sha256 for version in case.work.versions)
    case.end(RunState.REFUSED, f"{report.reason} {report.detail}")
    case.play_on(is_lost=True)


def _must_be_playing(case: Case) -> None:
    if case.run.state != RunState.PLAYING:
        raise Lie("report.order")


def _foreign(_case: Case, _report: Report) -> None:
    raise Lie("report.type")


_HANDLERS: Final[dict[type, Callable[[Case, Any], None]]] = {
    Started: _started,
    DealReport: _deal,
    MatchReport: _match,
    Returned: _returned,
    Refused: _refused,
}
