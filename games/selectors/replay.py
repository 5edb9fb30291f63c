"""The first picture of the replay page: what the server draws before any script runs.

`static/js/replay/` draws every other position in the same way; both read the same replay data (docs/design-system.md).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext, ngettext

from games import faces
from games.engine import Deal, Rules, card_code, parse_cards
from games.models.deal import PLAYED_ENDS, DealEnd
from games.selectors.analysis import AnalysisView, analysis_view, points_lost

#: The points graph, in units of its viewBox; static/js/replay/graph.js has the same numbers.
GRAPH_LEFT: Final = 30
GRAPH_WIDTH: Final = 296
GRAPH_BOTTOM: Final = 100
GRAPH_HEIGHT: Final = 88
MOST_POINTS: Final = 120


@dataclass(frozen=True, slots=True)
class CardView:
    """A card on the table; `alt` is its name with its points, empty code = face down."""

    code: str
    alt: str
    is_trump: bool
    is_lead: bool = False
    wins: bool = False
    #: Points given away by it, as far as the player could know.
    lost: int = 0

    @property
    def lost_label(self) -> str:
        """The points given away, in words."""
        return points_lost(self.lost)


@dataclass(frozen=True, slots=True)
class SeatView:
    """A seat: who sits there, the hand, the card in the trick, what was taken. `heap` = backs drawn in the heap."""

    index: int
    name: str
    kind: str
    url: str
    note: str
    side: int
    hand: tuple[CardView, ...]
    played: CardView | None
    points: int
    taken: int
    taken_label: str
    heap: tuple[int, ...]
    is_turn: bool

    @property
    def hand_key(self) -> str:
        """The hand in text: the modules see by it that nothing must be drawn again."""
        return " ".join(held.code for held in self.hand)


@dataclass(frozen=True, slots=True)
class TrickRow:
    """A line of the trick list. `cards` in seat order, None where a seat has not played; `ply` = position after it."""

    number: int
    ply: int
    cards: tuple[CardView | None, ...]
    gained: int
    totals: str
    label: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class DealTab:
    """A deal of the match: `points` by seat as text, None while nobody may see it."""

    number: int
    is_visible: bool
    is_current: bool
    points: tuple[int, ...]
    winner_side: int | None


@dataclass(frozen=True, slots=True)
class Dot:
    """A point of the graph in viewBox units, as text."""

    x: str
    y: str


@dataclass(frozen=True, slots=True)
class Graph:
    """Polylines by side in viewBox units, the mistakes on them, and the place of the cursor."""

    lines: tuple[str, ...]
    mistakes: tuple[Dot, ...]
    cursor: str
    summary: str


@dataclass(frozen=True, slots=True)
class ReplayView:
    """Everything that the server draws. `others` sit at the top from left to right, `own` at the bottom."""

    deal: int
    ply: int
    total: int
    previous_ply: int
    next_ply: int
    others: tuple[SeatView, ...]
    own: SeatView
    slots: tuple[SeatView, ...]
    stock: int
    stock_label: str
    upcard: CardView
    upcard_in_stock: bool
    trump: str
    banner: str
    position: str
    thought: str
    has_times: bool
    tricks: tuple[TrickRow, ...]
    graph: Graph
    tabs: tuple[DealTab, ...]
    analysis: AnalysisView | None
    note: str

    @property
    def drawn(self) -> str:
        """What the modules compare to see whether list and graph must be drawn again."""
        return f"{self.deal} analysed" if self.analysis else str(self.deal)


def replay_view(
    data: Mapping[str, Any], *, deck: str, deal: int | None = None, ply: int | None = None
) -> ReplayView | None:
    """The picture of deal `deal` after `ply` plays, both clamped; None when no deal may be seen yet.

    `data` is the replay data (`json_script` of the page). Without `ply` a deal that ended by a fault opens at its end.
    """
    visible = [entry for entry in data["deals"] if entry["deck"]]
    if not visible:
        return None
    entry = next((candidate for candidate in visible if candidate["number"] == deal), visible[0])
    plays = parse_cards(entry["plays"])
    if ply is None:
        ply = 0 if _is_played(entry) else len(plays)
    return _Picture(data, entry, deck, plays, min(max(ply, 0), len(plays))).view()


def _is_played(entry: Mapping[str, Any]) -> bool:
    return not entry["termination"] or entry["termination"] in PLAYED_ENDS


class _Picture:
    """One position of one deal, being drawn."""

    def __init__(
        self, data: Mapping[str, Any], entry: Mapping[str, Any], deck: str, plays: Sequence[int], ply: int
    ) -> None:
        self.data = data
        self.entry = entry
        self.deck = deck
        self.plays = plays
        self.ply = ply
        self.rules = Rules.parse(data["rules"]) if isinstance(data["rules"], str) else Rules.from_dict(data["rules"])
        self.names = [seat["name"] for seat in data["seats"]]
        #: A finished trick stays on the table until the next card; nobody has drawn yet.
        self.shows_trick = ply > 0 and ply % self.rules.n == 0
        self.before = self._after(ply - 1 if self.shows_trick else ply)
        self.now = self._after(ply)
        self.whole = self._after(len(plays))
        self.trump = card_code(self.now.upcard)[1]
        self.analysis = analysis_view(entry, self.names, n=self.rules.n, deck=deck)
        #: (trick from 0, seat) -> points given away there.
        self.lost = {
            (play["ply"] // self.rules.n, play["seat"]): play["lost"]
            for play in (entry.get("analysis") or {}).get("plays", ())
            if play["is_exact"] and play["lost"]
        }

    def _after(self, plays: int) -> Deal:
        deal = Deal(self.rules, parse_cards(self.entry["deck"]), self.entry["dealer"])
        for card in self.plays[:plays]:
            deal.play(card)
        return deal

    def view(self) -> ReplayView:
        seats = tuple(self._seat(index) for index in range(self.rules.n))
        last = self.ply - 1
        stock = self.before.stock_size
        return ReplayView(
            deal=self.entry["number"],
            ply=self.ply,
            total=len(self.plays),
            previous_ply=max(0, last),
            next_ply=min(len(self.plays), self.ply + 1),
            others=tuple(reversed(seats[1:])),
            own=seats[0],
            slots=(*reversed(seats[1:]), seats[0]),
            stock=stock,
            stock_label=ngettext("{n} card in the stock", "{n} cards in the stock", stock).format(n=stock)
            if stock
            else gettext("The stock is empty"),
            upcard=self._card(card_code(self.now.upcard)),
            upcard_in_stock=stock > 0,
            trump=self.trump,
            banner=self._banner(),
            position=self._position(),
            thought=self._thought(),
            has_times=any(entry.get("think_ms") for entry in self.data["deals"]),
            tricks=self._tricks(),
            graph=self._graph(),
            tabs=tuple(
                DealTab(
                    number=entry["number"],
                    is_visible=bool(entry["deck"]),
                    is_current=entry["number"] == self.entry["number"],
                    points=tuple(entry["points"] or ()),
                    winner_side=entry["winner_side"],
                )
                for entry in self.data["deals"]
            ),
            analysis=self.analysis,
            note=self._note(),
        )

    def _note(self) -> str:
        """What was better than the card just played; empty when nothing was."""
        notes = () if self.analysis is None else (*self.analysis.chances, *self.analysis.mistakes)
        return next((note.text for note in notes if note.ply == self.ply), "")

    def _card(self, code: str, *, is_lead: bool = False, wins: bool = False, lost: int = 0) -> CardView:
        alt = faces.spoken(code, self.deck, self.trump)
        return CardView(code, alt, code[1] == self.trump, is_lead, wins, lost)

    def _table(self) -> list[tuple[int, str, bool]]:
        """(seat, card, takes) in playing order: the finished trick that is still shown, else the trick in play."""
        n = self.rules.n
        if self.shows_trick:
            trick = self.now.tricks[-1]
            return [
                ((trick.leader + step) % n, card_code(card), (trick.leader + step) % n == trick.winner)
                for step, card in enumerate(trick.cards)
            ]
        open_cards = self.plays[self.ply - self.ply % n : self.ply]
        return [((self.now.leader + step) % n, card_code(card), False) for step, card in enumerate(open_cards)]

    def _seat(self, index: int) -> SeatView:
        table = self._table()
        hand = [card_code(card) for card in self.before.hands[index]]
        if self.shows_trick and self.before.turn == index:
            hand.remove(card_code(self.plays[self.ply - 1]))
        taken = sum(len(trick.cards) for trick in self.now.tricks if trick.winner == index)
        played = next(
            (
                self._card(card, is_lead=place == 0, wins=takes)
                for place, (seat, card, takes) in enumerate(table)
                if seat == index
            ),
            None,
        )
        seat = self.data["seats"][index]
        return SeatView(
            index=index,
            name=seat["name"],
            kind=seat["kind"],
            url=seat.get("url") or "",
            note=seat.get("note") or "",
            side=seat["side"],
            hand=tuple(self._card(code) for code in hand),
            played=played,
            points=self.now.points[index],
            taken=taken,
            taken_label=ngettext("{n} card taken", "{n} cards taken", taken).format(n=taken),
            heap=tuple(range(min(3, taken // self.rules.n))),
            is_turn=not self.shows_trick and self.ply < len(self.plays) and self.now.turn == index,
        )

    def _thought(self) -> str:
        """How long the player of the last card thought; empty where nobody may know."""
        think_ms = self.entry.get("think_ms") or ()
        ms = think_ms[self.ply - 1] if 0 < self.ply <= len(think_ms) else None
        return "" if ms is None else gettext("{ms} ms").format(ms=ms)

    def _banner(self) -> str:
        if self.ply == len(self.plays) and self.entry["termination"]:
            return deal_result(self.entry, self.names, self.rules)
        if not self.shows_trick:
            return ""
        trick = self.now.tricks[-1]
        return gettext("{name} takes · +{points}").format(name=self.names[trick.winner], points=trick.points)

    def _position(self) -> str:
        if self.ply == 0:
            return gettext("Start of the deal")
        n = self.rules.n
        trick = (self.ply - 1) // n
        leader = self.whole.tricks[trick].leader if trick < len(self.whole.tricks) else self.whole.leader
        seat = (leader + (self.ply - 1) % n) % n
        card = faces.card_name(card_code(self.plays[self.ply - 1]), self.deck)
        return gettext("Trick {trick}: {name}, {card}").format(trick=trick + 1, name=self.names[seat], card=card)

    def _tricks(self) -> tuple[TrickRow, ...]:
        n = self.rules.n
        totals = [0] * self.rules.side_count
        rows = []
        current = (self.ply + n - 1) // n
        for number, trick in enumerate(self.whole.tricks, start=1):
            totals[self.rules.sides[trick.winner]] += trick.points
            cards: list[CardView | None] = [None] * n
            for step, card in enumerate(trick.cards):
                seat = (trick.leader + step) % n
                lost = self.lost.get((number - 1, seat), 0)
                cards[seat] = self._card(card_code(card), is_lead=step == 0, wins=seat == trick.winner, lost=lost)
            label = gettext("{name} takes · +{points}").format(name=self.names[trick.winner], points=trick.points)
            line = "–".join(map(str, totals))
            rows.append(TrickRow(number, number * n, tuple(cards), trick.points, line, label, number == current))
        rest = self.plays[len(self.whole.tricks) * n :]
        if rest:
            cards = [None] * n
            for step, card in enumerate(rest):
                cards[(self.whole.leader + step) % n] = self._card(card_code(card), is_lead=step == 0)
            number = len(rows) + 1
            line = "–".join(map(str, totals))
            rows.append(
                TrickRow(number, len(self.plays), tuple(cards), 0, line, gettext("Unfinished trick"), number == current)
            )
        return tuple(rows)

    def _graph(self) -> Graph:
        sides = self.rules.side_count
        totals = [0] * sides
        lines = [[graph_point(0, 0, self.rules.tricks)] for _ in range(sides)]
        mistakes = []
        for number, trick in enumerate(self.whole.tricks, start=1):
            totals[self.rules.sides[trick.winner]] += trick.points
            for side in range(sides):
                lines[side].append(graph_point(number, totals[side], self.rules.tricks))
            for seat, side in enumerate(self.rules.sides):
                if (number - 1, seat) in self.lost:
                    mistakes.append(Dot(*graph_point(number, totals[side], self.rules.tricks).split(",")))
        result = ", ".join(f"{name} {self.whole.side_points[side]}" for side, name in enumerate(self.side_names()))
        return Graph(
            lines=tuple(" ".join(points) for points in lines),
            mistakes=tuple(mistakes),
            cursor=graph_point(self.ply / self.rules.n, 0, self.rules.tricks).partition(",")[0],
            summary=gettext("Points after each trick. At the end: {result}.").format(result=result),
        )

    def side_names(self) -> list[str]:
        """Names of the sides: of the player, or of the partners."""
        return [
            " + ".join(name for seat, name in enumerate(self.names) if self.rules.sides[seat] == side)
            for side in range(self.rules.side_count)
        ]


def graph_point(trick: float, points: int, tricks: int) -> str:
    """`x,y` of a total after a trick, with one decimal, never in the viewer's number format."""
    x = GRAPH_LEFT + trick * GRAPH_WIDTH / tricks
    y = GRAPH_BOTTOM - points * GRAPH_HEIGHT / MOST_POINTS
    return f"{x:.1f},{y:.1f}"


def deal_result(entry: Mapping[str, Any], names: Sequence[str], rules: Rules) -> str:
    """A finished deal in a sentence: won, drawn, or awarded and why."""
    winner = entry["winner_side"]
    if winner is None:
        return gettext("Drawn deal: it counts for nobody")
    name = " + ".join(name for seat, name in enumerate(names) if rules.sides[seat] == winner)
    if not _is_played(entry):
        reason = DealEnd(entry["termination"]).label
        return gettext("Deal awarded to {name}: {reason}").format(name=name, reason=reason)
    totals = [0] * rules.side_count
    for seat, points in enumerate(entry["points"]):
        totals[rules.sides[seat]] += points
    own = totals.pop(winner)
    return gettext("{name} wins the deal, {points}").format(name=name, points="–".join(map(str, [own, *totals])))
