"""Elo: the integer loop and the rebuild of a ledger beside a plain float loop, and the Berger tables.

Run `python benchmarks/elo.py [matches]` (default 1,000,000). Every line is measured in this process, in this run; the
targets are ratios, so the machine hardly matters. Exit status 1 when a target is missed.
"""

import gc
import random
import sys
import time
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from league.pairing import round_robin
from league.rating.elo import BELLA, PPM, Population, match_rater
from league.rating.inputs import Period, PeriodKind, PeriodMatch, PeriodSubject
from league.rating.periods import replay

ROWS = 2000
ROUND = 100
Match = tuple[int, int, int]


def random_matches(count: int) -> list[Match]:
    """(a, b, score of a in ppm) between two different rows out of ROWS; the same ones in every run."""
    dice = random.Random(1)
    pairs = ((dice.randrange(ROWS), dice.randrange(1, ROWS)) for _ in range(count))
    return [(a, (a + step) % ROWS, dice.choice((0, PPM // 2, PPM))) for a, step in pairs]


def float_loop(matches: list[tuple[int, int, float]], factors: list[int]) -> list[float]:
    """The loop that everyone writes first: floats, a power a match, K by games from a list."""
    ratings, games = [1500.0] * ROWS, [0] * ROWS
    for a, b, score in matches:
        rating_a, rating_b = ratings[a], ratings[b]
        expected = 1 / (1 + 10 ** ((rating_b - rating_a) / 400))
        ratings[a] = rating_a + factors[games[a]] * (score - expected)
        ratings[b] = rating_b + factors[games[b]] * (expected - score)
        games[a] += 1
        games[b] += 1
    return ratings


def integer_loop(matches: list[Match], factors: list[int]) -> list[int]:
    """The same with the product's arithmetic, the floor included."""
    rate, floor = match_rater(BELLA), BELLA.floor
    ratings, games = [BELLA.start] * ROWS, [0] * ROWS
    for a, b, score in matches:
        rating_a, rating_b = ratings[a], ratings[b]
        _, delta_a, delta_b = rate(rating_a, rating_b, score, factors[games[a]], factors[games[b]])
        rating_a += delta_a
        rating_b += delta_b
        ratings[a] = rating_a if rating_a > floor else floor  # noqa: FURB136
        ratings[b] = rating_b if rating_b > floor else floor  # noqa: FURB136
        games[a] += 1
        games[b] += 1
    return ratings


def periods(matches: list[Match], size: int) -> Iterator[Period]:
    """The matches as periods of `size`, as the rebuild reads them from the database."""
    kind = PeriodKind.MATCH if size == 1 else PeriodKind.ROUND
    subjects = [PeriodSubject(subject=f"v:{row + 1}", population=Population.BOT) for row in range(ROWS)]
    for number, start in enumerate(range(0, len(matches), size), start=1):
        block = matches[start : start + size]
        yield Period(
            seq=number,
            kind=kind,
            day=date(2026, 1, 1),
            matches=tuple(
                PeriodMatch(
                    code=f"{start + index:07d}",
                    sides=((subjects[a].subject,), (subjects[b].subject,)),
                    scores=(score, PPM - score),
                )
                for index, (a, b, score) in enumerate(block)
            ),
            subjects=tuple(subjects[row] for row in {row for a, b, _ in block for row in (a, b)}),
        )


def rebuild_seconds(matches: list[Match], size: int) -> float:
    """Time to replay periods of `size` matches, held in memory, into canonical rows and hashes."""
    history = list(periods(matches, size))
    gc.freeze()  # the history is not what is measured

    def work() -> None:
        rows = sum(len(result.rows) for result in replay(history, pool="bot-1v1"))
        if rows != 2 * len(matches):
            raise SystemExit(f"{rows} rows from {len(matches)} matches")

    return seconds(work)


def seconds(work: Callable[[], object], tries: int = 3) -> float:
    """Best wall time of some tries."""
    times = []
    for _ in range(tries):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> int:
    """Print the table; 1 when a target is missed."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    matches = random_matches(count)
    floats = [(a, b, score / PPM) for a, b, score in matches]
    factors = [BELLA.k_rule(Population.BOT, games, BELLA.start)[0] for games in range(count + 1)]
    sample = matches[: max(1, count // 10)]

    plain = seconds(lambda: float_loop(floats, factors)) / count
    lines = [
        ("Elo integer loop", seconds(lambda: integer_loop(matches, factors)) / count / plain, 2.0),
        ("rebuild, a match a period", rebuild_seconds(sample, 1) / len(sample) / plain, 50.0),
        (f"rebuild, {ROUND} matches a period", rebuild_seconds(sample, ROUND) / len(sample) / plain, 50.0),
    ]
    print(f"plain float loop: {1e6 * plain:.3f} us a match ({count:,} matches, {ROWS:,} rows)")
    for name, ratio, target in lines:
        print(f"{name:34} {ratio:7.2f} x   target <= {target:.1f} x   {1e6 * ratio * plain:8.3f} us a match")
    berger = 1000 * seconds(lambda: round_robin.schedule(tuple(range(1, 65)), double=True))
    print(f"{'Berger, 64 entries, double':34} {berger:7.2f} ms  target < 20 ms")
    return int(berger >= 20 or any(ratio > target for _, ratio, target in lines))


if __name__ == "__main__":
    sys.exit(main())
