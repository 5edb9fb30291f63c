"""Exact ending of a two-player deal: the last three tricks, when the stock is empty and both hands are known.

Only that case is solved; anything else is refused, never guessed.
"""

from dataclasses import dataclass

from .cards import BEATS, CODES, POINTS, SUITS, card_int
from .deal import Deal
from .errors import SolverError
from .position import Position
from .view import Observation

Hand = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Solution:
    """Points that side 0 takes from here on less those of side 1, when both play best; cards are codes.

    `values`: that number for each card of the seat on turn; `best`: its best cards, in the order of `values`;
    `line`: best play of both to the end, each time the first best card.
    """

    value: int
    values: dict[str, int]
    best: tuple[str, ...]
    line: tuple[str, ...]


def solve(subject: Deal | Position | Observation) -> Solution:
    """Solve an ending, with points on the table counted among those to come.

    Raises SolverError: `solver.hidden` (cards are hidden), `solver.sides` (not two seats), `solver.too_big` (there is a
    stock), `solver.over` (nothing to play).
    """
    turn, mine, other, lead, trump = _ending(subject)
    if not mine:
        raise SolverError("solver.over", "The deal is over: there is nothing to play.")
    sign = 1 if turn == 0 else -1
    search = _Search(trump)
    gains = search.values(mine, other, lead)
    most = max(gains.values())
    return Solution(
        sign * most,
        {CODES[card]: sign * gain for card, gain in gains.items()},
        tuple([CODES[card] for card, gain in gains.items() if gain == most]),
        tuple([CODES[card] for card in search.line(mine, other, lead, gains)]),
    )


def _ending(subject: Deal | Position | Observation) -> tuple[int, Hand, Hand, int | None, int]:
    """Seat on turn, its hand, the other hand, the card led if it lies there, the trump suit."""
    if subject.rules.n != 2:
        raise SolverError("solver.sides", "Only endings of two players are solved.")
    if isinstance(subject, Observation):
        return _observed_ending(subject)
    deal = subject.deal() if isinstance(subject, Position) and _is_open(subject) else subject
    if isinstance(deal, Position):
        raise SolverError("solver.hidden", "Both hands must be open.")
    if deal.stock_size:
        raise SolverError("solver.too_big", "Only the last three tricks are solved, when the stock is empty.")
    if deal.over:
        return deal.turn, (), (), None, deal.trump
    lead = deal.table[0] if deal.table else None
    mine, other = deal.hands[deal.turn], deal.hands[1 - deal.turn]
    return deal.turn, tuple(sorted(mine)), tuple(sorted(other)), lead, deal.trump


def _observed_ending(view: Observation) -> tuple[int, Hand, Hand, int | None, int]:
    if view.stock:
        raise SolverError("solver.too_big", "Only the last three tricks are solved, when the stock is empty.")
    other = view.opponent_hand()
    if other is None or view.turn is None or view.seat != view.turn:
        raise SolverError("solver.hidden", "Only the seat on turn can solve its own ending.")
    lead = card_int(view.table[0][1]) if view.table else None
    hand = tuple(sorted(map(card_int, view.hand)))
    return view.turn, hand, tuple(map(card_int, other)), lead, SUITS.index(view.trump)


def _is_open(position: Position) -> bool:
    return not any(isinstance(cards, int) for cards in (*position.hands, position.stock))


class _Search:
    """Plain search of both hands to the end; what the leader of a trick can get is remembered by hands."""

    __slots__ = ("beats", "known")

    def __init__(self, trump: int) -> None:
        self.beats = BEATS[trump]
        self.known: dict[tuple[Hand, Hand], int] = {}

    def values(self, mine: Hand, other: Hand, lead: int | None) -> dict[int, int]:
        """Points to come of the seat on turn less the other's, for each card it may play."""
        if lead is None:
            return {card: min(self._replies(other, rest, card).values()) for card, rest in _choices(mine)}
        return {card: -gain for card, gain in self._replies(mine, other, lead).items()}

    def line(self, mine: Hand, other: Hand, lead: int | None, gains: dict[int, int]) -> list[int]:
        """Best cards of both to the end; `gains` are the values of the first choice."""
        cards = []
        while mine:
            card = max(gains, key=gains.__getitem__)
            cards.append(card)
            mine = tuple([held for held in mine if held != card])
            if lead is None:
                mine, other, lead = other, mine, card
            else:
                if not self.beats[lead * 40 + card]:
                    mine, other = other, mine
                lead = None
            gains = self.values(mine, other, lead)
        return cards

    def _replies(self, replying: Hand, leading: Hand, lead: int) -> dict[int, int]:
        """Gain of the leader, who keeps `leading` after `lead`, for each reply."""
        gains = {}
        beats, base, points = self.beats, lead * 40, POINTS[lead]
        for card, rest in _choices(replying):
            if beats[base + card]:
                gains[card] = -points - POINTS[card] - self._lead(rest, leading)
            else:
                gains[card] = points + POINTS[card] + self._lead(leading, rest)
        return gains

    def _lead(self, mine: Hand, other: Hand) -> int:
        """Points to come of the seat that leads less the other's."""
        beats = self.beats
        if len(mine) < 2:
            if not mine:
                return 0
            gain = POINTS[mine[0]] + POINTS[other[0]]
            return -gain if beats[mine[0] * 40 + other[0]] else gain
        value = self.known.get((mine, other))
        if value is not None:
            return value
        value = -1000
        replies = _choices(other)
        for card, rest in _choices(mine):
            base, points = card * 40, POINTS[card]
            worst = 1000
            for reply, left in replies:
                if beats[base + reply]:
                    gain = -points - POINTS[reply] - self._lead(left, rest)
                else:
                    gain = points + POINTS[reply] + self._lead(rest, left)
                if gain < worst:
                    worst = gain
                    if worst <= value:
                        break
            value = max(value, worst)
        self.known[mine, other] = value
        return value


def _choices(hand: Hand) -> list[tuple[int, Hand]]:
    """Each card of a hand with the cards that stay."""
    return [(card, hand[:at] + hand[at + 1 :]) for at, card in enumerate(hand)]
