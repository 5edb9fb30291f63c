"""Speed of the engine against the reference loop of `deal_limit`: `python -m benchmarks.engine [seconds]`.

Every figure is measured interleaved with the reference in the same run, best of five rounds, process time on one core.
Prints a table and exits with 1 when a target is missed.
"""

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from benchmarks import deal_limit
from games.engine import Deal, Record, Rules, luck, read_deal, shuffled, solve, write_deal

ROUNDS = 5
SEED = bytes(range(32))


@dataclass(frozen=True, slots=True)
class Figure:
    """`work(times)` does something `times` times; one of them may take `target` reference deals."""

    name: str
    work: Callable[[int], object]
    target: float
    is_rate: bool = False
    """Stated as a share of the reference's rate (higher is better) instead of as its multiple."""
    goal: float | None = None
    """What we mean to reach, where the target is less."""


def random_deals(n: int) -> Callable[[int], object]:
    """Deals played to the end by `legal` and `play`, with everything that `undo` needs, shuffled by `random`."""
    rules = Rules(n=n)

    def work(times: int) -> float:
        rng = Random(1)
        shuffle, rnd = rng.shuffle, rng.random
        deck = list(rules.cards)
        total = 0
        for _ in range(times):
            shuffle(deck)
            deal = Deal(rules, deck, n - 1)
            while not deal.over:
                legal = deal.legal()
                deal.play(legal[int(rnd() * len(legal))])
            total += deal.points[0]
        return total / times

    return work


def records(count: int) -> list[Record]:
    """Records of random two-player deals of one match."""
    rules, rng = Rules(), Random(2)
    made = []
    for number in range(1, count + 1):
        shuffle = shuffled(rules, SEED, "", number)
        deal = Deal(rules, shuffle.deck, 1)
        while not deal.over:
            deal.play(rng.choice(deal.legal()))
        made.append(Record.of(deal))
    return made


def shuffles(times: int) -> None:
    """Two-player decks by seed."""
    rules = Rules()
    for number in range(1, times + 1):
        shuffled(rules, SEED, "", number)


def replays(times: int) -> None:
    """Records played again."""
    for at in range(times):
        RECORDS[at % len(RECORDS)].replay()


def verifications(times: int) -> None:
    """Deck by seed, plays by replay, compared with what is stored."""
    for at in range(times):
        record = RECORDS[at % len(RECORDS)]
        shuffle = shuffled(record.rules, SEED, "", at % len(RECORDS) + 1)
        result = record.result()
        if (shuffle.deck, shuffle.turned) != (record.deck, record.turned) or sum(result.points) != 120:
            raise SystemExit("a record does not hold")


def round_trips(times: int) -> None:
    """Text read and written again."""
    for at in range(times):
        text = TEXTS[at % len(TEXTS)]
        if write_deal(read_deal(text).record) != text:
            raise SystemExit("a text does not come back")


def observations(times: int) -> None:
    """What the seat on turn sees, before each of the 40 plays of a deal; the plays are part of the time."""
    for at in range(times // 40):
        record = RECORDS[at % len(RECORDS)]
        deal = Deal(record.rules, record.deck, record.dealer)
        for card in record.plays:
            deal.observe(deal.turn)
            deal.play(card)


RECORDS = records(50)
TEXTS = list(map(write_deal, RECORDS))


def solutions(stock: int) -> Callable[[int], object]:
    """Whole solutions, values of every card and the best line, of 40 positions of random play."""
    deals = []
    for chance in range(40):
        rng = Random(chance)
        deck = list(Rules().cards)
        rng.shuffle(deck)
        deal = Deal(Rules(), deck, chance % 2)
        while deal.stock_size > stock:
            deal.play(rng.choice(deal.legal()))
        deals.append(deal)

    def work(times: int) -> None:
        for _ in range(times // len(deals)):
            for deal in deals:
                solve(deal)

    return work


def lucks(times: int) -> None:
    """Luck of finished deals, with their replay."""
    for number in range(times):
        luck(RECORDS[number % len(RECORDS)])


FIGURES = (
    Figure("random deals, n=2", random_deals(2), 0.35, is_rate=True, goal=0.38),
    Figure("random deals, n=4", random_deals(4), 0.35, is_rate=True, goal=0.38),
    Figure("Record.replay", replays, 3),
    Figure("bella-1 shuffle of 40", shuffles, 1.5),
    Figure("verify a deal", verifications, 4.5),
    Figure("notation read + write", round_trips, 15),
    Figure("observe, mean of 40 turns", observations, 0.5),
    Figure("solve the last 3 tricks", solutions(0), 2),
    Figure("solve 4 tricks, open cards", solutions(2), 17),
    Figure("solve 5 tricks", solutions(4), 60),
    Figure("solve 6 tricks", solutions(6), 170),
    Figure("solve 7 tricks", solutions(8), 440),
    Figure("solve 8 tricks", solutions(10), 1400),
    Figure("luck of a deal", lucks, 5),
)


def seconds_for(work: Callable[[int], object], times: int) -> float:
    """Process time of `times` pieces of work."""
    start = time.process_time()
    work(times)
    return time.process_time() - start


def measure(figure: Figure, seconds: float) -> tuple[float, float]:
    """Best time of one piece of work and of one reference deal, in seconds."""
    times = 40 * max(1, int(seconds / max(seconds_for(figure.work, 40), 1e-6)))
    deals = max(100, int(100 * seconds / max(seconds_for(reference, 100), 1e-6)))
    own, limit = [], []
    for _ in range(ROUNDS):
        limit.append(seconds_for(reference, deals))
        own.append(seconds_for(figure.work, times))
    return min(own) / times, min(limit) / deals


def reference(times: int) -> object:
    """The reference loop as a piece of work."""
    return deal_limit.run(times, 1)


def _goal(figure: Figure, ratio: float) -> str:
    """Whether the goal of a rate is reached, where there is one."""
    if figure.goal is None:
        return ""
    return f"  goal {figure.goal:g} {'reached' if ratio >= figure.goal else 'not reached'}"


def main(arguments: list[str]) -> int:
    """Print the table."""
    seconds = float(arguments[0]) if arguments else 0.2
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    missed = 0
    print(f"{'figure':<28}{'us':>9}{'limit us':>10}{'ratio':>8}{'target':>9}")
    for figure in FIGURES:
        own, limit = measure(figure, seconds)
        ratio = limit / own if figure.is_rate else own / limit
        is_met = ratio >= figure.target if figure.is_rate else ratio <= figure.target
        missed += not is_met
        sign = ">=" if figure.is_rate else "<="
        print(
            f"{figure.name:<28}{own * 1e6:>9.2f}{limit * 1e6:>10.2f}{ratio:>8.3f}{sign:>4}{figure.target:>5g}"
            f"{'' if is_met else '  MISSED'}{_goal(figure, ratio)}"
        )
    return min(missed, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
