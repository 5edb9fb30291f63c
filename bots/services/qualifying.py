"""What the arena says about a check: believed after the engine has replayed its games, stored exactly once."""

from datetime import timedelta
from typing import Any, Final
from uuid import UUID

import structlog
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from accounts.foundation import lock, lock_one
from bots import doorbell
from bots.arena.reports import QualifyGame as ReportedGame
from bots.arena.reports import QualifyStep, Refused, Report, Returned, Started
from bots.arena.trials import RULES
from bots.limits import RETURNED
from bots.models import OPEN_CHECKS, Bot, BotVersion, QualifyGame, QualifyRun, QualifyState, VersionState
from bots.services import activation, ringing
from bots.services.qualifying_runs import baselines, end, lose, ring, start, start_next
from bots.services.runs.answers import Answer, Verdict
from bots.services.runs.lines import LeaseLost, Line, Unreadable
from bots.services.runs.lines import lease_lost as lease_lost_line
from games.engine import DealResult, EngineError, Record, parse_cards, shuffled

__all__ = ["lease_lost", "receive", "start", "start_next", "sweep"]

log = structlog.get_logger(__name__)

#: A check that has no verdict so long after its start is to be repeated.
DEADLINE: Final = timedelta(seconds=300)
#: A job that nobody took for so long is sent again, when the queue is empty.
UNTAKEN: Final = timedelta(seconds=60)

CheckReport = Started | QualifyStep | Returned | Refused


def receive(line: Line) -> Answer:
    """Take one line about a check. The same report again gets the same answer and changes nothing.

    A report of another kind, or one that cannot be read, ends the run that it truly names: its worker is not trusted.
    """
    if isinstance(line, LeaseLost):
        is_lost = lease_lost(line.run_id)
        return Answer(line.run_id, line.seq, Verdict.ACCEPTED if is_lost else Verdict.STALE)
    if not isinstance(line, CheckReport):
        return _refused(line)
    return _receive(line)


def _receive(report: CheckReport) -> Answer:
    with transaction.atomic():
        if (found := locked(run_id=report.run_id)) is None:
            return Answer(report.run_id, report.seq, Verdict.STALE)
        run, version = found
        answer = Answer(report.run_id, report.seq, _judged(run, report))
        if answer.is_accepted and report.seq == run.next_seq:
            run.next_seq += 1
            try:
                _apply(run, version, report)
            except Lie as lie:
                _distrust(run, version, str(lie))
                return Answer(report.run_id, report.seq, Verdict.REFUSED)
            run.save()
    return answer


def _refused(line: Report | Unreadable) -> Answer:
    with transaction.atomic():
        run, version = locked(run_id=line.run_id) or (None, None)
        if run is None or version is None or run.state not in OPEN_CHECKS or line.nonce != (run.nonce or None):
            return Answer(line.run_id, line.seq, Verdict.STALE)
        _distrust(run, version, line.rule if isinstance(line, Unreadable) else f"a report of type {line.type}")
    return Answer(line.run_id, line.seq, Verdict.REFUSED)


def _distrust(run: QualifyRun, version: BotVersion, why: str) -> None:
    """End a run whose worker says what cannot be true; the check is made again."""
    log.error("check.report_refused", run_id=str(run.run_id), worker=run.worker, why=why)
    lose(run, version, reason=f"refused: {why}")
    start_next(bot_id=version.bot_id)


def locked(*, run_id: UUID | str) -> tuple[QualifyRun, BotVersion] | None:
    """A check and its version, locked with the bot; None when there is none, or it went with its bot meanwhile."""
    found = QualifyRun.objects.filter(run_id=run_id).values_list("version_id", "version__bot_id").first()
    if found is None:
        return None
    bot = lock_one(Bot.objects.filter(pk=found[1]))
    version = lock_one(bot.versions.filter(pk=found[0]))
    version.bot = bot
    run = next(iter(lock(QualifyRun.objects.filter(run_id=run_id))), None)
    return (run, version) if run else None


def _judged(run: QualifyRun, report: CheckReport) -> Verdict:
    """Whether a report is the next one, an earlier one again, or nothing that counts."""
    is_bound = run.nonce == report.nonce
    if report.seq < run.next_seq:
        return Verdict.ACCEPTED if is_bound else Verdict.STALE
    if run.state not in OPEN_CHECKS:
        return Verdict.STALE
    if report.seq > run.next_seq:
        return Verdict.GAP if is_bound else Verdict.STALE
    if report.seq == 0:  # the delivery that works on it holds its key, or held it until just now
        holder = doorbell.leases([run.run_id]).get(str(run.run_id))
        is_bound = not run.nonce and holder in {report.nonce, doorbell.DONE}
    return Verdict.ACCEPTED if is_bound else Verdict.STALE


def _apply(run: QualifyRun, version: BotVersion, report: CheckReport) -> None:
    run.nonce = report.nonce
    match report:
        case Started():
            run.state, run.started_at = QualifyState.PLAYING, timezone.now()
            run.worker, run.tier, run.speed = report.worker, report.tier, report.speed
        case Returned():
            lose(run, version, reason=RETURNED)
            start_next(bot_id=version.bot_id)
        case Refused():
            if report.reason in ringing.NO_FILES:
                doorbell.forget_bots([version.sha256, *(one.sha256 for one in baselines())])
            lose(run, version, reason=f"{report.reason}: {report.detail}")
            start_next(bot_id=version.bot_id)
        case QualifyStep():
            _take_step(run, version, report)


