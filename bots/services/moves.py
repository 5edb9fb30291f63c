"""Bots at tables where people play: each card is asked for by one job, in a process of its own.

`turn_given`, `turn_taken` and `hint_wanted` run inside the transaction that changed the table, whose match is locked.
"""

from datetime import timedelta
from functools import cache, partial
from typing import Any, Final

import structlog
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from bots import doorbell
from bots.arena.archive import Archive, unpack
from bots.arena.jobs import BotRef, MoveJob
from bots.arena.reports import MAX_LOG_PART
from bots.events import BotSilent, publish
from bots.house import source
from bots.limits import LIMITS
from bots.models import BotSeat, BotVersion, DealLog, MovePurpose, MoveRun, MoveState
from bots.protocol import bot_seed, play_message, start_message, to_line
from bots.services import ringing
from games.engine import Observation
from games.events import HintWanted, TurnGiven, TurnTaken
from games.models import Deal, Match, Pause
from games.selectors.standing import Standing, rules_of, standing
from games.services import play

log = structlog.get_logger(__name__)

#: A question without an answer is asked again after this: the wall guard of a move and something; so often at once, ...
WAIT: Final = timedelta(seconds=8)
TRIES: Final = 3
#: ... then it is our fault: everybody is told, no clock runs, and it is asked again from time to time.
RETRY: Final = timedelta(seconds=30)
LONG: Final = timedelta(minutes=10)
#: Beat looks about when something is due, not after it.
_EARLY: Final = timedelta(milliseconds=500)
#: Who gives hints: the last three tricks are played out exactly by the second one.
_HINT, _ENDING_HINT = "medio", "esperto"


def turn_given(event: TurnGiven) -> None:
    """It is a seat's turn, again perhaps: ask the bot that sits there, unless an answer is still to be waited for."""
    version = _version_at(event.match_id, event.seat)
    if version is None:
        return
    match = Match.objects.get(pk=event.match_id)
    found = standing(match)
    row = found.in_play
    if row is None or found.deal is None or found.turn != event.seat or row.turn_at is None:
        return
    now, ply = timezone.now(), len(found.deal.plays)
    asked = MoveRun.objects.filter(match=match, deal=row.number, ply=ply, purpose=MovePurpose.CARD)
    tried = list(asked.filter(sent_at__gte=row.turn_at, state__in=(MoveState.OPEN, MoveState.LOST)).order_by("pk"))
    if tried and (tried[-1].state == MoveState.OPEN or len(tried) >= TRIES):
        wait = WAIT if tried[-1].state == MoveState.OPEN and len(tried) < TRIES else max(WAIT, RETRY)
        is_silent = len(tried) >= TRIES and tried[-1].sent_at + WAIT <= now + _EARLY
        if is_silent:
            _tell_silence(match, event.seat, first=tried[0], last=tried[-1])
        if tried[-1].sent_at + wait > now + _EARLY or Match.objects.get(pk=match.pk).pause == Pause.PARKED:
            return
    asked.filter(state=MoveState.OPEN).update(state=MoveState.LOST, ended_at=now, reason="no answer")
    run = MoveRun.objects.create(
        match=match,
        deal=row.number,
        ply=ply,
        seat=event.seat,
        version=version,
        attempt=len(tried),
        bank_us=_bank_us(match, row.number, event.seat),
        sent_at=now,
    )
    transaction.on_commit(partial(ring, run.pk), robust=True)


def _version_at(match_id: int, seat: int) -> BotVersion | None:
    found = BotSeat.objects.filter(seat__match=match_id, seat__index=seat).select_related("version__bot").first()
    return None if found is None else found.version


def _bank_us(match: Match, deal: int, seat: int) -> int:
    """What is left of the seat's bank in this deal."""
    answered = MoveRun.objects.filter(match=match, deal=deal, seat=seat, purpose=MovePurpose.CARD, state=MoveState.DONE)
    left = answered.exclude(bank_left_us=None).order_by("-pk").values_list("bank_left_us", flat=True).first()
    return LIMITS.bank_cpu_ms * 1000 if left is None else left


def _tell_silence(match: Match, seat: int, *, first: MoveRun, last: MoveRun) -> None:
    """The table hears that we failed; who organises the match hears it once, after a long time."""
    now = timezone.now()
    is_long = first.sent_at + LONG <= now
    log.error("bot.silent", match=match.code, seat=seat, since=first.sent_at.isoformat())
    play.silence(match=match, seat=seat, is_long=is_long)
    if is_long and last.sent_at < first.sent_at + LONG:
        publish(BotSilent(match_id=match.pk, seat=seat))


def turn_taken(event: TurnTaken) -> None:
    """Nobody waits for the answers any more: a report of one changes nothing. Of deals that are over logs are kept."""
    opened = MoveRun.objects.filter(match=event.match_id, state=MoveState.OPEN)
    opened.update(state=MoveState.STALE, ended_at=timezone.now())
    over = Deal.objects.filter(match=event.match_id, log__isnull=True).exclude(termination="")
    for deal in over.select_related("match"):
        _keep_log(deal)


