"""Best play of two players with all cards open, the stock's order included: alpha-beta by tricks, remembered by hands.

Cards are numbered anew 0, 1, 2 ... and hands are bit sets of these numbers. Values are points to come of the seat that
leads less those of the other.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from .cards import POINTS
from .ending import GAINS, points_of, value
from .errors import SolverError

#: Beyond every value.
FAR: Final = 1000
#: Points that a trump is thought to be worth more than it counts, so that other cards are looked at first.
_TRUMP_FEE: Final = 6


class OpenSearch:
    """The positions that follow from two hands and a stock; what is found is kept for the next question."""

    __slots__ = ("_cards", "_gains", "_leads", "_left", "_number", "_order", "_pairs", "_replies", "_tables", "_width")

    def __init__(self, cards: Iterable[int], stock: Sequence[int], trump: int, max_nodes: int) -> None:
        """`cards`: all that are not played; `stock` in drawing order, an even number of them."""
        self._cards = sorted(cards)
        self._number = {card: at for at, card in enumerate(self._cards)}
        self._gains = GAINS[trump]
        # cheap cards first: most of them lose little, so that the bounds close soon
        self._order = sorted(
            range(len(self._cards)),
            key=lambda at: (
                POINTS[self._cards[at]] + (_TRUMP_FEE if self._cards[at] // 10 == trump else 0),
                self._cards[at] % 10,
            ),
        )
        drawn = [(self.mask(stock[at : at + 1]), self.mask(stock[at + 1 : at + 2])) for at in range(0, len(stock), 2)]
        # by the number of pairs left
        self._pairs = [(0, 0), *reversed(drawn)]
        self._tables: list[dict[int, tuple[int, int]]] = [{} for _ in self._pairs]
        self._leads: dict[int, list[tuple[int, int]]] = {}
        self._replies: dict[int, list[tuple[int, bool, int]]] = {}
        self._width = len(self._cards)
        self._left = max_nodes

    def mask(self, cards: Iterable[int]) -> int:
        """A hand as a bit set."""
        return sum([1 << self._number[card] for card in cards])

    def lead(self, card: int, mine: int, other: int, depth: int, alpha: int = -FAR, beta: int = FAR) -> int:
        """Value of leading `card`, for the seat that leads it.

        `mine`, `other`: hands of leader and follower without it; `depth`: pairs in the stock, at least 1. Exact between
        `alpha` and `beta`, else a bound on the same side. Raises SolverError `solver.too_big`.
        """
        return self._lead(self._number[card], mine, other, depth, alpha, beta)

    def reply(self, lead: int, card: int, mine: int, other: int, depth: int) -> int:
        """Value of replying `card` to `lead`, for the seat that led.

        `mine`, `other`: hands of leader and follower without them; `depth`: pairs in the stock, at least 1.
        """
        first, second = self._pairs[depth]
        points = POINTS[lead] + POINTS[card]
        if self._gains[lead * 40 + card] > 0:
            return points + self._search(mine | first, other | second, depth - 1, -FAR, FAR)
        return -points - self._search(other | first, mine | second, depth - 1, -FAR, FAR)

    def _search(self, mine: int, other: int, depth: int, alpha: int, beta: int) -> int:
        """Value for the seat with `mine`, which leads; exact between `alpha` and `beta`, else a bound."""
        table = self._tables[depth]
        key = mine << 40 | other
        known = table.get(key)
        if known is None:
            if not depth:
                found = points_of(value(self._hand(mine), self._hand(other), self._gains))
                table[key] = found, found
                return found
            low, high = -FAR, FAR
        else:
            low, high = known
            if low >= beta or low == high:
                return low
            if high <= alpha:
                return high
            alpha = max(alpha, low)
            beta = min(beta, high)
        self._left -= 1
        if self._left < 0:
            raise SolverError("solver.too_big", "The search met more positions than it may: give it more `max_nodes`.")
        best = self._best_lead(mine, other, depth, alpha, beta)
        table[key] = (low, best) if best <= alpha else (best, high) if best >= beta else (best, best)
        return best

    def _best_lead(self, mine: int, other: int, depth: int, alpha: int, beta: int) -> int:
        best = -FAR
        for card, rest in self._leads.get(mine) or self._leads_of(mine):
            found = self._lead(card, rest, other, depth, alpha, beta)
            if found > best:
                best = found
                if found >= beta:
                    break
                if found > alpha:
                    alpha = found
        return best

    def _lead(self, card: int, mine: int, other: int, depth: int, alpha: int, beta: int) -> int:
        first, second = self._pairs[depth]
        search = self._search
        worst = FAR
        depth -= 1
        for points, keeps, kept in self._replies.get(card << self._width | other) or self._replies_to(card, other):
            if keeps:
                found = points + search(mine | first, kept | second, depth, alpha - points, beta - points)
            else:
                found = points - search(kept | first, mine | second, depth, points - beta, points - alpha)
            if found < worst:
                worst = found
                if found <= alpha:
                    break
                if found < beta:
                    beta = found
        return worst

    def _leads_of(self, mine: int) -> list[tuple[int, int]]:
        """(card, what stays in the hand), those first that promise most."""
        found = [(at, mine ^ 1 << at) for at in self._order if mine & 1 << at]
        self._leads[mine] = found
        return found

    def _replies_to(self, lead: int, other: int) -> list[tuple[int, bool, int]]:
        """(points of the leader, whether the leader takes the trick, what stays), worst for the leader first."""
        key = lead << self._width | other
        found = self._replies.get(key)
        if found is None:
            found = []
            row = self._cards[lead] * 40
            for reply in self._order:
                if other & 1 << reply:
                    gain = self._gains[row + self._cards[reply]]
                    points = POINTS[self._cards[lead]] + POINTS[self._cards[reply]]
                    found.append((points if gain > 0 else -points, gain > 0, other ^ 1 << reply))
            found.sort(key=lambda reply: reply[0])
            self._replies[key] = found
        return found

    def _hand(self, mask: int) -> tuple[int, ...]:
        found = []
        while mask:
            low = mask & -mask
            found.append(self._cards[low.bit_length() - 1])
            mask ^= low
        return tuple(found)
