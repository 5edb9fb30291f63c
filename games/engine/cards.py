"""Cards: integers 0..39 inside the engine, two-letter codes (`AD`, `3C`) outside.

card = suit * 10 + strength; suits D C S B (denari, coppe, spade, bastoni) = 0..3; strength 0..9 = 2 4 5 6 7 F C R 3 A,
so that in one suit the larger integer takes the trick.
"""

from collections.abc import Iterable
from typing import Final

from .errors import CardError, shown

SUITS: Final = "DCSB"
RANKS: Final = "24567FCR3A"
"""Ranks from the weakest to the strongest."""

HONOURS: Final = "A3RCF"
"""Ranks that count points, from the strongest to the weakest."""

RANK_POINTS: Final = (0, 0, 0, 0, 0, 2, 3, 4, 10, 11)
"""Points by strength: 30 a suit."""

POINTS: Final = RANK_POINTS * 4
"""Points by card: 120 a deck."""

CODES: Final = tuple(rank + suit for suit in SUITS for rank in RANKS)
"""Code by card."""

FRENCH_FIGURES: Final = {
    "north": {"A": "A", "3": "3", "R": "K", "C": "Q", "F": "J"},
    "south": {"A": "A", "3": "3", "R": "K", "C": "J", "F": "Q"},
}
"""Index letter on a French face by rank, for the option `figures`; the other ranks keep their number."""

NO_CARD: Final = 40
"""Stands for the upcard of a deal without one; of no suit, so `NO_CARD // 10` is no trump."""

NO_TRUMP: Final = NO_CARD // 10

_CODE_OF: Final = dict(enumerate(CODES))

_NUMBERS: Final = {
    form: card
    for card, code in enumerate(CODES)
    for form in (code, code[0].lower() + code[1], code[0] + code[1].lower(), code.lower())
}

BEATS: Final = tuple(
    tuple(new > held if new // 10 == held // 10 else new // 10 == trump for held in range(40) for new in range(40))
    for trump in range(NO_TRUMP + 1)
)
"""`BEATS[trump][held * 40 + new]`: whether `new`, played later, takes the trick from `held`, which leads it so far."""


def card_code(card: int) -> str:
    """Code of a card, upper case. Raises CardError `card.code`.

    >>> card_code(9)
    'AD'
    """
    if isinstance(card, int) and 0 <= card < 40:
        return CODES[card]
    raise CardError("card.code", f"A card is a number from 0 to 39, not {shown(card)}.", card=card)


def card_int(code: str) -> int:
    """Card of a code, in upper or lower case. Raises CardError `card.code`.

    >>> card_int("3c")
    18
    """
    try:
        return _NUMBERS[code]
    except (KeyError, TypeError):
        raise CardError(
            "card.code",
            f"{shown(code)} is not a card: write a rank (A 3 R C F 7 6 5 4 2) and a suit (D C S B), as in AD.",
            card=code,
        ) from None


def parse_cards(text: str) -> tuple[int, ...]:
    """Cards of codes written without spaces (`AD3C`). Raises CardError `card.code`.

    >>> parse_cards("AD3C")
    (9, 18)
    """
    if not isinstance(text, str):
        raise CardError("card.code", f"Cards are written as text, not as {type(text).__name__}.", card=text)
    try:
        return tuple([_NUMBERS[text[at : at + 2]] for at in range(0, len(text), 2)])
    except KeyError:
        for at in range(0, len(text), 2):
            card_int(text[at : at + 2])
        raise


def format_cards(cards: Iterable[int]) -> str:
    """Codes of cards, upper case, without spaces. Raises CardError `card.code`.

    >>> format_cards((9, 18))
    'AD3C'
    """
    numbers = list(cards)
    try:
        return "".join([_CODE_OF[card] for card in numbers])
    except (KeyError, TypeError):
        return "".join(map(card_code, numbers))


def beats(new: int, held: int, trump: int) -> bool:
    """Whether card `new` takes the trick (presa) from `held`, which was played before and leads the trick so far."""
    return BEATS[trump][held * 40 + new]