def _keep_log(deal: Deal) -> None:
    """Keep what bots said and spent in a deal at a table of people as it is kept of their own matches."""
    runs = MoveRun.objects.filter(match=deal.match, deal=deal.number, purpose=MovePurpose.CARD)
    answered = list(runs.filter(state=MoveState.DONE).order_by("ply"))
    if not answered:
        return
    plays = len(deal.plays) // 2
    by_ply = {run.ply: run for run in answered}
    n = rules_of(deal.match.rules).n
    left = [0] * n
    logs: list[list[list[Any]]] = [[] for _ in range(n)]
    for run in answered:
        left[run.seat] = run.bank_left_us or 0
        if run.log:
            logs[run.seat].append([run.ply, run.log[-MAX_LOG_PART:]])
    DealLog.objects.create(
        deal=deal,
        cpu_us=[by_ply[ply].cpu_us if ply in by_ply else 0 for ply in range(plays)],
        wall_us=[by_ply[ply].wall_us if ply in by_ply else 0 for ply in range(plays)],
        bank_left_us=left,
        notes=[(by_ply[ply].note or None) if ply in by_ply else None for ply in range(plays)],
        logs=logs if any(logs) else [],
    )


def hint_wanted(event: HintWanted) -> None:
    """Ask a house bot what it would play in the place of somebody who practises."""
    match = Match.objects.get(pk=event.match_id)
    found = standing(match)
    row = found.in_play
    if row is None or found.deal is None or found.turn != event.seat:
        return
    now, ply = timezone.now(), len(found.deal.plays)
    opened = MoveRun.objects.filter(
        match=match, deal=row.number, ply=ply, purpose=MovePurpose.HINT, state=MoveState.OPEN
    )
    if opened.filter(sent_at__gt=now - WAIT).exists():
        return
    opened.update(state=MoveState.LOST, ended_at=now, reason="no answer")
    run = MoveRun.objects.create(
        match=match,
        deal=row.number,
        ply=ply,
        seat=event.seat,
        purpose=MovePurpose.HINT,
        bank_us=LIMITS.bank_cpu_ms * 1000,
        sent_at=now,
    )
    transaction.on_commit(partial(ring, run.pk), robust=True)


def ring(run_pk: int) -> None:
    """Lay down the files and send the job of an open run; nothing when its position is past.

    Raises OSError and the errors of kombu and redis: it is asked again when no answer comes.
    """
    run = MoveRun.objects.select_related("match", "version__bot").filter(pk=run_pk, state=MoveState.OPEN).first()
    if run is None:
        return
    found = standing(run.match)
    if not is_there(found, run):
        return
    if run.version is not None:
        ringing.lay_down([run.version])
    else:
        archive = hint_archive(found)
        for sha256 in doorbell.missing_bots([archive.sha256]):
            doorbell.put_bot(sha256, archive.stored())
    doorbell.ring_move(job(found, run))


def is_there(found: Standing, run: MoveRun) -> bool:
    """Whether the table stands where the run asks for a card."""
    row = found.in_play
    if row is None or found.deal is None:
        return False
    return (row.number, len(found.deal.plays), found.turn) == (run.deal, run.ply, run.seat)


def view_of(found: Standing, seat: int) -> Observation:
    """What a bot is shown at this table."""
    assert found.deal is not None
    assert found.row is not None
    return found.deal.observe(
        seat,
        number=found.row.number,
        score=found.score.wins,
        drawn=found.score.drawn,
        signs=tuple((plays, by, code) for plays, by, code in found.row.signs),
    )


def job(found: Standing, run: MoveRun) -> MoveJob:
    """The message that asks for the card."""
    match = found.match
    start = start_message(
        n=1,
        match=match.code,
        seat=run.seat,
        rules=found.rules,
        seed=bot_seed(bytes(match.seed), run.seat),
        limits=LIMITS.for_process(1, 1).told(),
    )
    request = play_message(view_of(found, run.seat), n=2, match=match.code, bank_cpu_ms=run.bank_us // 1000)
    return MoveJob(
        run_id=str(run.run_id),
        attempt=run.attempt,
        match=match.code,
        deal=run.deal,
        seat=run.seat,
        bot=_bot(found, run),
        start=to_line(start).decode().rstrip("\n"),
        request=to_line(request).decode().rstrip("\n"),
        limits=LIMITS,
        bank_cpu_us=run.bank_us,
        tier_min=settings.ARENA_TIER_MIN,
        lease_s=settings.ARENA_LEASE_S,
    )


def _bot(found: Standing, run: MoveRun) -> BotRef:
    if run.version is not None:
        version = run.version
        return BotRef(sha256=version.sha256, language=version.bot.language, entry=version.entry)
    archive = hint_archive(found)
    return BotRef(sha256=archive.sha256, entry=archive.entry)


def hint_archive(found: Standing) -> Archive:
    """The file of the house bot that gives a hint here."""
    assert found.deal is not None
    return _archive(_HINT if found.deal.stock_size else _ENDING_HINT)


@cache
def _archive(name: str) -> Archive:
    return unpack(source(name), "bot.py")
