"""Best play with all cards open: two players up to eight tricks before the end, two sides of partners the last three.

For two players without a stock both hands are known to both, so there it is the true game. Anything else that is asked
is refused, never guessed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from .cards import BEATS, CODES, NO_TRUMP, SUITS, card_int
from .deal import Deal
from .ending import GAINS, best_line, lead_values, points_of, reply_values
from .errors import SolverError
from .open_search import OpenSearch
from .position import Position
from .rules import Rules
from .sides_search import SidesSearch
from .view import Observation

#: Tricks before the end from which a deal of two is solved; other deals are when the stock is empty.
MOST_TRICKS: Final = 8
#: Cards of a hand up to which `ending` has the answer.
ENDING: Final = 3
MAX_NODES: Final = 5_000_000

Subject: TypeAlias = Deal | Position | Observation | str


@dataclass(frozen=True, slots=True)
class Solution:
    """Points that side 0 takes from here on less those of side 1, when all play best; cards are codes.

    `values`: that number for each card of the seat on turn, in ascending order of the cards; `best`: its best cards, in
    the same order; `line`: best play of all to the end, each time the first best card.
    """

    value: int
    values: dict[str, int]
    best: tuple[str, ...]
    line: tuple[str, ...]


class _Table(NamedTuple):
    """All cards of a deal at one moment; `stock` in drawing order with the upcard."""

    rules: Rules
    trump: int
    hands: tuple[tuple[int, ...], ...]
    lying: tuple[int, ...]
    leader: int
    stock: tuple[int, ...]

    @property
    def turn(self) -> int:
        return (self.leader + len(self.lying)) % self.rules.n

    def after(self, card: int) -> "_Table":
        """The table when the seat on turn has played a card."""
        turn, n = self.turn, self.rules.n
        hands = [tuple([held for held in hand if held != card]) if seat == turn else hand
                 for seat, hand in enumerate(self.hands)]  # fmt: skip
        lying = (*self.lying, card)
        if len(lying) < n:
            return self._replace(hands=tuple(hands), lying=lying)
        leader, held = self.leader, lying[0]
        for step in range(1, n):
            if BEATS[self.trump][held * 40 + lying[step]]:
                leader, held = (self.leader + step) % n, lying[step]
        for step, drawn in enumerate(self.stock[:n]):
            seat = (leader + step) % n
            hands[seat] = (*hands[seat], drawn)
        return self._replace(hands=tuple(hands), lying=(), leader=leader, stock=self.stock[n:])


#: The cards of the seat on turn, ascending, and their values.
_Values: TypeAlias = Callable[[_Table], tuple[list[int], list[int]]]


def solve(subject: Subject, *, max_nodes: int = MAX_NODES) -> Solution:
    """Solve a position, with points on the table counted among those to come.

    `subject`: a deal, a position or its string with every card open, or what the seat on turn sees when that is all. It
    is played to the last card, whatever the rules say of stopping early. Raises SolverError: `solver.hidden` (cards are
    hidden), `solver.sides` (not two sides), `solver.too_big` (too many tricks to come, or more than `max_nodes`
    positions), `solver.over` (nothing to play); PositionError for a string that is no position.

    >>> from games.engine import Deal, Record, Rules, shuffled
    >>> deal = Deal(Rules(), shuffled(Rules(), bytes(range(32)), "", 1).deck, dealer=1)
    >>> while len(deal.plays) < 34:
    ...     deal.play(deal.legal()[0])
    >>> solution = solve(deal)
    >>> solution.best, solution.values
    (('CD',), {'CD': -7, '6B': -13, 'RB': -13})
    """
    table = _opened(subject)
    rules, turn = table.rules, table.turn
    if rules.side_count != 2:
        raise SolverError("solver.sides", "Only deals of two sides are solved.")
    if not table.hands[turn]:
        raise _over()
    if rules.n == 2 and not table.stock and len(table.hands[turn]) <= ENDING:
        mine, other, found = _ending_gains(table)
        cards, sign = [*mine], -1 if rules.sides[table.leader] else 1
        gains = [sign * points_of(gain) for gain in found]
        line = best_line(mine, other, table.lying[0] if table.lying else None, found, GAINS[table.trump])
    else:
        values = _values_of(table, max_nodes)
        cards, gains = values(table)
        line = _line(table, values, cards, gains)
    most = min(gains) if rules.sides[turn] else max(gains)
    codes = [CODES[card] for card in cards]
    return Solution(
        most,
        dict(zip(codes, gains, strict=True)),
        tuple([code for code, gain in zip(codes, gains, strict=True) if gain == most]),
        tuple([CODES[card] for card in line]),
    )


def _ending(table: _Table) -> tuple[list[int], list[int]]:
    """Values of two players without a stock."""
    mine, _, found = _ending_gains(table)
    if table.rules.sides[table.leader]:
        return [*mine], [-points_of(value) for value in found]
    return [*mine], [points_of(value) for value in found]


def _ending_gains(table: _Table) -> tuple[tuple[int, ...], tuple[int, ...], list[int]]:
    """Both hands in ascending order, of the seat on turn first, and the gains of the leader for its cards."""
    turn = table.turn
    mine, other = tuple(sorted(table.hands[turn])), tuple(sorted(table.hands[1 - turn]))
    gains = GAINS[table.trump]
    if table.lying:
        return mine, other, reply_values(table.lying[0], mine, other, gains)
    return mine, other, lead_values(mine, other, gains)


def _line(table: _Table, values: _Values, cards: list[int], gains: list[int]) -> list[int]:
    found = []
    while True:
        most = min(gains) if table.rules.sides[table.turn] else max(gains)
        found.append(cards[gains.index(most)])
        table = table.after(found[-1])
        if not table.hands[table.turn]:
            return found
        cards, gains = values(table)


def _values_of(table: _Table, max_nodes: int) -> _Values:
    """What finds the values of the tables that follow from one. Raises SolverError."""
    n = table.rules.n
    if n == 2 and table.rules.hand <= ENDING and len(table.hands[table.turn]) + len(table.stock) // 2 <= MOST_TRICKS:
        return _open_values(table, max_nodes)
    if table.stock:
        raise SolverError(
            "solver.too_big",
            f"Deals of two are solved up to {MOST_TRICKS} tricks before the end, others when the stock is empty.",
        )
    return _sides_values(table, max_nodes)


def _open_values(start: _Table, max_nodes: int) -> _Values:
    cards = [card for hand in start.hands for card in hand]
    search = OpenSearch((*cards, *start.lying, *start.stock), start.stock, start.trump, max_nodes)

    def values(table: _Table) -> tuple[list[int], list[int]]:
        if not table.stock:
            return _ending(table)
        turn, depth = table.turn, len(table.stock) // 2
        mine, other = sorted(table.hands[turn]), search.mask(table.hands[1 - turn])
        whole = search.mask(mine)
        if table.lying:
            lead = table.lying[0]
            found = [search.reply(lead, card, other, whole - search.mask((card,)), depth) for card in mine]
        else:
            found = [search.lead(card, whole - search.mask((card,)), other, depth) for card in mine]
        return mine, [-value for value in found] if table.rules.sides[table.leader] else found

    return values


def _sides_values(start: _Table, max_nodes: int) -> _Values:
    search = SidesSearch(start.rules, start.trump, max_nodes)

    def values(table: _Table) -> tuple[list[int], list[int]]:
        mine = sorted(table.hands[table.turn])
        return mine, [search.play(table.hands, table.leader, table.lying, card) for card in mine]

    return values


def _opened(subject: Subject) -> _Table:
    """The open cards of what is asked. Raises SolverError `solver.hidden`."""
    if isinstance(subject, str):
        subject = Position.parse(subject)
    if isinstance(subject, Observation):
        return _seen(subject)
    if isinstance(subject, Position):
        if any(isinstance(cards, int) for cards in (*subject.hands, subject.stock)):
            raise SolverError("solver.hidden", "Every hand and the stock must be open.")
        subject = subject.deal()
    if not isinstance(subject, Deal):
        raise SolverError("solver.subject", f"A deal or a position can be solved, not {type(subject).__name__}.")
    if subject.over:
        raise _over()
    return _Table(subject.rules, subject.trump, subject.hands, subject.table, subject.leader, subject.stock)


def _seen(view: Observation) -> _Table:
    """What a seat of two players knows when the stock is empty."""
    if view.turn is None:
        raise _over()
    if view.rules.side_count == 2 and view.stock:
        raise SolverError("solver.too_big", "What a seat sees is solved when the stock is empty.")
    other = view.opponent_hand() if view.rules.n == 2 else None
    if view.rules.side_count == 2 and (other is None or view.turn is None or view.seat != view.turn):
        raise SolverError("solver.hidden", "Only the seat on turn of two players can solve its own ending.")
    mine = tuple(map(card_int, view.hand))
    hands = (mine, tuple(map(card_int, other or ())))
    return _Table(
        view.rules,
        SUITS.index(view.trump) if view.trump else NO_TRUMP,
        hands if view.turn == 0 else hands[::-1],
        tuple([card_int(card) for _, card in view.table]),
        view.leader,
        (),
    )


def _over() -> SolverError:
    return SolverError("solver.over", "The deal is over: there is nothing to play.")
