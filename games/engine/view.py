"""`Observation`: what one seat may know of a deal, and nothing else. Cards are codes (`"AD"`), as bots return them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from .cards import CODES, HONOURS, NO_CARD, POINTS, SUITS, card_int
from .errors import RecordError, shown
from .result import by_side
from .rules import Rules

if TYPE_CHECKING:
    from .deal import Deal


class SeenTrick(NamedTuple):
    """A finished trick: codes of its cards in playing order from `leader` on, who took it and its points."""

    leader: int
    cards: tuple[str, ...]
    winner: int
    points: int


@dataclass(frozen=True, slots=True)
class Observation:
    """What `seat` may know (None: a spectator). Frozen; shares nothing that can change with the deal.

    rules, seat, sides (by seat), dealer, deal (its number from 1), score (deals won by side) and drawn (deals);
    hand (oldest first), table ((seat, card) in playing order), leader, turn (None: the deal is over), legal (empty
    when it is not the seat's turn);
    upcard, upcard_in_stock, trump (a suit letter), stock (cards to draw, upcard included), hand_sizes (by seat),
    points (banked, by side), tricks, turned (upcards put back by the shuffle);
    known (seat -> cards of others that this seat knows, ascending), signals (partner -> (trump honours, number of
    carichi outside trumps)), signs ((plays so far, seat, code)), stock_cards (in drawing order, where the rules show
    them). Without a trump `trump` and `upcard` are empty.

    >>> from games.engine import Deal, shuffled
    >>> deal = Deal(Rules(), shuffled(Rules(), bytes(range(32)), "", 1).deck, dealer=1)
    >>> seen = deal.observe(0)
    >>> seen.hand, seen.upcard, seen.stock, len(seen.unseen())
    (('5S', '7C', 'AC'), '5B', 34, 36)
    """

    rules: Rules
    seat: int | None
    sides: tuple[int, ...]
    dealer: int
    deal: int
    score: tuple[int, ...]
    drawn: int
    hand: tuple[str, ...]
    table: tuple[tuple[int, str], ...]
    leader: int
    turn: int | None
    legal: tuple[str, ...]
    upcard: str
    upcard_in_stock: bool
    trump: str
    stock: int
    hand_sizes: tuple[int, ...]
    points: tuple[int, ...]
    tricks: tuple[SeenTrick, ...]
    turned: tuple[str, ...] = ()
    known: Mapping[int, tuple[str, ...]] = field(default_factory=dict, hash=False)
    signals: Mapping[int, tuple[str, int]] = field(default_factory=dict, hash=False)
    signs: tuple[tuple[int, int, str], ...] = ()
    stock_cards: tuple[str, ...] = ()

    def unseen(self) -> tuple[str, ...]:
        """Cards of which this seat does not know where they are, in ascending order.

        All but the own hand, cards played or on the table, the upcard, `known` and `stock_cards`.
        """
        seen = {self.upcard, *self.stock_cards, *self.hand, *(card for _, card in self.table)}
        for trick in self.tricks:
            seen.update(trick.cards)
        for cards in self.known.values():
            seen.update(cards)
        return tuple([code for code in map(CODES.__getitem__, self.rules.cards) if code not in seen])

    def opponent_hand(self) -> tuple[str, ...] | None:
        """The other hand, in ascending order, once it follows from what was seen. Else None.

        Of two seats, when the stock is empty or hands are open.
        """
        if self.rules.n != 2 or self.seat is None:
            return None
        if self.rules.open != "none":
            return self.known[1 - self.seat]
        if self.stock:
            return None
        return tuple(sorted((*self.unseen(), *self.known.get(1 - self.seat, ())), key=card_int))

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON; keys of `known` and `signals` become text, `table` and `tricks` objects."""
        return {
            "rules": self.rules.to_dict(),
            "seat": self.seat,
            "sides": list(self.sides),
            "dealer": self.dealer,
            "deal": self.deal,
            "score": list(self.score),
            "drawn": self.drawn,
            "hand": list(self.hand),
            "table": [{"seat": seat, "card": card} for seat, card in self.table],
            "leader": self.leader,
            "turn": self.turn,
            "legal": list(self.legal),
            "upcard": self.upcard,
            "upcard_in_stock": self.upcard_in_stock,
            "trump": self.trump,
            "stock": self.stock,
            "hand_sizes": list(self.hand_sizes),
            "points": list(self.points),
            "tricks": [trick_dict(trick) for trick in self.tricks],
            "turned": list(self.turned),
            "known": {str(seat): list(cards) for seat, cards in self.known.items()},
            "signals": {str(seat): list(told) for seat, told in self.signals.items()},
            "signs": [list(sign) for sign in self.signs],
            "stock_cards": list(self.stock_cards),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], **more: Any) -> Self:
        """Inverse of `to_dict`; other keys of `data` are ignored, `more` are fields of a subclass.

        Raises RecordError `record.view` when a key is missing or of a wrong shape. For messages of our own making:
        what the values say is not checked.
        """
        try:
            return cls(**_fields_of(data), **more)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise RecordError("record.view", f"This is no observation: {shown(str(error))}.") from None


def trick_dict(trick: SeenTrick) -> dict[str, Any]:
    """A trick as it stands in messages."""
    return {"leader": trick.leader, "cards": list(trick.cards), "winner": trick.winner, "points": trick.points}


#: With what stands for no upcard and no trump.
_CODES: Final = (*CODES, "")
_SUITS: Final = (*SUITS, "")

