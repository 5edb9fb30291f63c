"""`Rules`: every option of a table in one frozen value, with its text form.

>>> Rules(n=3, removed=("2D",), redraw="A3R").code
'n=3 removed=2D redraw=A3R'
>>> Rules.parse("n=2 format=race:120").target
120
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import Any, Final, Self

from .cards import card_code, card_int
from .errors import CardError, RulesError, shown

TWOS: Final = ("2D", "2C", "2S", "2B")
MAX_CODE: Final = 1000
"""Longest text that `Rules.parse` looks at, in characters; a full code has about 400."""

CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "redraw": ("none", "A3", "A3R"),
    "tie": ("draw", "last_trick"),
    "tie_dealer": ("same", "next"),
    "first_lead": ("after", "before"),
    "direction": ("ccw", "cw"),
    "partners_see": ("never", "start", "stock_empty", "always"),
    "signals": ("none", "signs", "auto"),
    "stop_at_61": ("no", "claim", "auto"),
    "figures": ("north", "south"),
    "swap": ("off",),
    "trump": ("upcard", "none"),
    "open": ("none", "hands", "all"),
}
"""Values of the options that are a plain choice, default first."""

HANDS: Final = (3, 5)
"""Cards of a hand; five in briscolone alone."""

LATER: Final[dict[str, tuple[Any, ...]]] = {
    "hand": (8,),
    "trump": ("called",),
    "swap": ("seven", "two", "ace"),
}
"""Values that are known names of games that cannot be played yet: `rules.not_supported`."""

_TARGETS: Final = {
    "first_to": (1, 1000),
    "deals": (1, 1000),
    "sum": (1, 1000),
    "difference": (1, 1000),
    "race": (61, 10_000),
}
_DEFAULT_REMOVED: Final = {3: ("2C",), 6: TWOS}
_DEFAULT_SIDES: Final = {4: (0, 1, 0, 1), 6: (0, 1, 0, 1, 0, 1)}
_NUMERIC: Final = ("n", "max_deals", "signs_from", "hand")


def _derived() -> Any:
    return field(init=False, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The rules of a table. Raises RulesError when they contradict themselves (`rules.value sides conflict deck_size
    not_supported`).

    `removed` and `sides` left empty take the usual values for `n`. Equal rules compare and hash equal.
    Derived, read-only: `cards` (the deck in ascending order), `side_count`, `kind` and `target` of the format.

    >>> Rules(n=6).tricks, Rules(n=6).seats_of(1)
    (6, (1, 3, 5))
    """

    n: int = 2
    removed: tuple[str, ...] = ()
    sides: tuple[int, ...] = ()
    redraw: str = "none"
    tie: str = "draw"
    tie_dealer: str = "same"
    format: str = "first_to:2"
    max_deals: int = 0
    first_dealer: str = "random"
    first_lead: str = "after"
    direction: str = "ccw"
    partners_see: str = "never"
    signals: str = "none"
    signs_from: int = 2
    stop_at_61: str = "no"
    figures: str = "north"
    hand: int = 3
    trump: str = "upcard"
    open: str = "none"
    swap: str = "off"

    cards: tuple[int, ...] = _derived()
    card_set: frozenset[int] = _derived()
    side_count: int = _derived()
    kind: str = _derived()
    target: int = _derived()

    def __post_init__(self) -> None:
        _check_number("n", self.n, 2, 8)
        removed = _checked_removed(self.removed, self.n)
        self._set("removed", removed)
        gone = {card_int(code) for code in removed}
        self._set("cards", tuple(card for card in range(40) if card not in gone))
        self._set("card_set", frozenset(self.cards))
        _check_deck_size(len(self.cards), self.n)
        self._set("sides", _checked_sides(self.sides, self.n))
        self._set("side_count", len(set(self.sides)))
        for name, values in LATER.items():
            _check_supported(name, getattr(self, name), values)
        for name, choices in CHOICES.items():
            _check_choice(name, getattr(self, name), choices)
        if type(self.hand) is not int or self.hand not in HANDS:
            raise _bad_value("hand", self.hand, " or ".join(map(str, HANDS)))
        kind, target = _checked_format(self.format)
        self._set("kind", kind)
        self._set("target", target)
        _check_number("max_deals", self.max_deals, 0, 10_000)
        _check_number("signs_from", self.signs_from, 1, 40)
        _check_first_dealer(self.first_dealer, self.n)
        self._check_conflicts()

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _check_conflicts(self) -> None:
        if self.stop_at_61 != "no" and self.kind in ("sum", "difference", "race"):
            _conflict("stop_at_61", f"The format {self.format} counts every point, so a deal cannot stop at 61.")
        if self.side_count > 2 and self.kind == "difference":
            _conflict("format", "The difference of points needs exactly two sides.")
        if self.side_count > 2 and self.tie == "last_trick":
            _conflict("tie", "Only between two sides can the last trick decide a tie.")
        if not self.has_partners and (self.partners_see != "never" or self.signals != "none"):
            _conflict("signals" if self.signals != "none" else "partners_see", "Nobody has a partner at this table.")
        if self.open != "none" and (self.partners_see != "never" or self.signals != "none"):
            _conflict("open", "With open hands there is nothing left to tell a partner.")
        if (self.hand, self.trump) != (3, "upcard") and (self.n, self.hand, self.trump) != (2, 5, "none"):
            _conflict(
                "hand" if self.hand != 3 else "trump", "Without a trump (briscolone) two play with five cards each."
            )
        if self.trump == "none" and self.redraw != "none":
            _conflict("redraw", "Without a trump no upcard is turned.")

    @property
    def has_partners(self) -> bool:
        """Whether a side has two seats or more."""
        return self.side_count < self.n

    @property
    def tricks(self) -> int:
        """Tricks of a whole deal."""
        return len(self.cards) // self.n

    @property
    def deal_cap(self) -> int:
        """Most deals of a match: `max_deals`, or 4k+1 for first_to:k, 12 for a race; k where k are played."""
        if self.kind in ("deals", "sum", "difference"):
            return self.target
        return self.max_deals or (12 if self.kind == "race" else 4 * self.target + 1)

    def seats_of(self, side: int) -> tuple[int, ...]:
        """Seats of a side in playing order."""
        return tuple(seat for seat, its_side in enumerate(self.sides) if its_side == side)

    @property
    def code(self) -> str:
        """Text form: `n=2`, then `name=value` for each option that is not at its default, in this order."""
        plain = _plain(self.n)
        changed = [
            f"{name}={_written(getattr(self, name))}"
            for name in FIELDS
            if name != "n" and getattr(self, name) != getattr(plain, name)
        ]
        return " ".join([f"n={self.n}", *changed])

    @classmethod
    def parse(cls, code: str) -> "Rules":
        """Inverse of `code`; the options may come in any order. Raises RulesError."""
        if not isinstance(code, str):
            raise RulesError("rules.value", f"Rules are written as text, not as {type(code).__name__}.")
        if len(code) > MAX_CODE:
            raise RulesError("rules.value", f"Rules are at most {MAX_CODE} characters long.")
        return _parsed(code)

    def to_dict(self) -> dict[str, Any]:
        """Every option by name, tuples as lists: ready for JSON."""
        return {name: list(value) if isinstance(value := getattr(self, name), tuple) else value for name in FIELDS}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Inverse of `to_dict`; options left out take their default. Raises RulesError."""
        if not isinstance(data, Mapping):
            raise RulesError("rules.value", "Rules must be an object of options.")
        unknown = [name for name in data if name not in FIELDS]
        if unknown:
            _unknown_field(unknown[0])
        options: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in data.items()
        }
        return cls(**options)

    @classmethod
    def preset(cls, name: str, n: int = 2, **options: str) -> Self:
        """Rules of a source, see `presets`. `options` choose where the source leaves a choice. Raises RulesError."""
        from .presets import preset_fields

        return cls(**preset_fields(name, n, options))


FIELDS: Final = tuple(f.name for f in fields(Rules) if f.init)
"""Names of the options in the order of the text form."""


@lru_cache(maxsize=16)
def _plain(n: int) -> Rules:
    return Rules(n=n)


@lru_cache(maxsize=256)
def _parsed(code: str) -> Rules:
    given: dict[str, Any] = {}
    for word in code.split(" "):
        if not word:
            continue
        name, equals, value = word.partition("=")
        if not equals or name not in FIELDS or name in given:
            _unknown_field(name, twice=name in given)
        given[name] = _read(name, value)
    if "n" not in given:
        raise RulesError("rules.value", "Rules begin with the number of seats, as in n=2.", field="n")
    return Rules(**given)


def _read(name: str, value: str) -> Any:
    if name == "removed":
        return () if value == "-" else tuple(value.split(","))
    if name == "sides":
        return () if value == "-" else tuple(_number(name, part) for part in value.split(","))
    return _number(name, value) if name in _NUMERIC else value


def _number(name: str, text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) <= 6:
        return int(text)
    raise _bad_value(name, text, "a whole number")


def _written(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(map(str, value)) or "-"
    return str(value)


def _bad_value(name: str, value: object, wanted: str) -> RulesError:
    return RulesError("rules.value", f"{name} must be {wanted}, not {shown(value)}.", field=name, value=value)


def _conflict(name: str, message: str) -> None:
    raise RulesError("rules.conflict", message, field=name)


def _unknown_field(name: object, *, twice: bool = False) -> None:
    reason = "is given twice" if twice else f"is not an option; the options are {', '.join(FIELDS)}"
    raise RulesError("rules.unknown_field", f"{shown(name)} {reason}.", field=name)


def _check_number(name: str, value: object, low: int, high: int) -> None:
    if type(value) is not int or not low <= value <= high:
        raise _bad_value(name, value, f"a whole number from {low} to {high}")


def _check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in choices:
        raise _bad_value(name, value, " or ".join(choices))


def _check_supported(name: str, value: object, later: tuple[Any, ...]) -> None:
    if type(value) is type(later[0]) and value in later:
        raise RulesError("rules.not_supported", f"{name}={value} cannot be played yet.", field=name, value=value)


def _checked_removed(removed: object, n: int) -> tuple[str, ...]:
    if not isinstance(removed, tuple):
        raise _bad_value("removed", removed, "a tuple of cards")
    if not removed:
        return _DEFAULT_REMOVED.get(n, ())
    try:
        cards = sorted(card_int(code) for code in removed)
    except CardError:
        raise _bad_value("removed", removed, "cards by their codes") from None
    codes = tuple(card_code(card) for card in cards)
    if len(set(codes)) < len(codes) or not set(codes) <= set(TWOS):
        raise _bad_value("removed", ",".join(codes), "different twos: only twos may leave the deck")
    return codes


def _check_deck_size(cards: int, n: int) -> None:
    if cards % n or cards < 4 * n:
        raise RulesError(
            "rules.deck_size", f"{cards} cards cannot be dealt to {n} seats; take out other twos.", cards=cards, n=n
        )


def _checked_sides(sides: object, n: int) -> tuple[int, ...]:
    if not isinstance(sides, tuple):
        raise _bad_value("sides", sides, "a tuple with the side of each seat")
    if not sides:
        return _DEFAULT_SIDES.get(n, tuple(range(n)))
    count = len(set(sides)) if all(type(side) is int for side in sides) else 0
    if (
        len(sides) != n
        or count < 2
        or set(sides) != set(range(count))
        or any(sides.count(s) * count != n for s in sides)
    ):
        raise RulesError(
            "rules.sides",
            f"sides needs one number for each of the {n} seats: sides 0, 1 ... of equal size, at least two.",
            field="sides",
        )
    return sides


def _checked_format(value: object) -> tuple[str, int]:
    if isinstance(value, str):
        kind, _, number = value.partition(":")
        low, high = _TARGETS.get(kind, (1, 0))
        plain = number.isascii() and number.isdigit() and len(number) <= 6 and not number.startswith("0")
        if plain and low <= int(number) <= high:
            return kind, int(number)
    raise _bad_value("format", value, "first_to:k, deals:k, sum:k, difference:k (k 1 to 1000) or race:k (61 to 10000)")


def _check_first_dealer(value: object, n: int) -> None:
    if value not in ("random", "lowest", "highest", *(f"seat:{seat}" for seat in range(n))):
        raise _bad_value("first_dealer", value, f"random, lowest, highest or seat:0 to seat:{n - 1}")
