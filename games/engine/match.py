"""`MatchScore`: the score of a match (partita), folded deal by deal; immutable."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Self

from .errors import MatchError, shown
from .result import DealResult
from .rules import Rules


@dataclass(frozen=True, slots=True)
class MatchScore:
    """Score after `deals` deals: deals won and points by side, deals drawn.

    Drawn deals count for nobody. A match that reaches its cap of deals without a winner is drawn.

    >>> score = MatchScore(Rules()).add(DealResult.from_points(Rules(), (60, 60)))
    >>> score.drawn, score.wins, score.is_over
    (1, (0, 0), False)
    """

    rules: Rules
    wins: tuple[int, ...] = field(default=())
    points: tuple[int, ...] = field(default=())
    drawn: int = 0
    steps: int = 0
    """Seats by which the deal has moved on."""

    def __post_init__(self) -> None:
        zeros = (0,) * self.rules.side_count
        object.__setattr__(self, "wins", self.wins or zeros)
        object.__setattr__(self, "points", self.points or zeros)

    def add(self, result: DealResult) -> Self:
        """Score after one more deal. Raises MatchError: `match.over`, `match.result` (other sides, deal not over)."""
        if self.is_over:
            raise MatchError("match.over", "The match is over: no deal can be added.")
        sides = len(self.wins)
        if not result.is_over or len(result.side_points) != sides:
            raise MatchError("match.result", f"A result needs a finished deal of {sides} sides.")
        winner = result.winner_side
        if winner is not None and (type(winner) is not int or not 0 <= winner < sides):
            raise MatchError("match.result", f"The winner is a side below {sides}, not {shown(winner)}.")
        stays = winner is None and self.rules.tie_dealer == "same"
        return replace(
            self,
            wins=tuple(won + (side == winner) for side, won in enumerate(self.wins)),
            points=tuple(map(sum, zip(self.points, result.side_points, strict=True))),
            drawn=self.drawn + (winner is None),
            steps=self.steps + (not stays),
        )

    @property
    def deals(self) -> int:
        """Deals played, drawn ones included."""
        return sum(self.wins) + self.drawn

    @property
    def differences(self) -> tuple[int, ...]:
        """Points by side less those of the best other side: the settled score of the format difference:k."""
        return tuple(
            mine - max(other for at, other in enumerate(self.points) if at != side)
            for side, mine in enumerate(self.points)
        )

    @property
    def is_over(self) -> bool:
        """Whether no deal is to follow."""
        return self.deals >= self.rules.deal_cap or self._early_winner() is not None

    @property
    def winner_side(self) -> int | None:
        """Side that won the match; None when it is drawn or not over."""
        kind = self.rules.kind
        if kind in ("first_to", "race") or self.deals < self.rules.deal_cap:
            return self._early_winner()
        return _leader(self.wins if kind == "deals" else self.points)

    def _early_winner(self) -> int | None:
        """Side that has reached the target of a format without a fixed number of deals."""
        kind, target = self.rules.kind, self.rules.target
        if kind == "first_to":
            return self.wins.index(target) if target in self.wins else None
        if kind == "race" and max(self.points) >= target:
            return _leader(self.points)
        return None

    def best_without(self, losers: Collection[int]) -> int | None:
        """Side that wins when the sides `losers` are out: most deals, then most points; None when two are equal."""
        left = [side for side in range(len(self.wins)) if side not in losers]
        best = max(((self.wins[side], self.points[side]) for side in left), default=None)
        leaders = [side for side in left if (self.wins[side], self.points[side]) == best]
        return leaders[0] if len(leaders) == 1 else None

    def next_dealer(self, first_dealer: int) -> int:
        """Seat that deals next when `first_dealer` dealt first: the next seat, after a drawn deal by `tie_dealer`."""
        if type(first_dealer) is not int or not 0 <= first_dealer < self.rules.n:
            raise MatchError("match.dealer", f"The dealer is a seat below {self.rules.n}, not {shown(first_dealer)}.")
        return (first_dealer + self.steps) % self.rules.n


def _leader(scores: tuple[int, ...]) -> int | None:
    most = max(scores)
    return scores.index(most) if scores.count(most) == 1 else None
