"""How strong bots are against each other: `python -m benchmarks.strength A B [--pairs N] [--seed HEX] [--players 2|4]`.

Without bots: the table of docs/performance.md. Bots are house or demo bots by name, or files; they are asked in this
process, without the sandbox's limits. Deals come in mirrored pairs: the same deck, sides exchanged. The score counts a
drawn deal as half a win; its interval (95 %) is that of the mean over pairs. Prints the first bot's luck as well, whose
mean must be 0 within 4 standard errors, and by how much its removal shrinks the variance of the points.
"""

import argparse
import importlib.util
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path
from statistics import fmean, pvariance
from typing import Any

from bots import demo, house
from bots.protocol import Match
from games.engine import Deal, Observation, Record, Rules, card_int, luck, shuffled

#: (one, other, pairs, what a score must overlap, points), of the design.
TABLE = (
    ("greedy", "random", 2000, (0.811, 0.835), 33.8),
    ("principiante", "random", 2000, (0.767, 0.793), 28.6),
    ("medio", "random", 2000, (0.857, 0.877), 38.9),
    ("medio", "greedy", 2000, (0.609, 0.637), 7.3),
    ("medio_ending", "medio", 2000, (0.562, 0.576), 4.3),
    ("medio_unhalved", "principiante", 2000, (0.660, 0.688), 13.2),
    ("esperto", "random", 300, (0.901, 1.0), 44.3),
    ("esperto", "greedy", 300, (0.741, 1.0), 17.2),
    ("esperto", "medio_ending", 300, (0.627, 1.0), 8.0),
    ("esperto", "medio", 300, (0.707, 1.0), 14.1),
)
SEED = "00" * 31 + "07"

Ask = Callable[[Observation], str]


@dataclass(slots=True)
class Tally:
    """What pairs of deals gave the first bot."""

    scores: list[float] = field(default_factory=list)
    """Mean score of each pair."""
    points: list[int] = field(default_factory=list)
    """Difference of points of each deal."""
    lucks: list[float] = field(default_factory=list)
    """Luck of the first bot in each deal of two, in points."""
    moves: tuple[list[float], list[float]] = field(default_factory=lambda: ([], []))
    """CPU seconds of each move with a choice, by bot."""

    @property
    def score(self) -> float:
        """Share of deals won, a drawn one half."""
        return fmean(self.scores)

    @property
    def interval(self) -> float:
        """Half of the 95 % interval of the score."""
        return 1.96 * sqrt(pvariance(self.scores) / len(self.scores))


def load(name: str) -> Any:
    """The module of a bot: of the house, of the demo, or a file."""
    folder = house if name in house.HOUSE else demo if name in demo.DEMO else None
    path = Path(name) if folder is None else Path(str(folder.__file__)).parent / f"{name}.py"
    found = importlib.util.spec_from_file_location(f"bot_{path.stem}", path)
    if found is None or found.loader is None or not path.is_file():
        raise SystemExit(f"no bot {name}: take one of {', '.join([*house.HOUSE, *demo.DEMO])}, or a .py file")
    module = importlib.util.module_from_spec(found)
    sys.modules[found.name] = module
    found.loader.exec_module(module)
    return module


def seated(module: Any, rules: Rules, seat: int) -> Ask:
    """The bot at a seat, started as the harness does it."""
    if hasattr(module, "play"):
        return module.play  # type: ignore[no-any-return]
    bot = module.Bot()
    if hasattr(bot, "start"):
        bot.start(
            Match(match="m", seat=seat, players=rules.n, sides=rules.sides, rules=rules, seed=7 + seat, limits={})
        )
    return bot.play  # type: ignore[no-any-return]


