"""`DealResult`: what a deal adds to the score of a match."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from .errors import MatchError, RecordError, shown
from .rules import Rules


@dataclass(frozen=True, slots=True)
class DealResult:
    """Points by seat and by side; `winner_side` is None when the deal is drawn or not over.

    `unplayed` = points of cards that were never banked (120 - sum of `points`); `tricks` = number of finished tricks.
    """

    points: tuple[int, ...]
    side_points: tuple[int, ...]
    winner_side: int | None
    unplayed: int
    tricks: int
    is_over: bool = True

    @classmethod
    def from_points(cls, rules: Rules, points: Sequence[int], *, last_winner: int | None = None) -> Self:
        """Result of a deal played to the end with these points by seat.

        `last_winner` is the seat that took the last trick; the option `tie=last_trick` needs it.
        Raises RecordError `record.points` unless there is one number a seat and they make 120.
        """
        numbers = tuple(points)
        if len(numbers) != rules.n or any(type(p) is not int or p < 0 for p in numbers) or sum(numbers) != 120:
            raise RecordError("record.points", f"A deal needs {rules.n} numbers of points that make 120.")
        sides, winner = settle(rules, numbers, last_winner)
        return cls(numbers, sides, winner, 0, rules.tricks)

    @classmethod
    def awarded(cls, rules: Rules, winner_side: int) -> Self:
        """A deal given to a side 120-0 by ruling (fault, flag, resignation); nothing in it counts as played."""
        if type(winner_side) is not int or not 0 <= winner_side < rules.side_count:
            raise MatchError("match.side", f"A side is a number below {rules.side_count}, not {shown(winner_side)}.")
        shares = tuple(120 if side == winner_side else 0 for side in range(rules.side_count))
        return cls((0,) * rules.n, shares, winner_side, 120, 0)

    @classmethod
    def forfeited(cls, rules: Rules, seat: int) -> Self:
        """A deal lost by the side of `seat`: two sides: awarded to the other; more: the others share 120 and draw."""
        if type(seat) is not int or not 0 <= seat < rules.n:
            raise MatchError("match.seat", f"A seat is a number below {rules.n}, not {shown(seat)}.")
        loser = rules.sides[seat]
        if rules.side_count == 2:
            return cls.awarded(rules, 1 - loser)
        share = 120 // (rules.side_count - 1)
        shares = tuple(0 if side == loser else share for side in range(rules.side_count))
        return cls((0,) * rules.n, shares, None, 120, 0)


def settle(rules: Rules, points: Sequence[int], last_winner: int | None) -> tuple[tuple[int, ...], int | None]:
    """Points by side, and the side with most of them: None when equal, unless `tie=last_trick` decides it."""
    sides = by_side(rules, points)
    most = max(sides)
    if sides.count(most) == 1:
        return sides, sides.index(most)
    if rules.tie == "last_trick" and last_winner is not None:
        return sides, rules.sides[last_winner]
    return sides, None


def by_side(rules: Rules, points: Sequence[int]) -> tuple[int, ...]:
    """Points of seats summed by side."""
    sums = [0] * rules.side_count
    for side, taken in zip(rules.sides, points, strict=True):
        sums[side] += taken
    return tuple(sums)
