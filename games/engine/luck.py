"""How much the cards of a deal of two favoured a side: a sum over the draw whose mean is nought, whatever is played.

Before each draw the two hidden cards at the top of the stock are exchangeable, so the difference of any fixed values
of the two has mean 0 and no play can move it. The table was fitted once, by least squares, on self-play of a heuristic
with exact endings; it is frozen under its name.
"""

from typing import Final

from .cards import SUITS
from .record import Record

#: Name of the table: every figure made with it is told with its name.
LUCK_TABLE: Final = "luck-1"
#: Tenths of a point of a card by strength (2 4 5 6 7 F C R 3 A).
OTHER: Final = (-15, -16, -18, -20, -20, -27, -30, -25, -5, 9)
TRUMP: Final = (-8, -11, -12, -14, -14, 6, 17, 34, 73, 95)
_TABLES: Final = tuple(
    tuple([value for suit in range(len(SUITS)) for value in (TRUMP if suit == trump else OTHER)])
    for trump in range(len(SUITS))
)


def card_value(card: int, trump: int) -> int:
    """Value of a card (integer) under a trump suit (0..3), in tenths of a point."""
    return _TABLES[trump][card]


def luck(record: Record) -> tuple[int, ...] | None:
    """Luck of each seat in tenths of a point: what its cards were worth above the other's; the two sum to 0.

    Own first cards less those of the other, and in each draw the own card less the other's, without the last draw, in
    which the upcard that both saw is taken. None where the measure has no meaning: more than two seats, no
    trump, a stock that all can see, a deal that is unfinished or ended early. Raises what `Record.replay` raises.

    >>> from games.engine import Deal, Record, Rules, shuffled
    >>> deal = Deal(Rules(), shuffled(Rules(), bytes(range(32)), "", 1).deck, dealer=1)
    >>> while not deal.over:
    ...     deal.play(deal.legal()[0])
    >>> luck(Record.of(deal))  # 8.3 points for seat 0
    (83, -83)
    """
    rules = record.rules
    if rules.n != 2 or rules.trump != "upcard" or rules.open == "all":
        return None
    deal = record.replay()
    if not deal.over or deal.unplayed:
        return None
    value = _TABLES[deal.trump]
    deck = record.deck
    hands = deck.index(deal.upcard)
    first = deal.tricks[0].leader
    own = sum([value[card] if place % 2 == 0 else -value[card] for place, card in enumerate(deck[:hands])])
    total = own if first == 0 else -own
    for trick, at in zip(deal.tricks, range(hands + 1, len(deck) - 1, 2), strict=False):
        gain = value[deck[at]] - value[deck[at + 1]]
        total += gain if trick.winner == 0 else -gain
    return total, -total
