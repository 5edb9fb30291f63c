"""`Deal` (smazzata): one pass through the deck, mutable, with undo. Cards are integers here; see `cards`.

The hot path is `legal` and `play`; what is not needed there is computed when it is asked for.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, Self

from .cards import BEATS, NO_CARD, POINTS, card_code
from .errors import ClaimError, EngineError, IllegalPlay, RecordError, shown
from .result import DealResult, by_side, settle
from .rules import Rules
from .shuffle import is_forbidden
from .view import Observation, SeenTrick, observe

if TYPE_CHECKING:
    from .position import Position

_ORDER: Final = tuple(
    tuple(tuple((first + step) % n for step in range(n)) for first in range(n)) if n else () for n in range(9)
)
"""`_ORDER[n][seat]`: the seats in playing order from `seat` on."""

_OTHERS: Final = tuple(tuple(seats[1:] for seats in orders) for orders in _ORDER)
"""`_OTHERS[n][seat]`: the other seats in playing order after `seat`."""

_NEXT: Final = tuple(tuple((seat + 1) % n for seat in range(n)) if n else () for n in range(9))

MAX_TURNED: Final = 64
"""Most upcards that can be turned back before the shuffle gives up."""


class Trick(NamedTuple):
    """A finished trick (presa): cards in playing order from `leader` on, who took it and its points."""

    leader: int
    cards: tuple[int, ...]
    winner: int
    points: int


class Deal:
    """A deal being played.

    `deck` holds the cards of the rules, top first (deck index 0); `dealer` is a seat; `turned` are the upcards that the
    shuffle put back. Raises RecordError `record.deck dealer turned`.

    `turn` is the seat to play and `leader` the seat that leads the trick; once the deal is `over` both are the seat
    that took the last trick.

    >>> from games.engine import shuffled
    >>> deal = Deal(Rules(), shuffled(Rules(), bytes(range(32)), "", 1).deck, dealer=1)
    >>> deal.legal(), deal.turn
    ((22, 14, 19), 0)
    >>> deal.play(22)
    >>> deal.play(4)
    >>> deal.leader, deal.points, deal.stock_size
    (0, (0, 0), 32)
    >>> deal.undo()
    4
    """

    __slots__ = (
        "_beats",
        "_best",
        "_claimed",
        "_deck",
        "_draws",
        "_first",
        "_floor",
        "_gone",
        "_hand",
        "_hands",
        "_next",
        "_order",
        "_others",
        "_plays",
        "_points",
        "_seen",
        "_slots",
        "_stock",
        "_stops",
        "_winners",
        "dealer",
        "leader",
        "over",
        "rules",
        "trump",
        "turn",
        "turned",
        "upcard",
    )

    rules: Rules
    dealer: int
    turned: tuple[int, ...]
    upcard: int
    trump: int
    leader: int
    turn: int
    over: bool

    def __init__(self, rules: Rules, deck: Sequence[int], dealer: int, turned: Sequence[int] = ()) -> None:
        n = rules.n
        cards = checked_deck(rules, deck)
        if type(dealer) is not int or not 0 <= dealer < n:
            raise RecordError("record.dealer", f"The dealer is a seat from 0 to {n - 1}, not {shown(dealer)}.")
        self.turned = checked_turned(rules, turned) if turned else ()
        first = (dealer + (1 if rules.first_lead == "after" else -1)) % n
        under = rules.hand * n
        hands: list[list[int]] = [[]] * n
        for at, seat in enumerate(_ORDER[n][first]):
            hands[seat] = [*cards[at:under:n]]
        self.rules = rules
        self.dealer = dealer
        self._deck = cards
        self._hands = hands
        # reversed: the next card to be drawn is the last, the upcard the first
        if rules.trump == "upcard":
            self.upcard = cards[under]
            self._stock = [cards[under], *cards[:under:-1]]
        else:
            self.upcard = NO_CARD
            self._stock = [*cards[: under - 1 : -1]]
        self._begin(first, [], (), [0] * n)

    def _begin(self, leader: int, table: list[int], gone: tuple[int, ...], points: list[int]) -> None:
        """Set what play changes; `table` are cards of the current trick that lie there already."""
        n = self.rules.n
        self.trump = self.upcard // 10
        self._beats = BEATS[self.trump]
        self._order = _ORDER[n]
        self._others = _OTHERS[n]
        self._next = _NEXT[n]
        self._stops = self.rules.stop_at_61 == "auto"
        self._first = self.leader = leader
        self._plays = table
        self._floor = len(table)
        self._gone = gone
        self._points = points
        self._draws = len(self._stock) // n
        self._winners: list[int] = []
        self._slots: list[int] = []
        self._seen: list[SeenTrick] = []
        self._claimed = -1
        self.over = False
        self._resume_turn()

    def _resume_turn(self) -> None:
        """Set whose turn it is, from the cards on the table."""
        self.turn = turn = (self.leader + len(self._plays) % self.rules.n) % self.rules.n
        self._hand = self._hands[turn]

    # hot path

    def legal(self) -> tuple[int, ...]:
        """Cards that the seat on turn may play, oldest first: any card of its hand. Empty when the deal is over."""
        return tuple(self._hand)

    def play(self, card: int, seat: int | None = None) -> None:
        """Play a card for the seat on turn; the last card of a trick also banks it and draws.

        Raises, in this order and changing nothing: CardError `card.code`, IllegalPlay `play.deal_over`,
        `play.not_your_turn` (when `seat` is given), `play.not_in_hand`.
        """
        if seat is not None and seat != self.turn:
            raise self._refusal(card, seat)
        hand = self._hand
        try:
            slot = hand.index(card)
        except ValueError:
            raise self._refusal(card, seat) from None
        self._slots.append(slot)
        plays = self._plays
        plays.append(hand.pop(slot))
        self.turn = turn = self._next[self.turn]
        if turn == self.leader:
            self._finish_trick(turn)
        else:
            self._hand = self._hands[turn]

    def _finish_trick(self, leader: int) -> None:
        """Bank the trick whose last card was just played; draw, or end the deal."""
        plays = self._plays
        order = self._order
        at = len(plays) - len(order)
        card = plays[at]
        held = card * 40
        gain = POINTS[card]
        winner = leader
        beats = self._beats
        for seat in self._others[leader]:
            at += 1
            card = plays[at]
            if beats[held + card]:
                held = card * 40
                winner = seat
            gain += POINTS[card]
        self._points[winner] += gain
        self._winners.append(winner)
        self.leader = self.turn = winner
        hands = self._hands
        hand = self._hand = hands[winner]
        if self._stops and self._is_won():
            self._end()
        elif self._stock:
            draw = self._stock.pop
            for seat in order[winner]:
                hands[seat].append(draw())
        elif not hand:
            self._end()

    def _is_won(self) -> bool:
        return max(self.side_points) > 60

    def _end(self) -> None:
        self.over = True
        self._hand = []

    def _refusal(self, card: int, seat: int | None) -> EngineError:
        """Why `card` cannot be played."""
        try:
            code = card_code(card)
        except EngineError as error:
            return error
        if self.over:
            return IllegalPlay("play.deal_over", "The deal is over: no card can be played.", card=code)
        if seat is not None and seat != self.turn:
            return IllegalPlay("play.not_your_turn", f"It is the turn of seat {self.turn}.", card=code, turn=self.turn)
        return IllegalPlay("play.not_in_hand", f"Seat {self.turn} does not hold {code}.", card=code, turn=self.turn)

    def undo(self) -> int:
        """Take back the last play (or claim) and return its card (the last card played).

        Raises IllegalPlay `play.nothing` at the start.
        """
        plays = self._plays
        if len(plays) == self._floor:
            raise IllegalPlay("play.nothing", "No card has been played yet.")
        if self._claimed >= 0:
            self._claimed = -1
            self.over = False
            self._resume_turn()
            return plays[-1]
        n = self.rules.n
        if len(plays) % n == 0:
            self._undo_trick()
        card = plays.pop()
        seat = (self.leader + len(plays) % n) % n
        self._hands[seat].insert(self._slots.pop(), card)
        self._resume_turn()
        return card

    def _undo_trick(self) -> None:
        """Give back the cards drawn after the last trick and its points."""
        winner = self._winners.pop()
        n = self.rules.n
        if not self.over and len(self._winners) < self._draws:
            for seat in reversed(self._order[winner]):
                self._stock.append(self._hands[seat].pop())
        self._points[winner] -= sum(POINTS[card] for card in self._plays[-n:])
        self.leader = self._winners[-1] if self._winners else self._first
        self.over = False
        del self._seen[len(self._winners) :]

    def claim(self, seat: int) -> None:
        """End the deal because the side of `seat` is over 60 (chiamarsi fuori).

        Raises ClaimError `claim.not_allowed` unless the rules say so, it is the seat's turn and the table is empty,
        and `claim.too_low` unless its side has more than 60; nothing changes then.
        """
        if self.rules.stop_at_61 != "claim":
            raise ClaimError("claim.not_allowed", "These rules do not let a side call the game.")
        if self.over or type(seat) is not int or seat != self.turn or self.table:
            raise ClaimError("claim.not_allowed", "Call the game on your turn, before a card lies on the table.")
        have = self.side_points[self.rules.sides[seat]]
        if have <= 60:
            raise ClaimError("claim.too_low", f"The side has {have} points: more than 60 are needed.", points=have)
        self._claimed = seat
        self._end()

    # what can be seen of it

    @property
    def deck(self) -> tuple[int, ...]:
        """The cards as they were dealt, top first; empty for a deal built from a position."""
        return self._deck

    @property
    def plays(self) -> tuple[int, ...]:
        """Cards in the order in which they were played."""
        return tuple(self._plays)

    @property
    def table(self) -> tuple[int, ...]:
        """Cards of the current trick, from the leader on."""
        lying = len(self._plays) % self.rules.n
        return tuple(self._plays[-lying:]) if lying else ()

    @property
    def hands(self) -> tuple[tuple[int, ...], ...]:
        """Every hand by seat, oldest card first."""
        return tuple(map(tuple, self._hands))

    @property
    def stock(self) -> tuple[int, ...]:
        """Cards still to be drawn (tallone) in drawing order, the upcard last."""
        return tuple(self._stock[::-1])

    @property
    def stock_size(self) -> int:
        """Cards still to be drawn, the upcard included."""
        return len(self._stock)

    @property
    def points(self) -> tuple[int, ...]:
        """Points banked, by seat."""
        return tuple(self._points)

    @property
    def side_points(self) -> tuple[int, ...]:
        """Points banked, by side."""
        return by_side(self.rules, self._points)

    @property
    def unplayed(self) -> int:
        """Points not banked: 120 - sum of `points`."""
        return 120 - sum(self._points)

    @property
    def tricks(self) -> tuple[Trick, ...]:
        """Finished tricks in order."""
        n = self.rules.n
        plays = self._plays
        finished = []
        leader, at = self._first, 0
        for winner in self._winners:
            cards = tuple(plays[at : at + n])
            at += n
            finished.append(Trick(leader, cards, winner, sum([POINTS[card] for card in cards])))
            leader = winner
        return tuple(finished)

    @property
    def played_by(self) -> tuple[int, ...]:
        """The seat of each play, in order."""
        n, leaders = self.rules.n, (self._first, *self._winners)
        return tuple((leaders[at // n] + at % n) % n for at in range(len(self._plays)))

    @property
    def tricks_done(self) -> int:
        """Number of finished tricks, those before a position included."""
        return len(self._gone) // self.rules.n + len(self._winners)

    @property
    def end(self) -> str:
        """How the deal ended, as in `Record.end`: `played` or `claim:<seat>`."""
        return f"claim:{self._claimed}" if self._claimed >= 0 else "played"

    @property
    def termination(self) -> str:
        """How an ended deal ended: `normal` (every card played), `claim`, or `auto` (stopped above 60)."""
        if self._claimed >= 0:
            return "claim"
        return "auto" if self.tricks_done < self.rules.tricks else "normal"

    @property
    def winner_side(self) -> int | None:
        """Side that won; None while the deal is not over, or when it is drawn."""
        return settle(self.rules, self._points, self.leader)[1] if self.over else None

    def result(self) -> DealResult:
        """Points so far and, when it is over, who won."""
        sides, winner = settle(self.rules, self._points, self.leader)
        return DealResult(self.points, sides, winner if self.over else None, self.unplayed, self.tricks_done, self.over)

    def observe(
        self,
        seat: int | None,
        *,
        number: int = 1,
        score: Sequence[int] = (),
        drawn: int = 0,
        signs: Sequence[tuple[int, int, str]] = (),
    ) -> Observation:
        """What `seat` may know (None: a spectator, who sees no hand). See `view.observe`."""
        return observe(self, seat, number=number, score=score, drawn=drawn, signs=signs)

    def position(self, seat: int | None = None) -> str:
        """Position string; with `seat` only that hand is open. Raises PositionError `position.seat`."""
        from .position import position_of

        return str(position_of(self, seat))

    @classmethod
    def from_position(cls, position: "Position") -> Self:
        """Deal that goes on from a fully open position, without what was before. Raises PositionError."""
        from .position import check_open

        hands, stock = check_open(position)
        deal = cls.__new__(cls)
        deal.rules = position.rules
        deal.dealer = -1
        deal.turned = ()
        deal.upcard = position.upcard
        deal._deck = ()
        deal._hands = [list(hand) for hand in hands]
        under = [position.upcard] if position.upcard_in_stock else []
        deal._stock = [*under, *stock[::-1]]
        deal._begin(position.leader, list(position.table), position.played, list(position.points))
        if not any(hands) or (deal._stops and not position.table and deal._is_won()):
            deal._end()
        return deal


def checked_deck(rules: Rules, deck: Sequence[int]) -> tuple[int, ...]:
    """`deck` as plain integers. Raises RecordError `record.deck` unless it has each card of the rules once."""
    try:
        cards = tuple(bytes(deck)) if isinstance(deck, (list, tuple, bytes)) else ()
    except (TypeError, ValueError):
        cards = ()
    if len(cards) != len(rules.cards) or rules.card_set != set(cards):
        raise RecordError("record.deck", f"The deck must hold each of the {len(rules.cards)} cards of the rules once.")
    return cards


def checked_turned(rules: Rules, turned: Sequence[int]) -> tuple[int, ...]:
    """Upcards that were put back, as a tuple. Raises RecordError `record.turned` where the rules put none back."""
    cards = tuple(turned) if isinstance(turned, (list, tuple, bytes)) else (None,)
    most = {"none": 0, "A3R": 1}.get(rules.redraw, MAX_TURNED)
    if len(cards) > most or not all(type(c) is int and c in rules.card_set and is_forbidden(rules, c) for c in cards):
        raise RecordError("record.turned", f"These cards cannot have been turned back with redraw={rules.redraw}.")
    return cards
