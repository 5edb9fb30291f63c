"""Official Elo in integers only: the same inputs give the same bytes on every machine.

Units: a rating is an integer of `EloParameters.unit` steps a point (milli-Elo for BELLA), scores and expectations are
ppm (parts per million). No float and no power function decides anything here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from enum import StrEnum
from hashlib import sha256

PPM = 1_000_000
WIN, DRAW, LOSS = PPM, PPM // 2, 0

TABLE_SHA256 = "e60d69e119222c160762f3081904ff6659af88a248b633ca42180ef50390508f"

MatchRater = Callable[[int, int, int, int, int], tuple[int, int, int]]


class Population(StrEnum):
    """What a rated subject is; it chooses K and the cap on K times games."""

    HUMAN = "human"
    BOT = "bot"


def div_round(numerator: int, denominator: int) -> int:
    """Divide and round to the nearest integer, halves away from zero, symmetric about zero; `denominator` > 0."""
    if numerator >= 0:
        return (2 * numerator + denominator) // (2 * denominator)
    return -((-2 * numerator + denominator) // (2 * denominator))


def logistic_table(last: int) -> tuple[int, ...]:
    """Expected score in ppm of a lead of 0..`last` points: `10^6 / (1 + 10^(-d/400))`, halves to even."""
    context = Context(prec=50, rounding=ROUND_HALF_EVEN)
    ln10 = context.ln(Decimal(10))
    table = []
    for lead in range(last + 1):
        power = context.exp(context.multiply(context.divide(Decimal(-lead), Decimal(400)), ln10))
        expected = context.divide(Decimal(PPM), context.add(Decimal(1), power))
        table.append(int(expected.to_integral_value(ROUND_HALF_EVEN)))
    return tuple(table)


@dataclass(frozen=True, slots=True, kw_only=True)
class EloParameters:
    """One way of counting Elo.

    `table[d]` is the expectation in ppm of a lead of d points, at least `clamp` + 1 entries; a longer lead counts as
    `clamp`. `unit` is the number of rating steps a point (it divides 10^6). `k_rule(population, games, highest)` is
    (K, cap) of a row with so many rated games and that highest rating; the cap bounds K times the games of a period.
    """

    code: str
    table: tuple[int, ...]
    clamp: int
    unit: int
    start: int
    floor: int
    k_rule: Callable[[Population, int, int], tuple[int, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class KFactor:
    """Why a row moves with the K it has: `effective = min(base, max(1, cap // games))`."""

    base: int
    cap: int
    games: int
    effective: int


# (K, cap) by games before the period; the last entry holds for ever. 700 is FIDE 8.3.3; bots meet one opponent many
# times in a period and would overshoot with it.
_HUMAN_K = tuple((max(16, min(40, 800 // (games + 20))), 700) for games in range(31))
_BOT_K = tuple((max(8, min(32, 640 // (games + 20))), 200) for games in range(61))


def bella_k(population: Population, games: int, _highest: int) -> tuple[int, int]:
    """(K, cap) of the product: K decays with the rated games before the period, never with the rating."""
    table = _HUMAN_K if population is Population.HUMAN else _BOT_K
    return table[games] if games < len(table) else table[-1]


BELLA = EloParameters(
    code="bella-1",
    table=logistic_table(800),
    clamp=800,
    unit=1000,
    start=1_500_000,
    floor=400_000,
    k_rule=bella_k,
)


def k_factor(
    parameters: EloParameters, *, population: Population, games_before: int, games: int, highest: int
) -> KFactor:
    """K of a row for a period in which it plays `games` >= 1 rated games after `games_before` earlier ones."""
    base, cap = parameters.k_rule(population, games_before, highest)
    return KFactor(base=base, cap=cap, games=games, effective=capped_k(base, cap, games))


def capped_k(base: int, cap: int, games: int) -> int:
    """K after the cap on K times the games of one period (FIDE 8.3.3); never below 1."""
    share = cap // games
    if share >= base:
        return base
    return max(1, share)


def match_rater(parameters: EloParameters) -> MatchRater:
    """Return `rate(rating_a, rating_b, score_a, k_a, k_b) -> (expected_a, delta_a, delta_b)`.

    Ratings and deltas in rating steps, score and expectation of A in ppm; B's are the rest to 10^6. The rounding is
    `div_round`, written out because this runs once a match of every rebuild.
    """
    clamp = parameters.clamp
    unit, half_unit = parameters.unit, parameters.unit // 2
    divisor = PPM // parameters.unit
    half_divisor = divisor // 2
    lead = parameters.table[: clamp + 1]
    expectations = (*(PPM - ppm for ppm in lead[:0:-1]), *lead)

    def rate(rating_a: int, rating_b: int, score_a: int, k_a: int, k_b: int) -> tuple[int, int, int]:
        difference = rating_a - rating_b
        if difference >= 0:
            points = (difference + half_unit) // unit
            if points > clamp:  # noqa: PLR1730 (min() costs a third of this function)
                points = clamp
        else:
            points = -((half_unit - difference) // unit)
            if points < -clamp:  # noqa: PLR1730
                points = -clamp
        expected = expectations[points + clamp]
        gain = score_a - expected
        if gain >= 0:
            return (
                expected,
                (k_a * gain + half_divisor) // divisor,
                -((k_b * gain + half_divisor) // divisor),
            )
        return (
            expected,
            -((half_divisor - k_a * gain) // divisor),
            (half_divisor - k_b * gain) // divisor,
        )

    return rate


def table_sha256(table: tuple[int, ...]) -> str:
    """SHA-256 of the numbers of an expectation table joined by commas, in hex."""
    return sha256(",".join(map(str, table)).encode("ascii")).hexdigest()


def check_tables() -> None:
    """Refuse to run on a machine that builds another expectation table; call it once when a process starts."""
    found = table_sha256(BELLA.table)
    if found != TABLE_SHA256:
        raise RuntimeError(f"The Elo expectation table has SHA-256 {found}, not {TABLE_SHA256}: ratings would differ.")
