"""The cheapest perfect matching of a Swiss round: costs packed into one integer, matched by rustworkx.

Six fields, the most important first; each is wide enough for the sum over all pairs of a round of 400 entries with
scores up to 60 half-points, so no field spills into the next. 113 bits in all; the library takes weights below 2^127.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

import rustworkx

WIDTHS = (8, 20, 10, 9, 18, 48)
LOT_BYTES = 5

_SHIFTS = tuple(sum(WIDTHS[field + 1 :]) for field in range(len(WIDTHS)))
_REPEAT, _SCORES, _FLOATS, _LABELS, _DISTANCE, _LOT = _SHIFTS


class Cost(NamedTuple):
    """The cost of a pair, or of a round as their sum; compared field by field.

    `repeat`: 1 when they have met (bye: had one, or a forfeit win). `scores`: square of the difference in half-points
    (bye: from the lowest score). `floats`: second float in a row of the upper one down and of the lower one up.
    `same_label`: 1 when a label is shared. `distance`: among equals from "upper half against lower half", else in
    ranks (bye: places from below). `lot`: 40 bits of `SHA-256("<round seed in hex>:<number above>:<number below>")`,
    the bye being number 0.
    """

    repeat: int
    scores: int
    floats: int
    same_label: int
    distance: int
    lot: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """An entry as the matching sees it, at its rank in the list (from 0); `met` holds ranks."""

    number: int
    score: int
    met: frozenset[int]
    no_bye: bool
    floated_down: bool
    floated_up: bool
    labels: frozenset[str]


def cheapest(
    ranked: Sequence[Ranked], *, round_seed: bytes, repeats: bool
) -> list[tuple[int, int | None, Cost]] | None:
    """Return the pairs (upper rank, lower rank or None for the bye, cost) from the top, or None when there are none.

    Without `repeats` no two that have met and no second bye are allowed.
    """
    edges = edge_costs(ranked, round_seed=round_seed, repeats=repeats)
    matching = match(len(ranked) + len(ranked) % 2, edges)
    if matching is None:
        return None
    costs = {(upper, lower): cost for upper, lower, cost in edges}
    bye = len(ranked)
    pairs = sorted(matching, key=lambda pair: (pair[1] == bye, pair))
    return [(upper, None if lower == bye else lower, unpacked(costs[upper, lower])) for upper, lower in pairs]


def match(vertices: int, edges: Sequence[tuple[int, int, int]]) -> list[tuple[int, int]] | None:
    """Return the perfect matching of least cost over (upper, lower, cost), or None when nobody can be left out."""
    if not edges:
        return None
    graph = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(vertices))
    heaviest = max(edge[2] for edge in edges) + 1
    graph.add_edges_from([(upper, lower, heaviest - cost) for upper, lower, cost in edges])
    matching = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    if 2 * len(matching) < vertices:
        return None
    return [(min(pair), max(pair)) for pair in matching]


def edge_costs(ranked: Sequence[Ranked], *, round_seed: bytes, repeats: bool) -> list[tuple[int, int, int]]:
    """Return every allowed pair (upper rank, lower rank, packed cost); the bye is the rank after the last."""
    count = len(ranked)
    sizes: dict[int, int] = {}
    for each in ranked:
        sizes[each.score] = sizes.get(each.score, 0) + 1
    drawn = _lots(round_seed)
    edges: list[tuple[int, int, int]] = []
    for upper, first in enumerate(ranked):
        met, score, labels = first.met, first.score, first.labels
        again = 1 << _FLOATS if first.floated_down else 0
        half = sizes[score] // 2
        of_first = drawn(first.number)
        for lower in range(upper + 1, count):
            second = ranked[lower]
            cost = of_first(second.number)
            if lower in met:
                if not repeats:
                    continue
                cost += 1 << _REPEAT
            gap = score - second.score
            if gap:
                cost += (gap * gap << _SCORES) + again + (lower - upper << _DISTANCE)
                if second.floated_up:
                    cost += 1 << _FLOATS
            else:
                cost += abs(lower - upper - half) << _DISTANCE
            if labels and not labels.isdisjoint(second.labels):
                cost += 1 << _LABELS
            edges.append((upper, lower, cost))
        if count % 2 and (repeats or not first.no_bye):
            gap = score - ranked[-1].score
            cost = of_first(0) + (first.no_bye << _REPEAT) + (gap * gap << _SCORES) + (count - upper << _DISTANCE)
            edges.append((upper, count, cost + again if gap else cost))
    return edges


def unpacked(cost: int) -> Cost:
    """Return the fields of a packed cost."""
    return Cost(*(cost >> shift & (1 << width) - 1 for shift, width in zip(_SHIFTS, WIDTHS, strict=True)))


def _lots(round_seed: bytes) -> Callable[[int], Callable[[int], int]]:
    """Lots by upper, then lower number; what they share is hashed once."""
    start = sha256(f"{round_seed.hex()}:".encode("ascii"))

    def of_upper(upper: int) -> Callable[[int], int]:
        begun = start.copy()
        begun.update(b"%d:" % upper)

        def of_lower(lower: int) -> int:
            whole = begun.copy()
            whole.update(b"%d" % lower)
            return int.from_bytes(whole.digest()[:LOT_BYTES])

        return of_lower

    return of_upper
