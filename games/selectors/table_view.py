"""The first picture of the card table: what the server draws before any script runs.

`static/js/table/` draws every later state in the same way; both read the same `State` (games.selectors.state).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext, ngettext, pgettext

from games import faces
from games.engine import Rules

#: Backs drawn in a heap at most.
HEAP: Final = 3
#: Turns of a seat around the table, seen from the bottom, by number of seats; `ccw`: the next seat sits to the right.
PLACES: Final = {
    (2, "ccw"): ("bottom", "top"),
    (2, "cw"): ("bottom", "top"),
    (4, "ccw"): ("bottom", "right", "top", "left"),
    (4, "cw"): ("bottom", "left", "top", "right"),
}
#: Numbers of seats that a table has.
SEATS: Final = frozenset(n for n, _ in PLACES)


@dataclass(frozen=True, slots=True)
class TableCard:
    """A card in sight; `alt` is its name with its points. An empty code is a card face down."""

    code: str
    alt: str = ""
    is_trump: bool = False
    is_lead: bool = False
    wins: bool = False


@dataclass(frozen=True, slots=True)
class TableSeat:
    """A seat of the table. `place` = bottom, top, left, right; `score` = whether it shows the points of its side."""

    index: int
    name: str
    label: str
    kind: str
    side: int
    place: str
    note: str
    hand: tuple[TableCard, ...]
    hand_label: str
    is_own: bool
    played: TableCard | None
    shows_score: bool
    points: int
    taken: int
    taken_label: str
    heap: tuple[int, ...]
    pips: tuple[bool, ...]
    clock: str
    is_low: bool
    is_turn: bool
    is_away: bool

    @property
    def hand_key(self) -> str:
        """The hand in text: the modules see by it that nothing must be drawn again."""
        return " ".join(held.code or "-" for held in self.hand)


@dataclass(frozen=True, slots=True)
class TableTrick:
    """A line of the trick list; `cards` in seat order."""

    number: int
    cards: tuple[TableCard, ...]
    gained: int
    totals: str
    label: str
    is_last: bool


@dataclass(frozen=True, slots=True)
class SeriesRow:
    """A side in the table of deals: points of each, whether it won it."""

    name: str
    side: int
    cells: tuple[tuple[int, bool], ...]


@dataclass(frozen=True, slots=True)
class TableView:
    """Everything that the server draws."""

    n: int
    title: str
    players: str
    own: TableSeat
    top: tuple[TableSeat, ...]
    left: TableSeat | None
    right: TableSeat | None
    seats: tuple[TableSeat, ...]
    slots: tuple[TableSeat, ...]
    stock: int
    stock_text: str
    stock_label: str
    upcard: TableCard | None
    tricks: tuple[TableTrick, ...]
    numbers: tuple[int, ...]
    series: tuple[SeriesRow, ...]
    is_seated: bool
    is_practice: bool


def table_view(state: Mapping[str, Any], *, deck: str) -> TableView:
    """The picture of a `State` (interface of `/matches/<code>/state`) for its viewer."""
    return _Picture(state, deck).view()


def clock_text(left_ms: int) -> str:
    """Time left as the modules write it: "4:09", below ten seconds "9.4".

    >>> clock_text(249_900), clock_text(9_440), clock_text(-5)
    ('4:09', '9.4', '0.0')
    """
    left = max(0, left_ms)
    if left < 10_000:
        return f"{left // 1000}.{left % 1000 // 100}"
    return f"{left // 60_000}:{left // 1000 % 60:02}"


class _Picture:
    """One state, being drawn."""

    def __init__(self, state: Mapping[str, Any], deck: str) -> None:
        rules = state["rules"]
        self.state = state
        self.deck = deck
        self.rules = Rules.parse(rules) if isinstance(rules, str) else Rules.from_dict(rules)
        self.you: int | None = state["you"]
        self.base = self.you or 0
        self.trump = (state["upcard"] or "  ")[1].strip()

    def view(self) -> TableView:
        n = self.rules.n
        seats = tuple(self._seat((self.base + step) % n) for step in range(n))
        at = {seat.place: seat for seat in seats}
        stock = self.state["stock"]
        text = (
            ngettext("{n} card in the stock", "{n} cards in the stock", stock).format(n=stock)
            if stock
            else gettext("The stock is empty")
        )
        upcard = self._card(self.state["upcard"]) if self.state["upcard"] else None
        names = [seat["name"] for seat in self.state["seats"]]
        return TableView(
            n=n,
            title=self._title(names),
            players=" – ".join(names),
            own=seats[0],
            top=tuple(seat for seat in seats if seat.place == "top"),
            left=at.get("left"),
            right=at.get("right"),
            seats=tuple(sorted(seats, key=lambda seat: seat.index)),
            slots=tuple(at[place] for place in ("top", "left", "right", "bottom") if place in at),
            stock=stock,
            stock_text=text,
            stock_label=f"{text}, {gettext('trump')}: {upcard.alt}" if upcard else text,
            upcard=upcard,
            tricks=self._tricks(names),
            numbers=tuple(deal["number"] for deal in self._deals()),
            series=self._series(names),
            is_seated=self.you is not None,
            is_practice=self.state["mode"] == "practice",
        )

    def _title(self, names: Sequence[str]) -> str:
        turn = self.state["turn"]
        if turn is None:
            return " – ".join(names)
        return gettext("Your turn") if turn == self.you else gettext("{name}'s turn").format(name=names[turn])

    def _card(self, code: str, *, is_lead: bool = False, wins: bool = False) -> TableCard:
        return TableCard(code, faces.spoken(code, self.deck, self.trump), code[1] == self.trump, is_lead, wins)

    def _by_side(self, numbers: Sequence[int]) -> list[int]:
        """Numbers a seat as numbers a side; those a side stay as they are."""
        if len(numbers) == self.rules.side_count:
            return list(numbers)
        return [sum(numbers[seat] for seat in self.rules.seats_of(side)) for side in range(self.rules.side_count)]

    def _hand(self, index: int) -> tuple[TableCard, ...]:
        if index == self.you:
            return tuple(self._card(code) for code in self.state["hand"])
        count: int = self.state["hands"][index]
        known = (self.state.get("known") or {}).get(str(index), ())
        is_open = self.state.get("open_hands") or self.rules.open != "none"
        if is_open and count and len(known) == count:
            return tuple(self._card(code) for code in known)
        return (TableCard(""),) * count

    def _seat(self, index: int) -> TableSeat:
        state, n = self.state, self.rules.n
        row = state["seats"][index]
        side = self.rules.sides[index]
        hand = self._hand(index)
        taken = self._by_side(state["won"])[side]
        clock = state.get("clock") or {}
        left = (clock.get("left_ms") or [None] * n)[index]
        played = next((card["card"] for card in state["trick"] if card["seat"] == index), None)
        is_lead = played is not None and state["trick"][0]["seat"] == index
        target = self.rules.target if self.rules.kind == "first_to" and self.rules.target <= 4 else 0
        wins = int(state["score"][side]) if target else 0
        count = ngettext("{n} card", "{n} cards", len(hand)).format(n=len(hand))
        return TableSeat(
            index=index,
            name=row["name"],
            label=pgettext("seat", "You") if index == self.you else row["name"],
            kind=row["kind"],
            side=side,
            place=PLACES[n, self.rules.direction][(index - self.base) % n],
            note=_note(row),
            hand=hand,
            hand_label=f"{row['name']}: {count}",
            is_own=index == self.you,
            played=self._card(played, is_lead=is_lead) if played else None,
            shows_score=(index - self.base) % n < self.rules.side_count,
            points=self._by_side(state["points"])[side],
            taken=taken,
            taken_label=ngettext("{n} card taken", "{n} cards taken", taken).format(n=taken),
            heap=tuple(range(min(HEAP, taken // n))),
            pips=tuple(place < wins for place in range(target)),
            clock="" if left is None else clock_text(left),
            is_low=left is not None and left < 20_000,
            is_turn=state["turn"] == index,
            is_away=not row.get("present", True) and row["kind"] != "bot",
        )

    def _tricks(self, names: Sequence[str]) -> tuple[TableTrick, ...]:
        n = self.rules.n
        totals = [0] * self.rules.side_count
        rows = []
        for number, trick in enumerate(self.state["tricks"], start=1):
            lead, winner = trick["lead"], trick["winner"]
            totals[self.rules.sides[winner]] += trick["points"]
            played = {
                (lead + step) % n: self._card(code, is_lead=step == 0, wins=(lead + step) % n == winner)
                for step, code in enumerate(trick["cards"])
            }
            label = (
                gettext("You take · +{points}").format(points=trick["points"])
                if winner == self.you
                else gettext("{name} takes · +{points}").format(name=names[winner], points=trick["points"])
            )
            cards = tuple(played[seat] for seat in range(n))
            is_last = number == len(self.state["tricks"])
            rows.append(TableTrick(number, cards, trick["points"], "–".join(map(str, totals)), label, is_last))
        return tuple(rows)

    def _deals(self) -> list[Mapping[str, Any]]:
        """The finished deals, then the one in play."""
        deals = list(self.state["deals"])
        number = self.state["deal"]
        if number and all(deal["number"] != number for deal in deals):
            deals.append({"number": number, "points": self.state["points"], "winner_side": None})
        return deals

    def _series(self, names: Sequence[str]) -> tuple[SeriesRow, ...]:
        deals = self._deals()
        return tuple(
            SeriesRow(
                name=" · ".join(names[seat] for seat in self.rules.seats_of(side)),
                side=side,
                cells=tuple((self._by_side(deal["points"])[side], deal["winner_side"] == side) for deal in deals),
            )
            for side in range(self.rules.side_count)
        )


def _note(row: Mapping[str, Any]) -> str:
    """What stands below the name: rating with its interval, or what the seat is."""
    if row.get("rating") is not None:
        interval = row.get("interval")
        half = (interval[1] - interval[0]) // 2 if isinstance(interval, list) else interval
        return f"{row['rating']} ± {half}" if half else str(row["rating"])
    kinds = {"bot": gettext("bot"), "guest": gettext("guest")}
    return kinds.get(row["kind"], "")
