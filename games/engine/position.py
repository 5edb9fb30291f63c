"""Position string: a deal at one moment in one line, with what is hidden from a seat as a number of cards.

`rules upcard hands table leader stock points played`, for example
`n=2 FD+ RC7BRB/?2 5B 1 ?29 0:0 4D5D4C6S`. Rules with `;` for spaces; the upcard with `+` in the stock, `-` drawn;
hands by seat and `played` in ascending order; stock top first without the upcard; `-` nothing, `?3` three hidden cards.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

from .cards import NO_CARD, POINTS, card_int, format_cards, parse_cards
from .errors import CardError, PositionError, RulesError, shown
from .result import by_side
from .rules import Rules

if TYPE_CHECKING:
    from .deal import Deal

MAX_TEXT: Final = 2000
"""Longest position string, in characters."""

Cards = tuple[int, ...] | int
"""Cards that are seen, or the number of cards that are not."""


@dataclass(frozen=True, slots=True)
class Position:
    """A moment of a deal. Hands and stock are tuples of cards, or a number where they are hidden.

    `stock` is without the upcard, top first; `played` are the cards of finished tricks, ascending; `points` by seat.

    >>> position = Position.parse("n=2 FD+ RC7BRB/?2 5B 1 ?29 0:0 4D5D4C6S")
    >>> position.leader, position.hands[1]
    (1, 2)
    """

    rules: Rules
    upcard: int
    upcard_in_stock: bool
    hands: tuple[Cards, ...]
    table: tuple[int, ...]
    leader: int
    stock: Cards
    points: tuple[int, ...]
    played: tuple[int, ...]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a position string.

        Raises PositionError: `position.syntax`, `.cards` (twice, or counts), `.points`; of the field that is wrong
        `detail["column"]` is the first character, from 1.
        """
        if not isinstance(text, str) or len(text) > MAX_TEXT:
            raise _syntax(f"A position is text of at most {MAX_TEXT} characters.")
        words = text.split(" ")
        if len(words) != 8:
            raise _syntax(f"A position has eight fields with one space between them, not {len(words)}.")
        column = 1
        fields: list[Any] = []
        try:
            for word, read in zip(words, _READERS, strict=True):
                fields.append(read(word))
                column += len(word) + 1
        except (RulesError, CardError) as error:
            raise PositionError("position.syntax", error.message, reason=error.code, column=column) from None
        except PositionError as error:
            error.detail["column"] = column
            raise
        rules, upcard, hands, table, leader, stock, points, played = fields
        if (upcard is None) != (rules.trump == "none"):
            raise PositionError(
                "position.syntax", "Only a deal without a trump has no upcard.", column=len(words[0]) + 2
            )
        card, in_stock = upcard or (NO_CARD, False)
        position = cls(rules, card, in_stock, hands, table, leader, stock, points, played)
        try:
            _check(position)
        except PositionError as error:
            at = error.detail.pop("field")
            error.detail["column"] = 1 + sum(len(word) + 1 for word in words[:at])
            raise
        return position

    def __str__(self) -> str:
        return " ".join(
            (
                self.rules.code.replace(" ", ";"),
                "-" if self.upcard == NO_CARD else format_cards((self.upcard,)) + "-+"[self.upcard_in_stock],
                "/".join(_written(hand if isinstance(hand, int) else tuple(sorted(hand))) for hand in self.hands),
                _written(self.table),
                str(self.leader),
                _written(self.stock),
                ":".join(map(str, self.points)),
                _written(self.played),
            )
        )

    def deal(self) -> "Deal":
        """A deal that goes on from here. Raises PositionError `position.hidden` when cards are hidden."""
        from .deal import Deal

        return Deal.from_position(self)


def position_of(deal: "Deal", seat: int | None = None) -> Position:
    """Position of a deal; with `seat` only that hand is open, and what the rules show to all.

    Raises PositionError `position.seat`.
    """
    n = deal.rules.n
    if seat is not None and (type(seat) is not int or not 0 <= seat < n):
        raise PositionError("position.seat", f"A seat is a number below {n}, not {shown(seat)}.")
    table = deal.table
    finished = deal.plays[: len(deal.plays) - len(table)]
    is_open = seat is None or deal.rules.open != "none"
    has_upcard = deal.upcard != NO_CARD
    stock = deal.stock[:-1] if has_upcard else deal.stock
    return Position(
        deal.rules,
        deal.upcard,
        bool(deal.stock) and has_upcard,
        tuple(tuple(sorted(hand)) if is_open or at == seat else len(hand) for at, hand in enumerate(deal.hands)),
        table,
        deal.leader,
        stock if seat is None or deal.rules.open == "all" else len(stock),
        deal.points,
        tuple(sorted((*deal._gone, *finished))),
    )


def check_open(position: Position) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]:
    """Hands and stock of a position without hidden cards. Raises PositionError `position.hidden`."""
    hands = tuple(hand for hand in position.hands if not isinstance(hand, int))
    if len(hands) < len(position.hands) or isinstance(position.stock, int):
        raise PositionError("position.hidden", "Only a position with every hand and the stock open can be played on.")
    return hands, position.stock


