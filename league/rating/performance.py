"""Performance rating of a tournament (prestazione): for display only, no rating depends on it."""

from collections.abc import Sequence

from league.rating.elo import div_round
from league.rating.errors import RatingInputError

# FIDE B.02 1.4.9: rating difference dp of a percentage score 50..100; below 50 it is the same with the sign changed.
_DP_FROM_50 = (
    0, 7, 14, 21, 29, 36, 43, 50, 57, 65, 72, 80, 87, 95, 102, 110, 117, 125, 133, 141, 149, 158, 166, 175, 184, 193,
    202, 211, 220, 230, 240, 251, 262, 273, 284, 296, 309, 322, 336, 351, 366, 383, 401, 422, 444, 470, 501, 538, 589,
    677, 800,
)  # fmt: skip


def rating_difference(percentage: int) -> int:
    """Return FIDE's dp in whole Elo for a whole percentage score 0..100."""
    return _DP_FROM_50[percentage - 50] if percentage >= 50 else -_DP_FROM_50[50 - percentage]


def performance(*, opponents: Sequence[int], half_points: int) -> int:
    """Return the performance rating in milli-Elo: mean of the opponents plus dp of the rounded percentage.

    `opponents`: rating in milli-Elo of the opponent of each game; `half_points`: 2 a win, 1 a draw, over all of them.
    Raises RatingInputError (`no_games`, `score_value`).
    """
    games = len(opponents)
    if not games:
        raise RatingInputError("no_games", "A performance needs at least one game.")
    if not 0 <= half_points <= 2 * games:
        raise RatingInputError("score_value", f"{half_points} half-points from {games} games.", value=str(half_points))
    return div_round(sum(opponents), games) + 1000 * rating_difference(div_round(50 * half_points, games))
