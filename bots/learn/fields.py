"""Every field of the view, of `match` and of `result` in words, with expressions that show it in the live position."""

from dataclasses import dataclass
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from bots.learn.position import example, shown


@dataclass(frozen=True, slots=True)
class Explained:
    """A field or method: what it is, and expressions to show in the middle of the deal and at its end."""

    name: str
    text: Promise
    middle: tuple[str, ...] = ()
    end: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """An explained field with its values: pairs of expression and value."""

    name: str
    text: Promise
    middle: tuple[tuple[str, str], ...]
    end: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Fields that belong together."""

    title: Promise
    fields: tuple[Explained, ...]


VIEW: Final = (
    Group(
        _("Your cards and the trick"),
        (
            Explained("hand", _("Your cards, the oldest first.")),
            Explained("legal", _("The cards that you may play: in Briscola all of your hand. Return one of these.")),
            Explained(
                "table", _("The trick so far: pairs of seat and card in playing order. Empty when you lead."), end=("",)
            ),
            Explained("trump", _("The suit of the trump, a letter. Empty under rules without a trump.")),
            Explained("upcard", _("The card turned up under the stock; its name stays here after it is drawn.")),
            Explained("upcard_in_stock", _("Whether the upcard still lies there."), end=("",)),
            Explained("stock", _("Cards that are still to be drawn, the upcard included."), end=("",)),
        ),
    ),
    Group(
        _("What has been played, and what follows from it"),
        (
            Explained(
                "tricks",
                _("The finished tricks: leader, cards in playing order, winner, points."),
                middle=("len(view.tricks)", "view.tricks[-1]"),
            ),
            Explained("points", _("Card points taken so far, by side."), end=("",)),
            Explained("hand_sizes", _("How many cards each seat holds."), end=("",)),
            Explained(
                "known", _("Cards in other hands that you have seen: whoever drew the upcard holds it."), end=("",)
            ),
            Explained(
                "unseen()",
                _("The cards of which you cannot know where they are: in the stock or in another hand."),
                middle=("len(view.unseen())", "view.unseen()[:4]"),
                end=("",),
            ),
            Explained(
                "opponent_hand()",
                _("The other hand, as soon as it follows from what was seen; before that None."),
                end=("",),
            ),
        ),
    ),
    Group(
        _("Who sits where"),
        (
            Explained("seat", _("Your seat, from 0.")),
            Explained(
                "sides", _("The side of each seat. Two players are a side each; in pairs seats 0 and 2 are partners.")
            ),
            Explained("dealer", _("The seat that dealt.")),
            Explained("leader", _("The seat that leads this trick."), end=("",)),
            Explained("turn", _("The seat that is asked: yours.")),
        ),
    ),
    Group(
        _("The match and your time"),
        (
            Explained("deal", _("Number of the deal in the match, from 1.")),
            Explained("score", _("Deals won so far, by side.")),
            Explained("drawn", _("Deals drawn so far, at 60 points each.")),
            Explained(
                "rules",
                _("The rules of the table, as games.engine.Rules."),
                middle=("view.rules.n", "view.rules.format", "view.rules"),
            ),
            Explained(
                "clock",
                _("What your bank of thinking time still holds for this deal, in ms of processor time."),
                middle=("view.clock.bank_cpu_ms",),
            ),
        ),
    ),
    Group(
        _("Only under other rules"),
        (
            Explained(
                "turned", _("Upcards that were put back before play, where an ace or a three must not lie there.")
            ),
            Explained(
                "signals",
                _("In pairs that tell each other: seat of the partner, the trumps told, the number of loads."),
            ),
            Explained("signs", _("In pairs with signs: plays made by then, seat, code of the sign.")),
            Explained("stock_cards", _("The stock in drawing order, where everything lies open.")),
        ),
    ),
)

MATCH: Final = (
    Explained("match", _("The code of the match.")),
    Explained("seat", _("Your seat.")),
    Explained("players", _("How many play.")),
    Explained("sides", _("The side of each seat.")),
    Explained("rules", _("The rules of the table.")),
    Explained("seed", _("A number for your chance. It tells nothing about the deck.")),
    Explained("limits", _("Your limits: ms of processor time and of the clock on the wall, MiB.")),
)

RESULT: Final = (
    Explained("match", _("The code of the match.")),
    Explained("deal", _("Number of the deal.")),
    Explained("points", _("Points by side, as taken in play.")),
    Explained("winner", _("The side that won the deal, None when it is drawn.")),
    Explained("termination", _("How it ended: normal, or the kind of a fault.")),
    Explained("tricks", _("All tricks."), middle=("len(result.tricks)", "result.tricks[-1]")),
)


def view_rows() -> list[tuple[Promise, list[Row]]]:
    """The fields of the view by group, with their values."""
    live = example()
    return [(group.title, [_row(one, "view", live.middle, live.end) for one in group.fields]) for group in VIEW]


def match_rows() -> list[Row]:
    """The fields of the start message."""
    return [_row(one, "match", example().match, None) for one in MATCH]


def result_rows() -> list[Row]:
    """The fields of the notice at the end of a deal."""
    return [_row(one, "result", example().result, None) for one in RESULT]


def _row(one: Explained, called: str, middle: object, end: object) -> Row:
    usual = f"{called}.{one.name}"
    return Row(
        one.name,
        one.text,
        tuple(_valued(each or usual, called, middle) for each in one.middle or ("",)),
        tuple(_valued(each or usual, called, end) for each in one.end),
    )


def _valued(expression: str, called: str, value: object) -> tuple[str, str]:
    names: dict[str, Any] = {called: value, "len": len, "__builtins__": {}}
    return expression, shown(eval(expression, names))  # noqa: S307 - the expressions above
