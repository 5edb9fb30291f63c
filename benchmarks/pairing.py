"""Pairing: Swiss rounds beside the bare matching and beside networkx, brackets, standings, the ladder's choice.

Every line is measured in this process, in this run, on CPU time; ratios where there is something to compare with.
networkx is a development dependency: without it that line says so. Exit status 1 when a target is missed.
"""

import gc
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from league.pairing import double_elimination, knockout, round_robin
from league.pairing.ladder import LadderEntry, Met, choose
from league.pairing.swiss import SwissEntry, as_ranked, pair_round
from league.pairing.swiss_matching import edge_costs, match
from league.scoring import SWISS_ORDER, Entrant, PairingEnd, PairingResult, standings

SEED = bytes(range(32))
ROUNDS = 11


def tournament(count: int) -> tuple[list[SwissEntry], list[PairingResult]]:
    """A Swiss tournament of which all rounds but the last are played, by chance: the entries before it, the results."""
    dice = random.Random(count)
    scores, leads = [0] * count, [0] * count
    met: list[set[int]] = [set() for _ in range(count)]
    results = []
    for number in range(1, ROUNDS + 1):
        order = sorted(range(count), key=lambda entry: (-scores[entry], dice.random()))
        for first, second in zip(order[::2], order[1::2], strict=True):
            points = dice.choice(((2, 0), (1, 1), (0, 2)))
            results.append(
                PairingResult(
                    round=number,
                    entries=(first, second),
                    end=PairingEnd.PLAYED,
                    points=points,
                    wins=(points[0] // 2, points[1] // 2),
                    deals=points,
                    cards=(120 + points[0], 120 + points[1]),
                )
            )
            if number < ROUNDS:
                scores[first] += points[0]
                scores[second] += points[1]
                met[first].add(second)
                met[second].add(first)
                leads[first] += 1
    entries = [
        SwissEntry(entry=entry, number=entry + 1, score=scores[entry], met=frozenset(met[entry]), leads=leads[entry])
        for entry in range(count)
    ]
    return entries, results


def edges_of(entries: list[SwissEntry]) -> list[tuple[int, int, int]]:
    """The packed costs of a round, as the matching takes them."""
    present = sorted(entries, key=lambda each: (-each.score, each.number))
    return edge_costs(as_ranked(present), round_seed=SEED, repeats=False)


def networkx_matching(edges: list[tuple[int, int, int]]) -> Callable[[], object] | None:
    """The same matching by networkx, its graph made before; None where it is not installed."""
    try:
        import networkx as nx
    except ImportError:
        return None
    graph = nx.Graph()
    heaviest = max(cost for _, _, cost in edges) + 1
    graph.add_weighted_edges_from((upper, lower, heaviest - cost) for upper, lower, cost in edges)
    return lambda: nx.max_weight_matching(graph, maxcardinality=True)


def ladder(count: int) -> tuple[list[LadderEntry], dict[int, dict[int, Met]]]:
    """A pool of bots of 400 owners, each with 100 opponents behind it."""
    dice = random.Random(count)
    met: dict[int, dict[int, Met]] = {entry: {} for entry in range(count)}
    for entry in range(count):
        for other in dice.sample(range(count), 50):
            if other != entry:
                met[entry][other] = met[other][entry] = Met(dice.randint(1, 15), dice.randint(0, 9000))
    entries = [
        LadderEntry(
            entry=entry,
            owner=dice.randrange(400),
            forza=int(dice.gauss(1500, 120)),
            error=dice.randint(20, 200),
            pairings=dice.randint(0, 150),
            waited=dice.randint(0, 4000),
            owner_open=dice.randint(0, 5),
            faulty=dice.random() < 0.05,
        )
        for entry in range(count)
    ]
    return entries, met


def best_ms(work: Callable[[], object], tries: int = 5) -> float:
    """Best CPU time in ms."""
    best = float("inf")
    for _ in range(tries):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return 1000 * best


def line(name: str, value: str, target: str, *, missed: bool) -> bool:
    """Print a line of the table; whether it was missed."""
    print(f"{name:56} {value:28} {target:12} {'MISSED' if missed else ''}".rstrip())
    return missed


def swiss() -> list[bool]:
    """Rounds of 400 and of 100."""
    large, _ = tournament(400)
    edges = edges_of(large)
    bare = best_ms(lambda: match(400, edges), 3)
    whole = best_ms(lambda: pair_round(large, round_seed=SEED), 3)
    small, _ = tournament(100)
    small_edges = edges_of(small)
    mine = best_ms(lambda: pair_round(small, round_seed=SEED))
    name = f"Swiss round, 400 players, {len(edges):,} edges"
    found = [
        line(name, f"{whole:.0f} ms", "< 1000 ms", missed=whole >= 1000),
        line(
            "  the same / the bare matching", f"{whole / bare:.2f} ({bare:.0f} ms)", "<= 2.5", missed=whole > 2.5 * bare
        ),
    ]
    theirs = networkx_matching(small_edges)
    if theirs is None:
        print("  networkx is not installed: no reference for 100 players (pip install networkx)")
        return found
    other = best_ms(theirs)
    figures = f"{mine / other:.2f} ({mine:.0f}, {other:.0f} ms)"
    found.append(line("Swiss round, 100 players / networkx's matching", figures, "<= 0.3", missed=mine > 0.3 * other))
    return found


def tables() -> list[bool]:
    """Everything that is built in memory at once."""
    works: dict[str, Callable[[], object]] = {
        "Berger, 64 entries": lambda: round_robin.schedule(range(64)),
        "single elimination, 512 entries": lambda: knockout.bracket(512),
        "double elimination, 128 entries": lambda: double_elimination.bracket(128),
    }
    found = []
    for name, work in works.items():
        ms = best_ms(work)
        found.append(line(name, f"{ms:.1f} ms", "< 20 ms", missed=ms >= 20))
    return found


def ranked() -> list[bool]:
    """Standings with explanations."""
    times = {}
    for count in (200, 400):
        _, results = tournament(count)
        entrants = [Entrant(entry=entry) for entry in range(count)]
        times[count] = best_ms(
            lambda entrants=entrants, results=results: standings(
                entrants=entrants, results=results, seed=SEED, order=SWISS_ORDER
            )
        )
    growth = times[400] / times[200]
    return [
        line("standings with explanations, 400 x 11", f"{times[400]:.0f} ms", "< 150 ms", missed=times[400] >= 150),
        line("  400 / 200 players", f"{growth:.2f} ({times[200]:.0f} ms)", "<= 2.4", missed=growth > 2.4),
    ]


def chosen() -> list[bool]:
    """The ladder's choice."""
    entries, met = ladder(1000)
    ms = best_ms(lambda: choose(entries, count=100, met=met, seed=SEED, label="bench"))
    return [line("ladder: 100 pairings among 1,000 bots", f"{ms:.0f} ms", "< 100 ms", missed=ms >= 100)]


def main() -> int:
    """Print the table; 1 when a target is missed."""
    gc.collect()
    gc.freeze()
    missed = [*swiss(), *tables(), *ranked(), *chosen()]
    return int(any(missed))


if __name__ == "__main__":
    sys.exit(main())
