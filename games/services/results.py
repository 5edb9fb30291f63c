"""What happens to matches while they are played: start, deals, end.

`Progress` collects changes of many locked matches and writes them together: the registrar stores the reports of many
matches in one transaction. The verbs below it lock one match and do one thing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.foundation import advance, lock_one
from games import live
from games.engine import DealResult, MatchScore, Record, format_cards
from games.errors import GamesError
from games.events import DealFinished, MatchesVoided, MatchFinished, MatchStarted, publish
from games.models import MATCH_TRANSITIONS, PLAYED_ENDS, Deal, DealEnd, Match, MatchEnd, MatchOutcome, MatchState
from games.selectors.standing import counted
from games.selectors.state import result_of
from games.selectors.visibility import set_is_over
from games.services.rows import update_rows

_FIELDS = [
    "state", "started_at", "score", "winner_side", "outcome", "termination", "finished_at", "finish_seq", "wake_at",
    "void_reason",
]  # fmt: skip


@dataclass(slots=True)
class Progress:
    """Changes of matches whose locks the caller holds; nothing is written before `save`.

    Every method raises BadState when the match cannot go there.
    """

    now: datetime = field(default_factory=timezone.now)
    matches: dict[int, Match] = field(default_factory=dict)
    deals: list[Deal] = field(default_factory=list)
    events: list[Any] = field(default_factory=list)
    finished: list[Match] = field(default_factory=list)
    voided: list[int] = field(default_factory=list)

    def start(self, match: Match) -> None:
        """The first card may be played; `started_at` of a match that is taken up again stays."""
        self.move(match, MatchState.PLAYING)
        match.started_at = match.started_at or self.now
        self.events.append(MatchStarted(match_id=match.pk))

    def move(self, match: Match, *states: MatchState) -> None:
        """Lead the match through `states`; nothing else changes."""
        for state in states:
            advance(match, state, table=MATCH_TRANSITIONS)
        self.matches[match.pk] = match

    def deal(self, deal: Deal, score: MatchScore) -> None:
        """A finished deal (`deal_row`), and the score after it."""
        deal.match.score = list(score.wins)
        self.matches[deal.match_id] = deal.match
        self.deals.append(deal)
        self.events.append(DealFinished(match_id=deal.match_id, number=deal.number))

    def deal_over(self, deal: Deal, score: MatchScore) -> None:
        """A deal whose row is there already is over; the caller saves it first."""
        deal.match.score = list(score.wins)
        self.matches[deal.match_id] = deal.match
        self.events.append(DealFinished(match_id=deal.match_id, number=deal.number))

    def finish(self, match: Match, winner_side: int | None, termination: MatchEnd = MatchEnd.NORMAL) -> None:
        """The match has its result: the winning side, None when drawn."""
        self.move(match, MatchState.FINISHED)
        match.winner_side = winner_side
        match.outcome = MatchOutcome.DRAWN if winner_side is None else MatchOutcome.WON
        match.termination = termination
        match.finished_at = self.now
        match.wake_at = None
        self.finished.append(match)
        self.events.append(MatchFinished(match_id=match.pk, mode=match.mode))

    def void(self, match: Match, reason: str, termination: MatchEnd = MatchEnd.VOID) -> None:
        """The match ends without a result; its finished deals stay."""
        self.move(match, MatchState.VOID)
        match.termination = termination
        match.void_reason = reason[:500]
        match.finished_at = self.now
        match.wake_at = None
        self.voided.append(match.pk)

    def save(self) -> None:
        """Write everything and tell who listens, in the order in which it happened; of void matches at the end."""
        if self.finished:
            for match, order in zip(self.finished, _next_orders(len(self.finished)), strict=True):
                match.finish_seq = order
        if self.matches:
            update_rows(list(self.matches.values()), _FIELDS)
        if self.deals:
            Deal.objects.bulk_create(self.deals)
        for event in self.events:
            publish(event)
        if self.voided:
            publish(MatchesVoided(match_ids=tuple(self.voided)))


def _next_orders(count: int) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval('games_finish_seq') FROM generate_series(1, %s)", [count])
        return [row[0] for row in cursor.fetchall()]


def deal_row(
    *,
    match: Match,
    number: int,
    record: Record,
    points: Sequence[int],
    winner_side: int | None,
    termination: DealEnd,
    now: datetime,
    fault_seat: int | None = None,
    think_ms: Sequence[int] = (),
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
        finished_at=now,
    )


def start(*, match: Match) -> Match:
    """The first card may be played. Raises BadState unless the match waits."""
    with transaction.atomic():
        row = lock_one(Match.objects.filter(pk=match.pk))
        progress = Progress()
        progress.start(row)
        progress.save()
    return row


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
        if deal.over != (termination in PLAYED_ENDS) or deal.over != (fault_seat is None):
            raise GamesError("deal.not_over", _("The cards played and the end of the deal do not agree."))
        result = deal.result() if fault_seat is None else DealResult.forfeited(record.rules, fault_seat)
        progress = Progress()
        stored = deal_row(
            match=row,
            number=number,
            record=record,
            points=deal.points,
            winner_side=result.winner_side,
            termination=termination,
            now=progress.now,
            fault_seat=fault_seat,
            think_ms=think_ms,
        )
        progress.deal(stored, score.add(result))
        progress.save()
    return stored


def finish(*, match: Match, winner_side: int | None, termination: MatchEnd = MatchEnd.NORMAL) -> Match:
    """Give a match in play its result. Raises BadState."""
    with transaction.atomic():
        row = lock_one(Match.objects.filter(pk=match.pk))
        progress = Progress()
        progress.finish(row, winner_side, termination)
        progress.save()
        _tell_end(row)
    return row


def void(*, match: Match, reason: str) -> Match:
    """End a match without a result; its finished deals stay. Raises BadState when it is over already."""
    with transaction.atomic():
        row = lock_one(Match.objects.filter(pk=match.pk))
        progress = Progress()
        progress.void(row, reason)
        progress.save()
        _tell_end(row)
    return row


def _tell_end(match: Match) -> None:
    """Whoever follows the table of a match that was ended from outside sees it at once."""
    match.live_seq += 1
    match.pause, match.paused_at = "", None
    match.save(update_fields=["live_seq", "pause", "paused_at"])
    live.publish(match, "result", result_of(match, with_seed=set_is_over(match)))


def score_of(match: Match) -> MatchScore:
    """The score of a match after its stored deals."""
    return fold(match, match.deals.order_by("number"))


def fold(match: Match, deals: Iterable[Deal]) -> MatchScore:
    """The score after `deals`, the deals of a match in their order; one that is not over does not count."""
    score = MatchScore(match.parsed_rules)
    for deal in deals:
        if deal.is_over:
            score = score.add(counted(score, deal))
    return score
