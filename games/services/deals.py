"""A table where people play, held by one verb at a time: `at_table` locks the match and reads where it stands; what the
verb changes is written, published and told to the apps above when it leaves.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from django.db import transaction
from django.utils import timezone

from accounts.foundation import lock_one
from games import live
from games.engine import Deal as EngineDeal
from games.engine import DealResult, Observation, card_code, format_cards, shuffled
from games.errors import TableError
from games.events import TurnGiven, TurnTaken, publish
from games.models import Deal, DealEnd, Match, MatchEnd, MatchState
from games.selectors import state as states
from games.selectors.standing import Standing, replayed, sides_of, standing
from games.selectors.visibility import set_is_over
from games.services import clock
from games.services.results import Progress

#: Ends of deals that are faults of a bot: the second one of a seat loses the match.
BOT_FAULTS: Final = frozenset(
    {DealEnd.TIMEOUT, DealEnd.CRASH, DealEnd.ILLEGAL, DealEnd.PROTOCOL, DealEnd.MEMORY, DealEnd.OUTPUT}
)
_MATCH_FIELDS: Final = ("live_seq", "wake_at", "ready", "paused_at", "pause", "open_hands", "aids")
MAX_THINK_MS: Final = 2**31 - 1


@dataclass(slots=True)
class Table(Standing):
    """Where a match stands while its row is locked. Every change goes through the methods and is written by `save`."""

    now: datetime = field(default_factory=timezone.now)
    progress: Progress = field(default_factory=Progress)
    is_changed: bool = False
    is_turn_given: bool = False
    is_turn_taken: bool = False
    _dirty: dict[int, Deal] = field(default_factory=dict)
    _private: dict[int, dict[str, Any]] = field(default_factory=dict)

    # ---- telling

    def tell(self, kind: str, public: Mapping[str, Any], seats: Mapping[int, Mapping[str, Any]] | None = None) -> int:
        """Publish a change of the table; its number."""
        self.is_changed = True
        self.match.live_seq += 1
        live.publish(self.match, kind, {"seq": self.match.live_seq, **public}, seats or {})
        return self.match.live_seq

    def tell_state(self) -> None:
        """Publish the whole state anew, to each seat its own."""
        self.is_changed = True
        self.match.live_seq += 1
        here = clock.here(self)
        own = {seat: states.state_of(self, seat, present=here) for seat in range(self.rules.n)}
        live.publish(self.match, "state", states.state_of(self, None, present=here), own)

    def private(self) -> dict[int, dict[str, Any]]:
        """By seat what it alone may know and what changed since it was asked last: `signals`, `known`."""
        changed = {}
        for seat in range(self.rules.n):
            now = states.own(self, self.seen(seat))
            before = self._private.get(seat, {})
            if new := {name: value for name, value in now.items() if before.get(name) != value}:
                changed[seat] = new
            self._private[seat] = now
        return changed

    def seen(self, seat: int) -> Observation:
        """What a seat sees of the deal."""
        assert self.deal is not None
        return self.deal.observe(seat)

    # ---- deals

    def touch(self, row: Deal) -> None:
        """Write this row of a deal at the end."""
        self.is_changed = True
        self._dirty[row.number] = row

    def start(self) -> None:
        """The match begins, with its first deal."""
        self.progress.start(self.match)
        self.begin_deal()

    def begin_deal(self) -> None:
        """Shuffle and deal the next deal; the first seat is on turn."""
        match, number = self.match, self.score.deals + 1
        row = Deal(match=match, number=number, points=[0] * self.rules.n, unplayed=120)
        if number == 1 and (origin := match.origin_deal) is not None:
            plies = match.origin_ply or 0
            row.dealer, row.deck, row.turned = origin.dealer, origin.deck, origin.turned
            row.plays, row.think_ms = origin.plays[: 2 * plies], [0] * plies
            row.seqs, row.moments_ms = [0] * plies, [0] * plies
        else:
            shuffle = shuffled(self.rules, bytes(match.seed), match.salt, number)
            row.dealer = self.score.next_dealer(match.first_dealer)
            row.deck, row.turned = format_cards(shuffle.deck), format_cards(shuffle.turned)
        self.rows.append(row)
        self._set_deal()
        self.give_turn()
        seats = {seat: {"hand": list(self.seen(seat).hand)} for seat in range(self.rules.n)}
        private = self.private()
        seen = self.deal_in_play.observe(None)
        self.tell(
            "start",
            {
                "deal": number,
                "dealer": row.dealer,
                "upcard": seen.upcard or None,
                "turn": self.turn,
                "clock": states.clock_of(self),
            },
            {seat: hand | private.get(seat, {}) for seat, hand in seats.items()},
        )

    def _set_deal(self) -> None:
        """Replay the last row."""
        self.deal = replayed(self.rules, self.rows[-1])
        self._private.clear()

    def cut(self, plies: int) -> None:
        """Take the deal back to its first `plies` cards."""
        row = self.deal_row
        row.plays = row.plays[: 2 * plies]
        for name in ("think_ms", "seqs", "moments_ms"):
            setattr(row, name, getattr(row, name)[:plies])
        row.signs = [sign for sign in row.signs if sign[0] <= plies]
        row.offers = {}
        self.is_turn_taken = True
        self._set_deal()
        self.give_turn()

    @property
    def deal_in_play(self) -> EngineDeal:
        """The deal; only while there is one."""
        assert self.deal is not None
        return self.deal

    @property
    def deal_row(self) -> Deal:
        """The row of the last deal; only when there is one."""
        return self.rows[-1]

    def give_turn(self) -> None:
        """The seat on turn has from now on."""
        self.deal_row.turn_at = self.now
        self.touch(self.deal_row)
        self.is_turn_given = True

    def put(self, card: int, charged_ms: int, at_ms: int) -> None:
        """Play a card for the seat on turn, and whatever follows from it."""
        deal, row = self.deal_in_play, self.deal_row
        seat, ply = deal.turn, len(deal.plays)
        self._remember()
        stock = deal.stock_size
        deal.play(card)
        row.plays += card_code(card)
        row.think_ms = [*row.think_ms, min(MAX_THINK_MS, charged_ms)]
        row.moments_ms = [*row.moments_ms, at_ms]
        row.seqs = [*row.seqs, self.match.live_seq + 1]
        row.offers = {}
        is_trick = len(deal.plays) % self.rules.n == 0
        if not deal.over:
            self.give_turn()
        else:
            row.turn_at = None
            self.touch(row)
        private = self.private()
        self.tell(
            "play",
            {
                "deal": row.number,
                "ply": ply,
                "seat": seat,
                "card": card_code(card),
                "turn": None if is_trick else deal.turn,
                "clock": states.clock_of(self),
            },
            {} if is_trick else private,
        )
        if is_trick:
            self._tell_trick(stock, private)
        if deal.over:
            self.end_deal(DealEnd(deal.termination))

    def _remember(self) -> None:
        if not self._private:
            self.private()

    def _tell_trick(self, stock: int, private: Mapping[int, dict[str, Any]]) -> None:
        deal = self.deal_in_play
        trick = deal.tricks[-1]
        own = {seat: dict(private.get(seat, {})) for seat in range(self.rules.n)}
        if deal.stock_size < stock:
            for seat in range(self.rules.n):
                own[seat]["drew"] = card_code(deal.hands[seat][-1])
        self.tell(
            "trick",
            {
                "deal": self.deal_row.number,
                "trick": len(deal.tricks),
                "winner": trick.winner,
                "points": trick.points,
                "totals": list(deal.side_points),
                "stock": deal.stock_size,
                "hands": [len(hand) for hand in deal.hands],
                "turn": None if deal.over else deal.turn,
            },
            {seat: found for seat, found in own.items() if found},
        )

    # ---- ends

    def end_deal(self, termination: DealEnd, fault_seat: int | None = None, *, ends_match: bool = True) -> None:
        """The deal is over: as played, or lost by the side of `fault_seat`; the match too when that decides it."""
        deal, row = self.deal_in_play, self.deal_row
        result = deal.result() if fault_seat is None else DealResult.forfeited(self.rules, fault_seat)
        row.points, row.unplayed = list(deal.points), deal.unplayed
        row.winner_side, row.termination, row.fault_seat = result.winner_side, termination, fault_seat
        row.turn_at, row.finished_at, row.ready, row.offers = None, self.now, [], {}
        self.touch(row)
        self.unpause()
        self.is_turn_given, self.is_turn_taken = False, True
        self.score = self.score.add(result)
        self.progress.deal_over(row, self.score)
        losers = self._lost_by_faults()
        is_last = self.score.is_over or bool(losers)
        self.tell(
            "deal",
            {
                "deal": row.number,
                "points": list(sides_of(self.rules, row.points)),
                "winner_side": row.winner_side,
                "termination": row.termination,
                "next_in_ms": None if is_last or not ends_match else states.BETWEEN_DEALS_MS,
                "clock": states.clock_of(self),
            },
        )
        if ends_match and losers:
            self.finish(self.score.best_without(losers), MatchEnd.FAULT)
        elif ends_match and self.score.is_over:
            self.finish(self.score.winner_side)

    def _lost_by_faults(self) -> set[int]:
        """Sides of bots with a second faulty deal."""
        seats = [row.fault_seat for row in self.rows if row.termination in BOT_FAULTS]
        return {self.rules.sides[seat] for seat in seats if seat is not None and seats.count(seat) > 1}

    def finish(self, winner_side: int | None, termination: MatchEnd = MatchEnd.NORMAL) -> None:
        """The match has its result."""
        self.is_turn_given, self.is_turn_taken = False, True
        self.unpause()
        self.progress.finish(self.match, winner_side, termination)
        self._tell_result()

    def void(self, reason: str, termination: MatchEnd = MatchEnd.VOID) -> None:
        """The match ends without a result; the deal in play is never shown."""
        if (row := self.in_play) is not None:
            row.turn_at = None
            self.touch(row)
        self.is_turn_given, self.is_turn_taken = False, True
        self.unpause()
        self.progress.void(self.match, reason, termination)
        self._tell_result()

    def _tell_result(self) -> None:
        self.tell("result", states.result_of(self.match, with_seed=set_is_over(self.match)))

    # ---- pauses

    def set_pause(self, why: str) -> None:
        """No clock runs from here; everybody is told."""
        if self.match.pause == why:
            return
        self.match.pause = why
        self.match.paused_at = self.match.paused_at or self.now
        self.is_changed = True

    def unpause(self) -> bool:
        """Clocks run again, from now for the seat on turn; whether they stood."""
        if not self.match.pause:
            return False
        self.match.pause, self.match.paused_at = "", None
        self.is_changed = True
        return True

    # ---- the end

    def save(self) -> None:
        """Write what changed and tell the apps above."""
        if not self.is_changed:
            return
        if self.match.state == MatchState.PLAYING:
            self.match.wake_at = clock.next_look(self)
        self.match.save(update_fields=_MATCH_FIELDS)
        for row in self._dirty.values():
            row.save()
        self.progress.save()
        if self.is_turn_taken:
            publish(TurnTaken(match_id=self.match.pk))
        if self.is_turn_given and self.turn is not None:
            publish(TurnGiven(match_id=self.match.pk, seat=self.turn))


def hold(match: Match) -> Table:
    """The table of a match whose row the caller has locked."""
    found = standing(match)
    return Table(found.match, found.rules, found.seats, found.rows, found.score, found.deal)


@contextmanager
def at_table(match: Match) -> Iterator[Table]:
    """Lock the match for the length of a verb; whatever was due at the table (a flag, the next deal) happens first.

    A verb refuses by TableError before it changes anything: what was due is kept all the same. Raises LockError `busy`.
    """
    refusal: TableError | None = None
    with transaction.atomic():
        table = hold(lock_one(Match.objects.filter(pk=match.pk)))
        clock.settle(table)
        try:
            yield table
        except TableError as error:
            refusal = error
        table.save()
    if refusal is not None:
        raise refusal


def start_match(*, match: Match) -> Match:
    """Begin a match with a person at the table: its first deal is dealt. Raises BadState unless it is planned."""
    with at_table(match) as table:
        table.start()
    return table.match
