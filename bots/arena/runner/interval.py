"""How sure a score is."""

from collections.abc import Sequence
from math import sqrt
from typing import Final

Z: Final = 1.959964
"""Of 95 %."""


def interval(scores: Sequence[float]) -> tuple[float, float]:
    """95 % interval of the mean of scores from 0 to 1, one an independent trial (a mirrored pair, or a game).

    Wilson's interval, with the number of trials that a yes-or-no experiment of the same spread would have had: the
    variance is the measured one, drawn towards the binomial one by the weight of two trials, which matters while there
    are few. (0, 1) without scores.

    >>> [round(bound, 3) for bound in interval([1.0, 0.5, 0.5, 1.0, 0.0, 0.5, 1.0, 0.5, 0.5, 0.75])]
    [0.403, 0.805]
    """
    count = len(scores)
    if not count:
        return 0.0, 1.0
    mean = sum(scores) / count
    binomial = mean * (1 - mean)
    trials = float(count)
    if binomial:
        squares = sum((score - mean) ** 2 for score in scores)
        trials *= binomial * (count + 1) / (squares + 2 * binomial)
    spread = Z * Z / trials
    middle = (mean + spread / 2) / (1 + spread)
    half = Z / (1 + spread) * sqrt(binomial / trials + spread / (4 * trials))
    return max(0.0, middle - half), min(1.0, middle + half)
