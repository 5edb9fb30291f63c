"""What the arena answers for a bot at a table of people: checked by the engine, played once."""

from typing import Final

import structlog
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.foundation import advance, lock_one
from accounts.foundation.wake import wake
from bots import doorbell
from bots.arena.reports import Fault as ReportedFault
from bots.arena.reports import MoveReport, Refused, Report, Returned, Started
from bots.limits import LIMITS
from bots.models import MOVE_TRANSITIONS, Fault, MovePurpose, MoveRun, MoveState
from bots.protocol import play_message
from bots.sandbox import TIERS
from bots.services import moves, ringing
from bots.services.runs.answers import Answer, Verdict
from bots.services.runs.cases import JUDGE_FAULTS
from bots.services.runs.lines import Line, Unreadable
from bots.services.runs.verify import Lie, Standing, check_start_fault, is_beyond, is_foreign_card, was_asked
from games.engine import card_int
from games.events import TurnGiven
from games.models import DealEnd, Match
from games.selectors.standing import Standing as Table
from games.selectors.standing import standing
from games.services import play, practice

log = structlog.get_logger(__name__)

_FIELDS: Final = (
    "state", "nonce", "next_seq", "worker", "bank_left_us", "cpu_us", "wall_us", "note", "log", "reason", "ended_at",
)  # fmt: skip


def receive(line: Line) -> Answer:
    """Take one line about a card. The same report again gets the same answer and changes nothing; one that comes too
    late, for a position that is past, is `run.stale`. Raises OperationalError and LockError."""
    # Asked before the table is locked: of a run that begins the lease decides.
    lease = doorbell.leases([line.run_id]).get(line.run_id) if line.seq <= 0 else None
    with transaction.atomic():
        owner = MoveRun.objects.filter(run_id=line.run_id).values("match_id")
        match = lock_one(Match.objects.filter(pk__in=owner))
        run = lock_one(MoveRun.objects.filter(run_id=line.run_id))
        run.match = match
        verdict = _take(run, line, lease)
        run.save(update_fields=_FIELDS)
        if run.state == MoveState.LOST and run.purpose == MovePurpose.CARD and run.attempt + 1 < moves.TRIES:
            moves.turn_given(TurnGiven(match_id=match.pk, seat=run.seat))
    if verdict is not Verdict.ACCEPTED:
        log.info(verdict.value, run_id=line.run_id, match=match.code, seq=line.seq, state=str(run.state))
    return Answer(line.run_id, line.seq, verdict)


def _take(run: MoveRun, line: Line, lease: str | None) -> Verdict:
    if isinstance(line, Unreadable):
        if line.nonce and line.nonce == run.nonce and run.state == MoveState.OPEN:
            _lose(run, Verdict.SCHEMA)
        return Verdict.SCHEMA
    if not isinstance(line, Started | MoveReport | Returned | Refused):
        return Verdict.STALE
    if (verdict := _order(run, line, lease)) is not None:
        return verdict
    run.nonce = line.nonce
    run.next_seq += 1
    found = standing(run.match)
    if not moves.is_there(found, run):
        _end(run, MoveState.STALE)
        return Verdict.STALE
    try:
        _apply(run, line, found)
    except Lie as lie:
        log.warning("move.refused", run_id=line.run_id, match=run.match.code, worker=run.worker, code=lie.code)
        ringing.note_refusal()
        _lose(run, f"refused: {lie.code}")
        return Verdict.REFUSED
    return Verdict.ACCEPTED


def _order(run: MoveRun, report: Report, lease: str | None) -> Verdict | None:
    """The answer to a report that is not the next one of this run; None when it is."""
    if run.nonce == "" and run.state == MoveState.OPEN:
        if lease not in (None, report.nonce, doorbell.DONE):
            return Verdict.STALE
        return Verdict.GAP if report.seq > 0 else None
    if report.nonce != run.nonce:
        return Verdict.STALE
    if report.seq < run.next_seq:
        return Verdict.STALE if run.state == MoveState.STALE else Verdict.ACCEPTED
    if run.state != MoveState.OPEN:
        return Verdict.STALE
    return Verdict.GAP if report.seq > run.next_seq else None


