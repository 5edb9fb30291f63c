"""Elo: the integer loop and the rebuild of a ledger beside a plain float loop, and the Berger tables.

Run `python -m benchmarks.elo [matches]` (default 1,000,000). Every line is measured in this process, in this run; the
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


def rebuild(history: list[Period]) -> None:
    """Replay a history held in memory into canonical rows and hashes."""
    rows = sum(len(result.rows) for result in replay(history, pool="bot-1v1"))
    if rows != 2 * sum(len(period.matches) for period in history):
        raise SystemExit(f"{rows} rows are not two a match")


def best_seconds(tries: int, *works: Callable[[], object]) -> list[float]:
    """Best CPU time of each work, all of them run in turn so that a busy moment hits them alike.

    What was made before is kept from the garbage collector: a real rebuild streams its history and holds none of it.
    """
    gc.collect()
    gc.freeze()
    best = [float("inf")] * len(works)
    for _ in range(tries):
        for index, work in enumerate(works):
            start = time.process_time()
            work()
            best[index] = min(best[index], time.process_time() - start)
    return best


def main() -> int:
    """Print the table; 1 when a target is missed."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    matches = random_matches(count)
    floats = [(a, b, score / PPM) for a, b, score in matches]
    factors = [BELLA.k_rule(Population.BOT, games, BELLA.start)[0] for games in range(count + 1)]
    plain, whole = (
        seconds / count
        for seconds in best_seconds(3, lambda: float_loop(floats, factors), lambda: integer_loop(matches, factors))
    )
    print(f"plain float loop: {1e6 * plain:.3f} us a match ({count:,} matches, {ROWS:,} rows)")
    missed = report("Elo integer loop", whole / plain, 2.0)

    # A rebuild streams its periods, so a short history stands for a long one; its rows are not kept.
    size = min(count, 20_000)
    single, rounds = list(periods(matches[:size], 1)), list(periods(matches[:size], ROUND))
    plain, by_match, by_round = best_seconds(
        8, lambda: float_loop(floats[:size], factors), lambda: rebuild(single), lambda: rebuild(rounds)
    )
    missed += report(f"rebuild, {ROUND} matches a period", by_round / plain, 50.0)
    missed += report("rebuild, one match a period", by_match / plain, 50.0)

    (berger,) = best_seconds(5, lambda: round_robin.schedule(range(64), double=True))
    print(f"{'Berger, 64 entries, double':32} {1000 * berger:7.2f} ms  target < 20 ms")
    return int(missed + (berger >= 0.02) > 0)


def report(name: str, ratio: float, target: float) -> bool:
    """Print a ratio beside its target; whether it was missed."""
    print(f"{name:32} {ratio:7.2f} x   target <= {target:.0f} x")
    return ratio > target


if __name__ == "__main__":
    sys.exit(main())