def _read(word: str, *, hidden: bool = False) -> Cards:
    if word == "-":
        return ()
    if hidden and word.startswith("?"):
        return _number(word[1:], "hidden cards")
    cards = parse_cards(word)
    if not cards:
        raise _syntax("A field is empty: write - for nothing.")
    return cards


def _seen(word: str) -> tuple[int, ...]:
    cards = _read(word)
    assert not isinstance(cards, int)
    return cards


def _upcard(word: str) -> tuple[int, bool] | None:
    """Card, and whether it is in the stock; None for `-`."""
    if word == "-":
        return None
    if word[-1:] not in ("+", "-"):
        raise _syntax("The upcard ends with + (in the stock) or - (drawn).")
    return card_int(word[:-1]), word[-1] == "+"


def _written(cards: Cards) -> str:
    if isinstance(cards, int):
        return f"?{cards}" if cards else "-"
    return format_cards(cards) or "-"


def _number(word: str, what: str) -> int:
    if word.isascii() and word.isdigit() and len(word) <= 3:
        return int(word)
    raise _syntax(f"{shown(word)} is no number of {what}.")


def _syntax(message: str) -> PositionError:
    return PositionError("position.syntax", message)


def _size(cards: Cards) -> int:
    return cards if isinstance(cards, int) else len(cards)


def _check(position: Position) -> None:
    """Raise PositionError with the number of the field that does not fit (`field`, from 0)."""
    rules = position.rules
    n = rules.n
    for field, is_wrong in (
        (_HANDS, len(position.hands) != n),
        (_LEADER, position.leader >= n),
        (_POINTS, len(position.points) != n),
    ):
        if is_wrong:
            message = f"A position of {n} seats has {n} hands, {n} numbers of points and a leader below {n}."
            raise PositionError("position.syntax", message, field=field)
    _check_counts(position)
    open_hands = tuple(card for hand in position.hands if not isinstance(hand, int) for card in hand)
    stock = () if isinstance(position.stock, int) else position.stock
    upcard = () if position.upcard == NO_CARD else (position.upcard,)
    above = upcard if position.upcard_in_stock else ()
    seen: set[int] = set()
    for field, cards in (
        (_UPCARD, above),
        (_HANDS, open_hands),
        (_TABLE, position.table),
        (_STOCK, stock),
        (_PLAYED, position.played),
    ):
        for card in cards:
            if card in seen or card not in rules.card_set:
                raise PositionError(
                    "position.cards", "A card stands there twice, or is not in the deck of the rules.", field=field
                )
            seen.add(card)
    if not rules.card_set.issuperset(upcard):
        raise PositionError(
            "position.cards", "A card stands there twice, or is not in the deck of the rules.", field=_UPCARD
        )
    if sum(position.points) != sum(POINTS[card] for card in position.played):
        raise PositionError("position.points", "The points do not make the sum of the cards played.", field=_POINTS)


def _check_counts(position: Position) -> None:
    """Hands are equal but for the cards on the table; a stock means full hands and an upcard in it."""
    rules = position.rules
    n = rules.n
    stock = _size(position.stock) + position.upcard_in_stock
    lying = len(position.table)
    gave = {(position.leader + step) % n for step in range(lying)}
    before = {_size(hand) + (seat in gave) for seat, hand in enumerate(position.hands)}
    total = sum(map(_size, position.hands)) + lying + stock + len(position.played)
    full = before == {rules.hand}
    if (
        lying >= n
        or len(before) > 1
        or max(before) > rules.hand
        or total != len(rules.cards)
        or len(position.played) % n
        or (stock and not (full and _is_on_stock(position)) and not _stopped(position))
    ):
        message = "The numbers of cards in hands, table and stock do not fit."
        raise PositionError("position.cards", message, field=_HANDS)


def _is_on_stock(position: Position) -> bool:
    """Whether the stock is complete: with its upcard where there is one."""
    return position.upcard_in_stock or position.upcard == NO_CARD


def _stopped(position: Position) -> bool:
    """Whether the deal may have stopped before the draw that would follow the last trick."""
    return (
        position.rules.stop_at_61 == "auto"
        and max(by_side(position.rules, position.points)) > 60
        and not position.table
        and _is_on_stock(position)
        and all(_size(hand) == position.rules.hand - 1 for hand in position.hands)
    )


#: Fields of a position string, from 0.
_UPCARD, _HANDS, _TABLE, _LEADER, _STOCK, _POINTS, _PLAYED = range(1, 8)
_READERS: Final[tuple[Callable[[str], Any], ...]] = (
    lambda word: Rules.parse(word.replace(";", " ")),
    _upcard,
    lambda word: tuple(_read(hand, hidden=True) for hand in word.split("/")),
    _seen,
    lambda word: _number(word, "leader"),
    lambda word: _read(word, hidden=True),
    lambda word: tuple(_number(points, "points") for points in word.split(":")),
    _seen,
)
"""Reader of each field of a position string."""