def _apply(run: MoveRun, report: Report, found: Table) -> None:
    """Raises Lie for what cannot be true."""
    match report:
        case Started():
            if report.attempt != run.attempt or report.seq > 0:
                raise Lie("report.order")
            if TIERS.index(report.tier) < TIERS.index(settings.ARENA_TIER_MIN):
                raise Lie("started.tier")
            run.worker = report.worker
        case Returned():
            _lose(run, "returned")
        case Refused():
            if report.reason in ringing.NO_FILES:
                doorbell.forget_bots([moves.job(found, run).bot.sha256])
            ringing.note_refusal()
            _lose(run, f"{report.reason}: {report.detail}")
        case MoveReport():
            _answer(run, report, found)


def _answer(run: MoveRun, report: MoveReport, found: Table) -> None:
    if report.seq == 0:
        raise Lie("report.order")
    if report.trouble:
        log.warning("move.infrastructure", run_id=report.run_id, worker=run.worker, detail=report.trouble)
        _lose(run, f"infrastructure: {report.trouble}")
        return
    _check_times(run, report)
    if report.card is not None and found.deal is not None and card_int(report.card) not in found.deal.legal():
        raise Lie("move.card")
    if report.fault is not None:
        _check_fault(report.fault, found, run)
    run.bank_left_us, run.cpu_us, run.wall_us = report.bank_left_us, report.cpu_us, report.wall_us
    run.note, run.log = report.note or "", report.log
    _end(run, MoveState.DONE)
    run.save(update_fields=_FIELDS)  # before the card: the next question goes on from this bank
    if run.purpose == MovePurpose.HINT:
        if report.card is not None:
            practice.tell_hint(match=run.match, seat=run.seat, deal=run.deal, ply=run.ply, card=report.card)
    elif report.card is not None:
        play.play(
            match=run.match,
            seat=run.seat,
            deal=run.deal,
            ply=run.ply,
            card=report.card,
            think_ms=(report.wall_us + 500) // 1000,
        )
    elif report.fault is not None:
        _charge(run, report.fault)


def _check_times(run: MoveRun, report: MoveReport) -> None:
    """Nobody thought longer than the clocks allow, and no bank grew."""
    if report.bank_left_us > run.bank_us:
        raise Lie("move.bank")
    if report.fault is None and (
        is_beyond(report.cpu_us, 1000 * LIMITS.move_cpu_ms + run.bank_us)
        or is_beyond(report.wall_us, 1000 * LIMITS.move_wall_ms)
    ):
        raise Lie("move.times")


def _check_fault(fault: ReportedFault, found: Table, run: MoveRun) -> None:
    """The seat was asked what we asked it, and an illegal card is not in its hand. Raises Lie."""
    if fault.seat != run.seat:
        raise Lie("fault.seat")
    if fault.ply is None:
        check_start_fault(_standing(found), fault)
        return
    view = moves.view_of(found, run.seat)
    if fault.ply != run.ply or not was_asked(fault, play_message(view, n=1, match=run.match.code, bank_cpu_ms=0)):
        raise Lie("fault.request")
    if fault.kind == "illegal" and not is_foreign_card(fault, view.legal):
        raise Lie("fault.illegal")


def _standing(found: Table) -> Standing:
    match = found.match
    return Standing(
        code=match.code,
        rules=found.rules,
        seed=bytes(match.seed),
        salt=match.salt,
        first_dealer=match.first_dealer,
        goes_on_after_faults=False,
        limits=LIMITS,
        score=found.score,
    )


def _charge(run: MoveRun, fault: ReportedFault) -> None:
    """The bot's side loses the deal; its owner and the policy of faults hear of it."""
    assert run.version is not None
    play.lose_by_fault(match=run.match, seat=run.seat, deal=run.deal, ply=run.ply, kind=DealEnd(fault.kind))
    Fault.objects.create(
        match=run.match,
        deal=run.match.deals.get(number=run.deal),
        number=run.deal,
        seat=run.seat,
        version=run.version,
        kind=fault.kind,
        detail=fault.detail,
        ply=fault.ply,
        request=fault.request,
        answer=fault.answer,
        exit=fault.exit,
        stderr_tail=fault.stderr_tail,
    )
    wake(JUDGE_FAULTS)


def _lose(run: MoveRun, reason: str) -> None:
    """No answer came of it, by our fault: it is asked again."""
    run.reason = reason[:300]
    _end(run, MoveState.LOST)


def _end(run: MoveRun, state: MoveState) -> None:
    advance(run, state, table=MOVE_TRANSITIONS)
    run.ended_at = timezone.now()
