"""What happens to matches while they are played: start, deals, end.

Each verb comes for one match, which it locks, and for many whose locks the caller holds (`*_locked`): the registrar
stores the reports of many matches in one transaction.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection, transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.foundation import advance, lock_one
from games.engine import DealResult, MatchScore, Record, format_cards
from games.errors import GamesError
from games.events import DealFinished, MatchFinished, MatchStarted, publish
from games.models import MATCH_TRANSITIONS, PLAYED_ENDS, Deal, DealEnd, Match, MatchEnd, MatchOutcome, MatchState


@dataclass(frozen=True, slots=True)
class Ending:
    """How a match came out: the winning side (None: drawn) and what ended it."""

    match: Match
    winner_side: int | None
    termination: MatchEnd = MatchEnd.NORMAL


def start(*, match: Match) -> Match:
    """The first card may be played. Raises BadState unless the match waits."""
    with transaction.atomic():
        row = lock_one(Match.objects.filter(pk=match.pk))
        start_locked(matches=[row])
    return row


def start_locked(*, matches: Sequence[Match]) -> None:
    """`start` for rows whose locks the caller holds; `started_at` of a match that is taken up again stays."""
    now = timezone.now()
    for match in matches:
        advance(match, MatchState.PLAYING, table=MATCH_TRANSITIONS)
        match.started_at = match.started_at or now
    Match.objects.bulk_update(matches, ["state", "started_at"])
    for match in matches:
        publish(MatchStarted(match_id=match.pk))


def deal_row(
    *,
    match: Match,
    number: int,
    record: Record,
    points: Sequence[int],
    winner_side: int | None,
    termination: DealEnd,
    fault_seat: int | None = None,
    think_ms: Sequence[int] = (),
    now: datetime | None = None,
) -> Deal:
    """A finished deal, not yet saved. `points` by seat as banked by the plays, `winner_side` as the deal counts."""
    return Deal(
        match=match,
        number=number,
        dealer=record.dealer,
        deck=format_cards(record.deck),
        turned=format_cards(record.turned),
        plays=format_cards(record.plays),
        think_ms=list(think_ms),
        points=list(points),
        unplayed=120 - sum(points),
        winner_side=winner_side,
        termination=termination,
        fault_seat=fault_seat,
        finished_at=now or timezone.now(),
    )


def record_deal(
    *,
    match: Match,
    number: int,
    record: Record,
    termination: DealEnd,
    fault_seat: int | None = None,
    think_ms: Sequence[int] = (),
) -> Deal:
    """Store a finished deal and count it.

    Raises GamesError `deal.number`, `deal.not_over`, and EngineError for cards that cannot be played.
    """
    with transaction.atomic():
        row = lock_one(Match.objects.filter(pk=match.pk))
        score = score_of(row)
        if row.state != MatchState.PLAYING or number != score.deals + 1:
            raise GamesError("deal.number", _("This deal is not the next one of a match in play."))
        deal = record.replay()
        if deal.over != (termination in PLAYED_ENDS) or (fault_seat is None) != deal.over:
            raise GamesError("deal.not_over", _("The cards played and the end of the deal do not agree."))
        result = deal.result() if fault_seat is None else DealResult.forfeited(record.rules, fault_seat)
        stored = deal_row(
            match=row,
            number=number,
            record=record,
            points=deal.points,
            winner_side=result.winner_side,
            termination=termination,
            fault_seat=fault_seat,
            think_ms=think_ms,
        )
        row.score = list(score.add(result).wins)
        row.save(update_fields=["score"])
        record_deals_locked(deals=[stored])
    return stored


def record_deals_locked(*, deals: Sequence[Deal]) -> None:
    """Insert finished deals; the caller holds the matches' locks and saves their `score`."""
    Deal.objects.bulk_create(deals)
    for deal in deals:
        publish(DealFinished(match_id=deal.match_id, number=deal.number))


def finish(*, match: Match, winner_side: int | None, termination: MatchEnd = MatchEnd.NORMAL) -> Match:
    """Give a match in play its result. Raises BadState."""
    with transaction.atomic():
        row = lock_one(Match.objects.filter(pk=match.pk))
        finish_locked(endings=[Ending(row, winner_side, termination)])
    return row


def finish_locked(*, endings: Sequence[Ending]) -> None:
    """`finish` for rows whose locks the caller holds, in the order in which they finished."""
    if not endings:
        return
    now = timezone.now()
    matches = [ending.match for ending in endings]
    for ending, order in zip(endings, _next_orders(len(endings)), strict=True):
        match = ending.match
        advance(match, MatchState.FINISHED, table=MATCH_TRANSITIONS)
        match.winner_side = ending.winner_side
        match.outcome = MatchOutcome.DRAWN if ending.winner_side is None else MatchOutcome.WON
        match.termination = ending.termination
        match.finished_at = now
        match.finish_seq = order
        match.wake_at = None
    Match.objects.bulk_update(
        matches, ["state", "winner_side", "outcome", "termination", "finished_at", "finish_seq", "wake_at", "score"]
    )
    for match in matches:
        publish(MatchFinished(match_id=match.pk))


def _next_orders(count: int) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval('games_finish_seq') FROM generate_series(1, %s)", [count])
        return [row[0] for row in cursor.fetchall()]


def score_of(match: Match) -> MatchScore:
    """The score of a match after its stored deals."""
    return fold(match, match.deals.order_by("number"))


def fold(match: Match, deals: Iterable[Deal]) -> MatchScore:
    """The score after `deals`, the finished deals of a match in their order."""
    score = MatchScore(match.parsed_rules)
    for deal in deals:
        if deal.is_over:
            score = score.add(counted(score, deal))
    return score


def counted(score: MatchScore, deal: Deal) -> DealResult:
    """A finished deal as it counts for the match: as played, or awarded for what `fault_seat` did."""
    if deal.fault_seat is not None:
        return DealResult.forfeited(score.rules, deal.fault_seat)
    sides = [0] * score.rules.side_count
    for seat, side in enumerate(score.rules.sides):
        sides[side] += deal.points[seat]
    return DealResult(tuple(deal.points), tuple(sides), deal.winner_side, deal.unplayed, 0)
