"""What a deal that was played was worth: the luck of its draw and, near the end, the best cards.

The best card is found with all hands open (`solver`). In a deal of two the last three tricks are open to both players
as well, so what a card gave away there is a mistake; before that, and with more seats, it tells what the cards would
have allowed, which nobody at the table could know.
"""

from dataclasses import dataclass

from .cards import CODES
from .errors import SolverError
from .luck import luck
from .record import Record
from .rules import Rules
from .solver import solve

#: Tricks before the end that are looked at: of two players with a stock still there, of others without.
OPEN_TRICKS = 8
LAST_TRICKS = 3


@dataclass(frozen=True, slots=True)
class PlayValue:
    """What a card was worth when it was played; cards are codes, points those of the player's side.

    `ply` = cards played before it. `best` = the cards that lose nothing, `lost` = points given away against them
    (0: one of the best). `values` = points to come of the player's side less those of the other for each card of the
    hand, when all play their best with open cards. `is_exact` = the player could know all hands.
    """

    ply: int
    seat: int
    card: str
    best: tuple[str, ...]
    lost: int
    values: dict[str, int]
    is_exact: bool


@dataclass(frozen=True, slots=True)
class DealAnalysis:
    """`luck`: tenths of a point by seat (`luck.luck`), None where it has no meaning; `plays` in playing order."""

    luck: tuple[int, ...] | None
    plays: tuple[PlayValue, ...]


def analyse(record: Record, *, tricks: int = OPEN_TRICKS) -> DealAnalysis:
    """Analyse a deal that is over, or as far as it was played.

    `tricks` = how many before the end are looked at in a deal of two. Rules with more than two sides or a
    stop at 61, and positions that the solver refuses, have no values. Raises what `Record.replay` raises.

    >>> from games.engine import Deal, Record, Rules, shuffled
    >>> deal = Deal(Rules(), shuffled(Rules(), bytes(range(32)), "", 1).deck, dealer=1)
    >>> while not deal.over:
    ...     deal.play(deal.legal()[0])
    >>> play = analyse(Record.of(deal)).plays[-6]
    >>> play.card, play.best, play.lost
    ('RB', ('CD',), 3)
    """
    return DealAnalysis(luck(record), tuple(_values(record, tricks)))


def first_ply(rules: Rules, tricks: int = OPEN_TRICKS) -> int:
    """Cards played before the first one that `analyse` looks at."""
    looked_at = tricks if rules.n == 2 else LAST_TRICKS
    return max(0, rules.tricks - looked_at) * rules.n


def _is_known(rules: Rules, stock: int) -> bool:
    """Whether the seat on turn could know every hand and what is still to be drawn."""
    if stock:
        return rules.open == "all"
    return rules.n == 2 or rules.open != "none"


def _values(record: Record, tricks: int) -> list[PlayValue]:
    rules = record.rules
    start = first_ply(rules, tricks)
    # where a deal stops by itself above 60, points that are given away may win it
    if rules.side_count != 2 or rules.stop_at_61 == "auto" or start >= len(record.plays):
        return []
    found = []
    deal = record.replay(upto=start)
    for ply in range(start, len(record.plays)):
        card, seat = record.plays[ply], deal.turn
        try:
            solution = solve(deal)
        except SolverError:
            deal.play(card)
            continue
        sign = 1 if rules.sides[seat] == 0 else -1
        values = {code: sign * value for code, value in solution.values.items()}
        most = max(values.values())
        found.append(
            PlayValue(
                ply=ply,
                seat=seat,
                card=CODES[card],
                best=tuple([code for code, value in values.items() if value == most]),
                # The points to come are shared out, so a point lost is two of the difference.
                lost=(most - values[CODES[card]]) // 2,
                values=values,
                is_exact=_is_known(rules, deal.stock_size),
            )
        )
        deal.play(card)
    return found