_AS_IS: Final = (
    "seat", "dealer", "deal", "drawn", "leader", "turn", "upcard", "upcard_in_stock", "trump", "stock",
)  # fmt: skip
_LISTS: Final = ("sides", "score", "hand", "legal", "hand_sizes", "points", "turned")


def _fields_of(data: Mapping[str, Any]) -> dict[str, Any]:
    rules = data["rules"]
    return {
        "rules": rules if isinstance(rules, Rules) else Rules.from_dict(rules),
        **{name: data[name] for name in _AS_IS},
        **{name: tuple(data[name]) for name in _LISTS},
        "table": tuple((card["seat"], card["card"]) for card in data["table"]),
        "tricks": tuple(
            SeenTrick(trick["leader"], tuple(trick["cards"]), trick["winner"], trick["points"])
            for trick in data["tricks"]
        ),
        "known": {int(seat): tuple(cards) for seat, cards in data["known"].items()},
        "signals": {int(seat): (ranks, carichi) for seat, (ranks, carichi) in data["signals"].items()},
        "signs": tuple((plays, seat, code) for plays, seat, code in data["signs"]),
        "stock_cards": tuple(data.get("stock_cards", ())),
    }


def observe(
    deal: "Deal",
    seat: int | None,
    *,
    number: int = 1,
    score: Sequence[int] = (),
    drawn: int = 0,
    signs: Sequence[tuple[int, int, str]] = (),
) -> Observation:
    """Observation of `seat` (None: a spectator) in `deal`, the deal `number` of a match with this `score`.

    Raises RecordError `record.seat`, and `record.history` for a deal built from a position, whose tricks are unknown.
    """
    rules = deal.rules
    if seat is not None and (type(seat) is not int or not 0 <= seat < rules.n):
        raise RecordError("record.seat", f"A seat is a number below {rules.n}, not {shown(seat)}.")
    if not deal._deck:
        raise RecordError("record.history", "A deal built from a position has no tricks to observe.")
    hands = deal._hands
    is_stock = bool(deal._stock)
    on_turn = not deal.over and seat == deal.turn
    hand = () if seat is None else _codes(hands[seat])
    lying = len(deal._plays) % rules.n
    return Observation(
        rules,
        seat,
        rules.sides,
        deal.dealer,
        number,
        tuple(score) or (0,) * rules.side_count,
        drawn,
        hand,
        _table(deal, lying) if lying else (),
        deal.leader,
        None if deal.over else deal.turn,
        hand if on_turn else (),
        _CODES[deal.upcard],
        is_stock and deal.upcard < NO_CARD,
        _SUITS[deal.trump],
        len(deal._stock),
        tuple([len(held) for held in hands]),
        by_side(rules, deal._points),
        _seen_tricks(deal),
        _codes(deal.turned) if deal.turned else (),
        {} if is_stock and rules.partners_see == "never" and rules.open == "none" else _known(deal, seat),
        _signals(deal, seat) if rules.signals == "auto" and seat is not None else {},
        tuple(signs),
        _codes(deal.stock) if rules.open == "all" else (),
    )


def _codes(cards: Sequence[int]) -> tuple[str, ...]:
    return tuple([CODES[card] for card in cards])


def _table(deal: "Deal", lying: int) -> tuple[tuple[int, str], ...]:
    seats = deal._order[deal.leader]
    return tuple([(seats[at], CODES[card]) for at, card in enumerate(deal._plays[-lying:])])


def _seen_tricks(deal: "Deal") -> tuple[SeenTrick, ...]:
    """Finished tricks; the deal keeps those that were shown once, because a bot is asked after every trick."""
    seen = deal._seen
    n = deal.rules.n
    for at in range(len(seen), len(deal._winners)):
        cards = deal._plays[at * n : at * n + n]
        leader = deal._winners[at - 1] if at else deal._first
        seen.append(SeenTrick(leader, _codes(cards), deal._winners[at], sum([POINTS[card] for card in cards])))
    return tuple(seen)


def _known(deal: "Deal", seat: int | None) -> dict[int, tuple[str, ...]]:
    """Cards in other hands that `seat` has seen: the upcard once drawn, partners' hands where the rules show them."""
    rules = deal.rules
    if rules.open != "none":
        return {other: _codes(sorted(hand)) for other, hand in enumerate(deal._hands) if other != seat}
    known: dict[int, tuple[str, ...]] = {}
    if not deal._stock:
        for other, hand in enumerate(deal._hands):
            if other != seat and deal.upcard in hand:
                known[other] = (CODES[deal.upcard],)
    if seat is not None and rules.partners_see != "never" and _shows_partners(deal):
        for partner in _partners(rules, seat):
            known[partner] = _codes(sorted(deal._hands[partner]))
    return known


def _shows_partners(deal: "Deal") -> bool:
    match deal.rules.partners_see:
        case "start":
            return not deal._winners
        case "stock_empty":
            return not deal._stock
        case _:
            return True


def _partners(rules: Rules, seat: int) -> tuple[int, ...]:
    return tuple(other for other in rules.seats_of(rules.sides[seat]) if other != seat)


def _signals(deal: "Deal", seat: int) -> dict[int, tuple[str, int]]:
    """What partners tell without a word (`signals=auto`): ranks of trump honours, number of carichi of other suits."""
    told = {}
    for partner in _partners(deal.rules, seat):
        hand = deal._hands[partner]
        trumps = {CODES[card][0] for card in hand if card // 10 == deal.trump}
        carichi = sum(1 for card in hand if card // 10 != deal.trump and POINTS[card] >= 10)
        told[partner] = ("".join(rank for rank in HONOURS if rank in trumps), carichi)
    return told