def compare(one: str, other: str, *, pairs: int, seed: bytes, rules: Rules) -> Tally:
    """Play mirrored pairs; in the first deal of each `one` has side 0."""
    modules = (load(one), load(other))
    tally = Tally()
    for number in range(1, pairs + 1):
        score = 0.0
        shuffle = shuffled(rules, seed, "", number)
        for side in (0, 1):
            who = [0 if rules.sides[seat] == side else 1 for seat in range(rules.n)]
            bots = [seated(modules[who[seat]], rules, seat) for seat in range(rules.n)]
            deal = Deal(rules, shuffle.deck, number % rules.n, shuffle.turned)
            while not deal.over:
                turn = deal.turn
                view = deal.observe(turn, number=number)
                start = time.process_time()
                card = bots[turn](view)
                if len(view.legal) > 1:
                    tally.moves[who[turn]].append(time.process_time() - start)
                deal.play(card_int(card))
            score += 0.5 if deal.winner_side is None else float(deal.winner_side == side)
            tally.points.append(deal.side_points[side] - deal.side_points[1 - side])
            if (found := luck(Record.of(deal))) is not None:
                tally.lucks.append(found[side] / 10)
        tally.scores.append(score / 2)
    return tally


def report(one: str, other: str, tally: Tally) -> str:
    """One line of the table."""
    line = f"{one:>14} v {other:<14} {tally.score:.3f} +- {tally.interval:.3f}  points {fmean(tally.points):+6.1f}"
    if tally.lucks:
        net = [points - found for points, found in zip(tally.points, tally.lucks, strict=True)]
        error = sqrt(pvariance(tally.lucks) / len(tally.lucks))
        line += f"  luck {fmean(tally.lucks):+.2f} +- {4 * error:.2f}"
        line += f"  variance / without luck {pvariance(tally.points) / pvariance(net):.2f}"
    for name, moves in zip((one, other), tally.moves, strict=True):
        ordered = sorted(moves)
        line += (
            f"\n{name:>31}: CPU a move {1e3 * fmean(ordered):.2f} ms, p95 {1e3 * ordered[len(ordered) * 95 // 100]:.2f}"
        )
        line += f", max {1e3 * ordered[-1]:.1f}"
    return line


def _count(text: str) -> int:
    if not text.isdigit() or not 0 < int(text) <= 1_000_000:
        raise argparse.ArgumentTypeError("a number from 1 to 1,000,000")
    return int(text)


def _seed(text: str) -> bytes:
    try:
        seed = bytes.fromhex(text)
    except ValueError:
        seed = b""
    if len(seed) != 32:
        raise argparse.ArgumentTypeError("64 hexadecimal digits")
    return seed


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what was asked for; 1 when a row of the table is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.strength", description="Bots on mirrored deals.")
    parser.add_argument("bots", nargs="*", metavar="BOT", help="two: names of house or demo bots, or files")
    parser.add_argument("--pairs", type=_count, help="pairs of deals (default: 300; in the table as the design asks)")
    parser.add_argument("--seed", default=bytes.fromhex(SEED), type=_seed, help="64 hex digits")
    parser.add_argument("--players", type=int, choices=(2, 4), default=2)
    parser.add_argument("--quick", action="store_true", help="the table without the rows of esperto (half an hour)")
    options = parser.parse_args(arguments)
    seed, rules = options.seed, Rules(n=options.players)
    if options.bots:
        if len(options.bots) != 2:
            parser.error("name two bots")
        one, other = options.bots
        print(report(one, other, compare(one, other, pairs=options.pairs or 300, seed=seed, rules=rules)))
        return 0
    missed = 0
    for one, other, pairs, (low, high), points in TABLE:
        if options.quick and one == "esperto":
            continue
        tally = compare(one, other, pairs=options.pairs or pairs, seed=seed, rules=rules)
        is_met = tally.score + tally.interval >= low and tally.score - tally.interval <= high
        missed += not is_met
        print(report(one, other, tally) + f"\n{'':>31}  design {low:.3f} to {high:.3f}, points {points:+.1f}"
              f"{'' if is_met else '  MISSED'}", flush=True)  # fmt: skip
    return min(missed, 1)


if __name__ == "__main__":
    sys.exit(main())
