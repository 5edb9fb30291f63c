"""Exact ending of a two-player deal: the last three tricks, when the stock is empty and both hands follow from the play.

Only that case is solved; anything else is refused, never guessed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from .cards import BEATS, CODES, POINTS, SUITS, card_int
from .deal import Deal
from .errors import SolverError
from .position import Position
from .view import Observation


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
    gains = {card: _value_of(card, mine, other, lead, BEATS[trump]) for card in mine}
    most = max(gains.values())
    line = _best_line(mine, other, lead, BEATS[trump])
    return Solution(
        sign * most,
        {CODES[card]: sign * gain for card, gain in gains.items()},
        tuple(CODES[card] for card, gain in gains.items() if gain == most),
        tuple(CODES[card] for card in line),
    )


def _ending(subject: Deal | Position | Observation) -> tuple[int, list[int], list[int], int | None, int]:
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
        return deal.turn, [], [], None, deal.trump
    lead = deal.table[0] if deal.table else None
    return deal.turn, sorted(deal.hands[deal.turn]), sorted(deal.hands[1 - deal.turn]), lead, deal.trump


def _observed_ending(view: Observation) -> tuple[int, list[int], list[int], int | None, int]:
    if view.stock:
        raise SolverError("solver.too_big", "Only the last three tricks are solved, when the stock is empty.")
    other = view.opponent_hand()
    if other is None or view.turn is None or view.seat != view.turn:
        raise SolverError("solver.hidden", "Only the seat on turn can solve its own ending.")
    lead = card_int(view.table[0][1]) if view.table else None
    hand = sorted(map(card_int, view.hand))
    return view.turn, hand, [card_int(card) for card in other], lead, SUITS.index(view.trump)


def _is_open(position: Position) -> bool:
    return not any(isinstance(cards, int) for cards in (*position.hands, position.stock))


def _without(cards: Sequence[int], card: int) -> list[int]:
    return [other for other in cards if other != card]


def _value_of(card: int, mine: Sequence[int], other: Sequence[int], lead: int | None, beats: Sequence[bool]) -> int:
    """Points to come of the seat on turn less the other's, when it plays `card`."""
    rest = _without(mine, card)
    if lead is None:
        return -_best(other, rest, card, beats)
    gain = POINTS[lead] + POINTS[card]
    if beats[lead * 40 + card]:
        return gain + _best(rest, other, None, beats)
    return -gain - _best(other, rest, None, beats)


def _best(mine: Sequence[int], other: Sequence[int], lead: int | None, beats: Sequence[bool]) -> int:
    return max([_value_of(card, mine, other, lead, beats) for card in mine], default=0)


def _best_line(mine: Sequence[int], other: Sequence[int], lead: int | None, beats: Sequence[bool]) -> list[int]:
    line = []
    while mine:
        card = max(mine, key=lambda choice: _value_of(choice, mine, other, lead, beats))  # noqa: B023 - used at once
        line.append(card)
        mine = _without(mine, card)
        if lead is None:
            mine, other, lead = other, mine, card
            continue
        if not beats[lead * 40 + card]:
            mine, other = other, mine
        lead = None
    return line
