"""What each example shows, as a condition on a deal: the seat on turn, and the one card that is right there.

"Right" is told by the rules or by the exact ending, where the example asks for the best card; the tests prove it.
"""

from functools import cache
from typing import Final

from games.engine import POINTS, Deal, Rules, card_int, solve
from games.learn.moments import Idea, Moment, find, holder, takes

#: Points from which a card is a load.
LOAD: Final = 10


@cache
def moment(name: str) -> Moment:
    """The moment of an idea, by its name in IDEAS."""
    rules, idea = IDEAS[name]
    return find(name, Rules.parse(rules), idea)


def _only(cards: list[int]) -> int | None:
    return cards[0] if len(cards) == 1 else None


def _is_trump(deal: Deal, card: int) -> bool:
    return card // 10 == deal.trump


def _replies(deal: Deal) -> bool:
    """Whether this seat ends a trick of two that was led without a trump, while there is a stock."""
    return deal.rules.n == 2 and len(deal.table) == 1 and deal.stock_size > 2 and not _is_trump(deal, deal.table[0])


def _same_suit(deal: Deal) -> int | None:
    """A figure is led and the only higher card of its suit is a figure too."""
    if not _replies(deal) or not 0 < POINTS[deal.table[0]] < LOAD:
        return None
    return _only([card for card in deal.legal() if takes(deal, card) and not _is_trump(deal, card)
                  and POINTS[card] < LOAD])  # fmt: skip


def _trump_takes(deal: Deal) -> int | None:
    """A load is led and a plain trump takes it."""
    if not _replies(deal) or POINTS[deal.table[0]] < LOAD:
        return None
    return _only([card for card in deal.legal() if takes(deal, card) and POINTS[card] == 0])


def _other_suit(deal: Deal) -> int | None:
    """A plain card is led and a load of another suit, no trump, is lost to it."""
    if not _replies(deal) or POINTS[deal.table[0]]:
        return None
    loads = [card for card in deal.legal() if POINTS[card] >= LOAD]
    return _only([card for card in loads if not takes(deal, card) and not _is_trump(deal, card)])


def _count(deal: Deal) -> int | None:
    """A trick of a load and a figure."""
    if not _replies(deal) or POINTS[deal.table[0]] < LOAD:
        return None
    return _only([card for card in deal.legal() if 0 < POINTS[card] < LOAD])


def _plain(deal: Deal) -> int | None:
    """Nothing lies there: of a plain card, a load that would be lost and a trump, the plain card goes."""
    if not _replies(deal) or POINTS[deal.table[0]]:
        return None
    hand = deal.legal()
    plain = [card for card in hand if POINTS[card] == 0 and not _is_trump(deal, card) and not takes(deal, card)]
    trumps = [card for card in hand if _is_trump(deal, card)]
    lost = [card for card in hand if POINTS[card] >= LOAD and not takes(deal, card)]
    return plain[0] if len(plain) == len(trumps) == len(lost) == 1 else None


def _load_home(deal: Deal) -> int | None:
    """The last to play brings a load of the suit that was led home; no other card of the hand but a trump takes."""
    if not _replies(deal) or POINTS[deal.table[0]] >= LOAD:
        return None
    loads = [card for card in deal.legal() if POINTS[card] >= LOAD and takes(deal, card) and not _is_trump(deal, card)]
    others = [card for card in deal.legal() if card not in loads and takes(deal, card)]
    return _only(loads) if all(_is_trump(deal, card) for card in others) and others else None


def _trump_for_load(deal: Deal) -> int | None:
    """A load is led; of two trumps the smaller one takes it."""
    if not _replies(deal) or POINTS[deal.table[0]] < LOAD:
        return None
    taking = sorted(card for card in deal.legal() if takes(deal, card))
    trumps = [card for card in taking if _is_trump(deal, card)]
    return trumps[0] if len(trumps) == len(taking) == 2 and POINTS[trumps[0]] == 0 < POINTS[trumps[1]] else None


