"""Template tags that draw cards: picture, name, letter; and the tables that the modules of the replay need."""

from typing import Any

from django import template
from django.templatetags.static import static

from games import faces

register = template.Library()


def _picture(deck: str, code: str) -> str:
    return static(f"cards/{deck}/{code or faces.BACK}.svg")


@register.simple_tag
def card_url(code: str, deck: str = faces.DECKS[0]) -> str:
    """Address of the picture of a card; an empty code is the back."""
    return _picture(deck, code)


@register.simple_tag
def card_name(code: str, deck: str = faces.DECKS[0]) -> str:
    """Name of a card in the active language, as this deck calls it."""
    return faces.card_name(code, deck)


@register.simple_tag
def card_spoken(code: str, deck: str, trump: str = "") -> str:
    """Name, points and whether it is a trump."""
    return faces.spoken(code, deck, trump)


@register.simple_tag
def card_letter(code: str, deck: str = faces.DECKS[0]) -> str:
    """The letter printed on the card: `C` or, in the French deck, `Q`."""
    return faces.rank_letters(deck)[code[0]]


@register.simple_tag
def suit_name(suit: str, deck: str = faces.DECKS[0]) -> str:
    """Name of a suit in the active language."""
    return faces.suit_names(deck)[suit]


@register.inclusion_tag("_card.html")
def card(code: str, deck: str = faces.DECKS[0], alt: str | None = None) -> dict[str, Any]:
    """One picture of a card. `alt=""` where the name stands beside it."""
    width, height = faces.PROPORTIONS[deck]
    name = faces.card_name(code, deck) if alt is None else alt
    return {"code": code, "src": _picture(deck, code), "alt": name, "width": width, "height": height}


@register.filter
def initials(name: str) -> str:
    """Two letters for an avatar: "Luna M." -> "LM", "VelaBot" -> "VB"."""
    words = name.replace("-", " ").replace("_", " ").split()
    if len(words) > 1:
        return (words[0][0] + words[1][0]).upper()
    capitals = [letter for letter in name if letter.isupper()]
    return "".join(capitals[:2]) if len(capitals) > 1 else name[:2].upper()


@register.simple_tag
def card_tables() -> dict[str, Any]:
    """For `json_script`: addresses of all pictures, names and letters, by deck. Read by `static/js/cards.js`."""
    return {
        deck: {
            "urls": {code: _picture(deck, code) for code in (*faces.CODES, "")},
            "ranks": faces.rank_names(deck),
            "suits": faces.suit_names(deck),
            "letters": faces.rank_letters(deck),
            "size": faces.PROPORTIONS[deck],
        }
        for deck in faces.DECKS
    } | {"pattern": faces.name_pattern()}
