"""The face of a card for a viewer: its name in words, its letter, the proportion of its picture.

A card code is rank then suit (`3S`). The deck is a preference of the viewer, never a rule: the Italian decks call `CS`
"Knight of swords" (Cavallo di spade), the French one "Queen of spades" (Donna di picche).
"""

from typing import Final

from django.utils.translation import gettext, ngettext, pgettext

RANKS: Final = "A234567FCR"
#: Ranks from the strongest to the weakest.
STRENGTH: Final = "A3RCF76542"
SUITS: Final = "DCSB"
CODES: Final = tuple(rank + suit for suit in SUITS for rank in RANKS)
DECKS: Final = ("napoletane", "bresciane", "francesi")
FRENCH: Final = "francesi"
BACK: Final = "back"
POINTS: Final = {"A": 11, "3": 10, "R": 4, "C": 3, "F": 2}
PROPORTIONS: Final = {"napoletane": (200, 332), "bresciane": (176, 332), "francesi": (240, 336)}


def rank_names(deck: str) -> dict[str, str]:
    """Rank letter -> its name in the active language."""
    names = {
        "A": gettext("Ace"),
        "2": gettext("Two"),
        "3": gettext("Three"),
        "4": gettext("Four"),
        "5": gettext("Five"),
        "6": gettext("Six"),
        "7": gettext("Seven"),
        "F": gettext("Knave"),
        "C": gettext("Knight"),
        "R": gettext("King"),
    }
    if deck == FRENCH:
        names |= {"F": gettext("Jack"), "C": gettext("Queen")}
    return names


def suit_names(deck: str) -> dict[str, str]:
    """Suit letter -> its name in the active language."""
    if deck == FRENCH:
        return {
            "D": pgettext("French deck", "diamonds"),
            "C": pgettext("French deck", "hearts"),
            "S": pgettext("French deck", "spades"),
            "B": pgettext("French deck", "clubs"),
        }
    return {
        "D": pgettext("Italian deck", "coins"),
        "C": pgettext("Italian deck", "cups"),
        "S": pgettext("Italian deck", "swords"),
        "B": pgettext("Italian deck", "clubs"),
    }


def rank_letters(deck: str) -> dict[str, str]:
    """Rank letter of the code -> the letter printed on the card."""
    letters = {rank: rank for rank in RANKS}
    return letters | {"F": "J", "C": "Q", "R": "K"} if deck == FRENCH else letters


def name_pattern() -> str:
    """How rank and suit make a name: `{rank} of {suit}`."""
    return gettext("{rank} of {suit}")


def card_name(code: str, deck: str = DECKS[0]) -> str:
    """`3S` -> "Three of swords"; an empty code is a card face down."""
    if not code:
        return gettext("Card face down")
    return name_pattern().format(rank=rank_names(deck)[code[0]], suit=suit_names(deck)[code[1]])


def spoken(code: str, deck: str, trump: str = "") -> str:
    """The name with what the card is worth: "Three of swords, 10 points, trump"."""
    points = POINTS.get(code[0], 0)
    parts = [card_name(code, deck), ngettext("{n} point", "{n} points", points).format(n=points)]
    if trump and code[1] == trump:
        parts.append(gettext("trump"))
    return ", ".join(parts)