def _lead(deal: Deal) -> int | None:
    """To lead with a load, a trump and one plain card in hand, after some tricks: the plain card."""
    if deal.rules.n != 2 or deal.table or not 10 < deal.stock_size < 30:
        return None
    hand = deal.legal()
    plain = [card for card in hand if POINTS[card] == 0 and not _is_trump(deal, card)]
    loads = [card for card in hand if POINTS[card] >= LOAD and not _is_trump(deal, card)]
    return plain[0] if len(plain) == len(loads) == 1 and any(_is_trump(deal, card) for card in hand) else None


def _only_winner(deal: Deal) -> int | None:
    """With all cards open: the one card that wins the deal, when every other one loses it."""
    side = deal.rules.sides[deal.turn]
    if max(deal.side_points) > 60:
        return None
    found = solve(deal)
    ahead = deal.side_points[0] - deal.side_points[1]
    wins = {card: (ahead + value if side == 0 else -ahead - value) for card, value in found.values.items()}
    winning = [card for card, lead in wins.items() if lead > 0]
    return card_int(winning[0]) if len(winning) == 1 and 0 not in wins.values() else None


def _upcard(deal: Deal) -> int | None:
    """The last draw: who loses a trick of nothing gets a high trump, and only that wins the deal."""
    if deal.rules.n != 2 or deal.stock_size != 2 or len(deal.table) != 1 or POINTS[deal.upcard] < LOAD:
        return None
    hand = deal.legal()
    if POINTS[deal.table[0]] or not any(takes(deal, card) for card in hand):
        return None
    best = _only_winner(deal)
    return best if best is not None and not takes(deal, best) and POINTS[best] == 0 else None


def _last_three(deal: Deal) -> int | None:
    """Three cards each, to lead, and only one card wins the deal."""
    return _only_winner(deal) if not deal.stock_size and len(deal.legal()) == 3 and not deal.table else None


def _ends_four(deal: Deal) -> bool:
    return deal.rules.n == 4 and len(deal.table) == 3 and len(deal.legal()) == 3


def _partner_holds(deal: Deal) -> bool:
    seat = holder(deal)
    return seat is not None and deal.rules.sides[seat] == deal.rules.sides[deal.turn]


def _give_partner(deal: Deal) -> int | None:
    """The last to play gives a load to the partner's trick."""
    if not _ends_four(deal) or not _partner_holds(deal):
        return None
    loads = [card for card in deal.legal() if POINTS[card] >= LOAD and not _is_trump(deal, card)]
    return _only([card for card in loads if not takes(deal, card)])


def _save_trick(deal: Deal) -> int | None:
    """The last to play takes a load from the other side with the smallest trump."""
    if not _ends_four(deal) or _partner_holds(deal) or sum(POINTS[card] for card in deal.table) < LOAD:
        return None
    taking = [card for card in deal.legal() if takes(deal, card)]
    return _only(taking) if taking and _is_trump(deal, taking[0]) and POINTS[taking[0]] < LOAD else None


def _told(deal: Deal) -> int | None:
    """To lead, while the partner holds an honour of trumps and one load besides."""
    if deal.rules.n != 4 or deal.table or not deal.stock_size:
        return None
    hand = deal.hands[(deal.turn + 2) % 4]
    honours = [card for card in hand if _is_trump(deal, card) and POINTS[card]]
    loads = [card for card in hand if not _is_trump(deal, card) and POINTS[card] >= LOAD]
    plain = [card for card in deal.legal() if POINTS[card] == 0 and not _is_trump(deal, card)]
    return min(plain) if len(honours) == len(loads) == 1 and plain else None


#: Name of the example -> rules of its table, what it shows.
IDEAS: Final[dict[str, tuple[str, Idea]]] = {
    "same_suit": ("n=2", _same_suit),
    "trump": ("n=2", _trump_takes),
    "other_suit": ("n=2", _other_suit),
    "count": ("n=2", _count),
    "marks": ("n=2", _count),
    "plain": ("n=2", _plain),
    "load_home": ("n=2", _load_home),
    "trump_for_load": ("n=2", _trump_for_load),
    "lead": ("n=2", _lead),
    "upcard": ("n=2", _upcard),
    "last_three": ("n=2", _last_three),
    "give_partner": ("n=4", _give_partner),
    "save_trick": ("n=4", _save_trick),
    "told": ("n=4 signals=auto", _told),
}
