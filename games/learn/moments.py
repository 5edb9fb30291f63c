"""Moments of deals that show an idea: looked for in deals shuffled by the engine, never made up by hand.

Deterministic: the same name and idea give the same moment for ever. Cards of a moment are codes.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from games.engine import POINTS, Deal, Rules, card_code, shuffled, solve

SEED: Final = sha256(b"Bella: examples of the rules").digest()
#: Deals looked through for one idea.
DEALS: Final = 3000
_IN_SUIT: Final = 10

Idea = Callable[[Deal], int | None]
"""What is looked for: the card (an integer) with which the seat on turn shows the idea, None where it cannot."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a card does as the last one of its trick: who takes, with how many points."""

    card: str
    winner: int
    points: int


@dataclass(frozen=True, slots=True)
class End:
    """How the deal ends after a card when both sides play their best: points of the own and of the other side."""

    card: str
    own: int
    other: int


@dataclass(frozen=True, slots=True)
class Moment:
    """A deal before a play: what the seat on turn sees, its `right` card, and what each card does.

    `table` = (seat, card) in playing order; `points` of the own side first; `partner` = the partner's hand and `signal`
    = what the table tells of it (trump honours, number of loads), both empty for two; `theirs` = the opponent's hand,
    for two once it follows from what was played. `outcomes` is empty where others play after this seat; `ends` is there
    for two players from the last draw on.
    """

    seat: int
    seats: int
    hand: tuple[str, ...]
    table: tuple[tuple[int, str], ...]
    right: str
    trump: str
    upcard: str
    stock: int
    points: tuple[int, ...]
    partner: tuple[str, ...]
    theirs: tuple[str, ...]
    signal: tuple[str, int]
    outcomes: tuple[Outcome, ...]
    ends: tuple[End, ...]

    @property
    def outcome(self) -> Outcome:
        """What the right card does."""
        return next(one for one in self.outcomes if one.card == self.right)


def find(name: str, rules: Rules, idea: Idea) -> Moment:
    """The first moment that shows `idea` in the deals that belong to `name`. Raises LookupError when none does."""
    for number in range(1, DEALS):
        deal = Deal(rules, shuffled(rules, SEED, name, number).deck, dealer=rules.n - 1)
        while not deal.over:
            if (right := idea(deal)) is not None:
                return moment_of(deal, right)
            deal.play(sensible(deal))
    raise LookupError(name)


def moment_of(deal: Deal, right: int) -> Moment:
    """The deal as it stands; `right` = the card that the example is about."""
    seat = deal.turn
    seen = deal.observe(seat)
    partners = [other for other in range(deal.rules.n) if other != seat and seen.sides[other] == seen.sides[seat]]
    return Moment(
        seat=seat,
        seats=deal.rules.n,
        hand=seen.hand,
        table=seen.table,
        right=card_code(right),
        trump=seen.trump,
        upcard=seen.upcard,
        stock=seen.stock,
        points=seen.points if seen.sides[seat] == 0 else seen.points[::-1],
        partner=tuple(card_code(card) for other in partners for card in deal.hands[other]),
        theirs=seen.opponent_hand() or (),
        signal=next(iter(seen.signals.values()), ("", 0)),
        outcomes=tuple(_outcomes(deal)),
        ends=tuple(_ends(deal)) if deal.rules.n == 2 and deal.stock_size <= deal.rules.n else (),
    )


def takes(deal: Deal, card: int) -> bool:
    """Whether the seat on turn would hold the trick with `card`, of what lies on the table so far."""
    return _holder([*deal.table, card], deal.trump) == len(deal.table)


def holder(deal: Deal) -> int | None:
    """Seat that holds the trick so far; None when the table is empty."""
    if not deal.table:
        return None
    return (deal.leader + _holder(deal.table, deal.trump)) % deal.rules.n


def sensible(deal: Deal) -> int:
    """A card that most players would play: plain cards to lead, loads and cheap trumps for tricks with points."""
    lying = sum(POINTS[card] for card in deal.table)

    def value(card: int) -> float:
        points, cost = POINTS[card], 3 + card % 10 / 4 if card // 10 == deal.trump else card % 10 / 100
        if not deal.table:
            return -points - cost
        return (lying + points if takes(deal, card) else -lying - points) - cost

    return max(deal.legal(), key=value)


def _holder(cards: Sequence[int], trump: int) -> int:
    suit = trump if any(card // 10 == trump for card in cards) else cards[0] // 10
    return max(range(len(cards)), key=lambda at: cards[at] % _IN_SUIT if cards[at] // 10 == suit else -1)


def _outcomes(deal: Deal) -> Iterator[Outcome]:
    if len(deal.table) != deal.rules.n - 1:
        return
    for card in deal.legal():
        deal.play(card)
        trick = deal.tricks[-1]
        deal.undo()
        yield Outcome(card_code(card), trick.winner, trick.points)


def _ends(deal: Deal) -> Iterator[End]:
    side = deal.rules.sides[deal.turn]
    have, to_come = deal.side_points, deal.unplayed
    for card, ahead in solve(deal).values.items():
        first = have[0] + (to_come + ahead) // 2
        own = first if side == 0 else 120 - first
        yield End(card, own, 120 - own)
