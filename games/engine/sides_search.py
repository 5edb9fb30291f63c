"""Best play of two sides of partners without a stock, all hands open: alpha-beta by cards, remembered by tricks.

Values are points to come of side 0 less those of side 1.
"""

from .cards import BEATS, POINTS
from .errors import SolverError
from .rules import Rules

Hands = tuple[tuple[int, ...], ...]
FAR = 1000


class SidesSearch:
    """The positions that follow from some hands; what is found is kept for the next question."""

    __slots__ = ("_beats", "_known", "_left", "_n", "_sides")

    def __init__(self, rules: Rules, trump: int, max_nodes: int) -> None:
        self._n = rules.n
        self._sides = rules.sides
        self._beats = BEATS[trump]
        self._known: dict[tuple[Hands, int], tuple[int, int]] = {}
        self._left = max_nodes

    def play(self, hands: Hands, leader: int, table: tuple[int, ...], card: int) -> int:
        """Value of playing `card` onto `table`, whose first card `leader` led. Raises SolverError `solver.too_big`."""
        return self._play(hands, leader, table, card, -FAR, FAR)

    def _play(self, hands: Hands, leader: int, table: tuple[int, ...], card: int, alpha: int, beta: int) -> int:
        seat = (leader + len(table)) % self._n
        kept = tuple([held for held in hands[seat] if held != card])
        hands = (*hands[:seat], kept, *hands[seat + 1 :])
        table = (*table, card)
        if len(table) < self._n:
            return self._turn(hands, leader, table, alpha, beta)
        winner, held = leader, table[0]
        for step, other in enumerate(table):
            if step and self._beats[held * 40 + other]:
                winner, held = (leader + step) % self._n, other
        points = sum([POINTS[lying] for lying in table])
        if self._sides[winner]:
            points = -points
        return points + self._trick(hands, winner, alpha - points, beta - points)

    def _turn(self, hands: Hands, leader: int, table: tuple[int, ...], alpha: int, beta: int) -> int:
        """Best value of the seat on turn; exact between `alpha` and `beta`, else a bound."""
        self._left -= 1
        if self._left < 0:
            raise SolverError("solver.too_big", "The search met more positions than it may: give it more `max_nodes`.")
        seat = (leader + len(table)) % self._n
        if self._sides[seat]:
            best = FAR
            for card in hands[seat]:
                best = min(best, self._play(hands, leader, table, card, alpha, beta))
                beta = min(beta, best)
                if beta <= alpha:
                    break
        else:
            best = -FAR
            for card in hands[seat]:
                best = max(best, self._play(hands, leader, table, card, alpha, beta))
                alpha = max(alpha, best)
                if beta <= alpha:
                    break
        return best

    def _trick(self, hands: Hands, leader: int, alpha: int, beta: int) -> int:
        if not hands[leader]:
            return 0
        low, high = self._known.get((hands, leader), (-FAR, FAR))
        if low >= beta or low == high:
            return low
        if high <= alpha:
            return high
        alpha, beta = max(alpha, low), min(beta, high)
        best = self._turn(hands, leader, (), alpha, beta)
        found = (low, best) if best <= alpha else (best, high) if best >= beta else (best, best)
        self._known[hands, leader] = found
        return best