def _take_step(run: QualifyRun, version: BotVersion, step: QualifyStep) -> None:
    _check_figures(step)
    QualifyGame.objects.bulk_create([_game(run, step.check, game) for game in step.games])
    version.report = [*version.report, _row(step)]
    version.save(update_fields=["report"])
    if step.verdict is None:
        return
    if step.verdict == "again":
        lose(run, version, reason=step.code)
    else:
        end(run, QualifyState.DONE, reason=step.verdict)
        activation.judge(version, is_qualified=step.verdict == "qualified")
    start_next(bot_id=version.bot_id)


def _row(step: QualifyStep) -> dict[str, Any]:
    """A check as the version keeps it."""
    fields = ("check", "ok", "file", "line", "code", "what_to_do", "ms", "log", "request", "answer")
    return {name: getattr(step, name) for name in fields} | {"params": dict(step.params)}


class Lie(Exception):
    """A game of a report that cannot have been played, or a verdict without its figures."""


#: What the page of a version shows of a check in which cards were played.
_FIGURES = ("moves", "p50_us", "p95_us", "max_us")


def _check_figures(step: QualifyStep) -> None:
    """Raises Lie unless the figures of a verdict are whole numbers, all there when moves were made."""
    if step.check != "verdict" or not step.params.get("moves"):
        return
    counted = [name for name in step.params if name.startswith(("score_", "deals_", "difference_"))]
    for name in (*_FIGURES, *counted):
        if type(step.params.get(name)) is not int:
            raise Lie(f"verdict: {name}")


def _game(run: QualifyRun, check: str, game: ReportedGame) -> QualifyGame:
    """The game, replayed: our deck, legal plays, right points and winner. Raises Lie.

    Deals are made in mirrored pairs: games 2k - 1 and 2k are deal k of the run's seed.
    """
    number = (game.number + 1) // 2
    try:
        shuffle = shuffled(RULES, bytes(run.seed), "", number)
        is_faulty = game.fault_seat is not None
        record = Record(RULES, shuffle.deck, tuple(parse_cards(game.plays)), number % RULES.n, shuffle.turned)
        deal = record.replay()
        result = DealResult.forfeited(RULES, game.fault_seat) if game.fault_seat is not None else deal.result()
    except (EngineError, ValueError, IndexError) as error:
        raise Lie(f"{type(error).__name__} in {check} {game.number}") from None
    claimed = (
        game.rules,
        game.dealer,
        tuple(parse_cards(game.deck)),
        game.points,
        game.winner_side,
        len(game.think_us),
    )
    true = (RULES.code, record.dealer, shuffle.deck, deal.points, result.winner_side, len(record.plays))
    if claimed != true or (is_faulty != (game.termination not in {"normal", "auto"})):
        raise Lie(f"{check} {game.number}")
    return QualifyGame(
        run=run,
        step=check,
        number=game.number,
        opponent=game.opponent,
        seat=game.seat,
        rules=game.rules,
        dealer=game.dealer,
        deck=game.deck,
        plays=game.plays,
        think_ms=[-(-cost // 1000) for cost in game.think_us],
        points=list(game.points),
        winner_side=game.winner_side,
        termination=game.termination,
        fault_seat=game.fault_seat,
    )


def lease_lost(run_id: str) -> bool:
    """Nobody works on a check any more: it is made again; False when somebody does, or it is over.

    Called in the order of the reports: all that were sent before are taken.
    """
    with transaction.atomic():
        if (found := locked(run_id=run_id)) is None:
            return False
        run, version = found
        if run.state != QualifyState.PLAYING or doorbell.leases([run.run_id]).get(str(run.run_id)) == run.nonce:
            return False
        lose(run, version, reason="lease lost")
        start_next(bot_id=version.bot_id)
    return True


def sweep() -> int:
    """Find checks that nobody took, nobody works on, or that take too long, and bots whose next version waits.

    The answer counts what was done. Idempotent: run by beat.
    """
    now = timezone.now()
    done = 0
    playing = list(QualifyRun.objects.filter(state=QualifyState.PLAYING))
    leases = doorbell.leases(run.run_id for run in playing)
    for run in playing:
        if run.started_at is not None and now - run.started_at > DEADLINE:
            done += overdue(run_id=run.run_id)
        elif leases.get(str(run.run_id)) != run.nonce:
            # It does not decide: earlier reports may still wait in the stream.
            doorbell.report(lease_lost_line(run.run_id))
            done += 1
    untaken = QualifyRun.objects.filter(Q(rung_at=None) | Q(rung_at__lt=now - UNTAKEN), state=QualifyState.QUEUED)
    untaken = untaken.filter(created_at__lt=now - timedelta(seconds=2)).order_by("pk")
    for run in untaken if doorbell.waiting_checks() == 0 else ():
        ring(run.pk)
        done += 1
    waiting = BotVersion.objects.filter(state=VersionState.UPLOADED).exclude(bot__versions__state=VersionState.CHECKING)
    for bot_id in waiting.values_list("bot_id", flat=True).distinct():
        with transaction.atomic():
            done += start_next(bot_id=bot_id) is not None
    return done


def overdue(*, run_id: UUID | str) -> bool:
    """A check took too long: it is made again; False when it is over by now."""
    with transaction.atomic():
        run, version = locked(run_id=run_id) or (None, None)
        if run is None or version is None or run.state != QualifyState.PLAYING:
            return False
        lose(run, version, reason="deadline")
        start_next(bot_id=version.bot_id)
    return True
