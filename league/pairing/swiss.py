"""Swiss system: one perfect matching a round, the cheapest one by a fixed list of aims.

Rank order in a round: score falling, then starting number. The cost of a pair is a row of numbers, compared from the
first on: a repeat; the square of the difference in score; a second float in a row; a label that should be kept apart;
distance from "upper half against lower half"; a lot that makes the best matching the only one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from league.pairing.errors import PairingError
from league.pairing.lots import coin
from league.pairing.swiss_matching import Cost, Ranked, cheapest, edge_costs, unpacked

T = TypeVar("T")

SMALLEST, LARGEST = 4, 400
MOST_POINTS = 60
"""Half-points up to which the fields of the cost cannot overflow."""
SMALL = 10
"""Up to so many entries the rounds are limited to three less than the entries."""


class Float(StrEnum):
    """Whether an entry met a lower (down) or a higher score (up) in a round; a bye above the last score is down."""

    DOWN = "down"
    UP = "up"


@dataclass(frozen=True, slots=True, kw_only=True)
class SwissEntry:
    """A present entry before a round.

    `number`: its starting number, which never changes. `score` in half-points. `met`: entries it was paired with.
    `no_bye`: it had a bye or a forfeit win, or came back after leaving. `floated`: in the round before this one.
    `labels`: club, owner or the like, kept apart when the option is on. `leads`: how often it led first.
    """

    entry: int
    number: int
    score: int = 0
    met: frozenset[int] = frozenset()
    no_bye: bool = False
    floated: Float | None = None
    labels: frozenset[str] = frozenset()
    leads: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SwissPairing:
    """A pairing of the round: side 0 leads first; side 1 is None for the bye. All pairs of numbers by side.

    `ranks` from 1 in the round, `scores` in half-points, `repeat`: they have met, or it had a bye or forfeit win.
    `floats`: who meets another score. `lead`: why side 0 leads: `fewer` leads so far, by `coin` or by `hand` (None for
    a bye).
    """

    board: int
    entries: tuple[int, int | None]
    ranks: tuple[int, int | None]
    scores: tuple[int, int | None]
    floats: tuple[Float | None, Float | None]
    repeat: bool
    same_label: bool
    lead: str | None
    cost: Cost

    def to_reason(self) -> dict[str, object]:
        """Return why they meet, in plain JSON types: code `swiss` or `swiss_bye`, with `flags` for the exceptions."""
        again = "second_bye" if self.entries[1] is None else "repeat"
        flags = [again] if self.repeat else []
        flags += [f"float_{each.value}:{side}" for side, each in enumerate(self.floats) if each]
        flags += ["float_again"] if self.cost.floats else []
        flags += ["same_label"] if self.same_label else []
        return {
            "code": "swiss_bye" if self.entries[1] is None else "swiss",
            "ranks": list(self.ranks),
            "scores": list(self.scores),
            "flags": flags,
            "lead": self.lead,
            "cost": list(self.cost),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class SwissRound:
    """A drawn round, boards from the top, the bye last. `with_repeats`: no pairing without a repeat was possible
    ("turno con ripetizioni"). `cost`: sum over the pairings."""

    pairings: tuple[SwissPairing, ...]
    with_repeats: bool
    cost: Cost

    @property
    def bye(self) -> int | None:
        """The entry with the bye."""
        return next((each.entries[0] for each in self.pairings if each.entries[1] is None), None)


def default_rounds(count: int) -> int:
    """Return how many rounds an organiser is offered: `ceil(log2 n) + 2`, at most n - 3 for n <= 10."""
    rounds = (count - 1).bit_length() + 2
    return min(rounds, max(1, count - 3)) if count <= SMALL else rounds


def check_size(*, count: int, rounds: int) -> None:
    """Refuse a set-up in which legal rounds run out. Raises PairingError (`size_limit`, `too_many_rounds`)."""
    if not SMALLEST <= count <= LARGEST:
        message = f"A Swiss tournament takes {SMALLEST} to {LARGEST} entries, not {count}."
        raise PairingError("size_limit", message, value=str(count))
    most = count - 3 if count <= SMALL else count - 1
    if not 1 <= rounds <= most:
        message = f"With {count} entries play 1 to {most} rounds, not {rounds}: later ones would repeat pairings."
        raise PairingError("too_many_rounds", message, value=str(rounds))


def last_late_round(rounds: int) -> int:
    """Return the last round before which an entry may still come in: `ceil(rounds / 3)`."""
    return -(-rounds // 3)


def pair_round(entries: Iterable[SwissEntry], *, round_seed: bytes) -> SwissRound:
    """Pair those present; the order in which they are given changes nothing.

    First without repeats and second byes; when that leaves somebody over, with as few as possible. `round_seed` is
    the round's own. Raises PairingError: `no_legal_pairing` (fewer than two), `size_limit`, `already_entered`.
    """
    present = sorted(entries, key=lambda each: (-each.score, each.number))
    _check(present)
    columns = as_ranked(present)
    found = cheapest(columns, round_seed=round_seed, repeats=False)
    with_repeats = found is None
    if found is None:
        found = cheapest(columns, round_seed=round_seed, repeats=True)
    if found is None:
        raise PairingError("no_legal_pairing", "These entries cannot be paired.")
    pairings = [
        _pairing(board, present, upper, lower, cost, round_seed) for board, (upper, lower, cost) in enumerate(found)
    ]
    return SwissRound(pairings=tuple(pairings), with_repeats=with_repeats, cost=_total(pairings))


def by_hand(entries: Iterable[SwissEntry], *, pairs: Sequence[tuple[int, int | None]], round_seed: bytes) -> SwissRound:
    """Return the round that an organiser made, with the flags and costs that it has; side 0 of each pair leads first.

    Repeats and second byes are flagged, not refused. Raises PairingError: `no_legal_pairing` when the pairs are not
    everyone present once, with at most one bye; otherwise as `pair_round`.
    """
    present = sorted(entries, key=lambda each: (-each.score, each.number))
    _check(present)
    rank = {each.entry: index for index, each in enumerate(present)}
    named = [entry for pair in pairs for entry in pair if entry is not None]
    if sorted(named) != sorted(rank) or any(first is None for first, _ in pairs) or len(named) < 2 * len(pairs) - 1:
        odd = sorted(set(rank).symmetric_difference(named)) or sorted(named)
        message = "Everyone present stands in one pair, with at most one bye."
        raise PairingError("no_legal_pairing", message, value=", ".join(map(str, odd)))
    costs = {edge[:2]: edge[2] for edge in edge_costs(as_ranked(present), round_seed=round_seed, repeats=True)}
    made: list[SwissPairing] = []
    for board, (first, second) in enumerate(sorted(pairs, key=lambda pair: (pair[1] is None, _best(pair, rank)))):
        if second is None:
            cost = unpacked(costs[rank[first], len(present)])
            made.append(_pairing(board, present, rank[first], None, cost, round_seed))
            continue
        upper, lower = sorted((rank[first], rank[second]))
        cost = unpacked(costs[upper, lower])
        made.append(_seated(board, present, (upper, lower), cost, swap=rank[first] == lower, lead="hand"))
    return SwissRound(pairings=tuple(made), with_repeats=any(each.repeat for each in made), cost=_total(made))


def _best(pair: tuple[int, int | None], rank: dict[int, int]) -> int:
    return min(rank[entry] for entry in pair if entry is not None)


def _total(pairings: Sequence[SwissPairing]) -> Cost:
    return Cost(*(sum(field) for field in zip(*(each.cost for each in pairings), strict=True)))


def _check(present: Sequence[SwissEntry]) -> None:
    if len(present) < 2:
        names = ", ".join(str(each.entry) for each in present)
        raise PairingError("no_legal_pairing", "A round needs two present entries.", value=names)
    if len(present) > LARGEST:
        message = f"A Swiss round takes at most {LARGEST} entries, not {len(present)}."
        raise PairingError("size_limit", message, value=str(len(present)))
    for field in ("entry", "number"):
        values = [getattr(each, field) for each in present]
        if len(set(values)) != len(values):
            twice = next(value for value in values if values.count(value) > 1)
            raise PairingError("already_entered", f"{field} {twice} stands twice in the list.", value=str(twice))
    for each in present:
        if not 0 <= each.score <= MOST_POINTS:
            message = f"Entry {each.entry} has {each.score} half-points; a Swiss pairing takes 0 to {MOST_POINTS}."
            raise PairingError("size_limit", message, value=str(each.score))


def as_ranked(present: Sequence[SwissEntry]) -> list[Ranked]:
    """Return entries that are in rank order as the matching takes them."""
    index = {each.entry: rank for rank, each in enumerate(present)}
    return [
        Ranked(
            number=each.number,
            score=each.score,
            met=frozenset(index[other] for other in each.met if other in index),
            no_bye=each.no_bye,
            floated_down=each.floated is Float.DOWN,
            floated_up=each.floated is Float.UP,
            labels=each.labels,
        )
        for each in present
    ]


def _pairing(
    board: int, present: Sequence[SwissEntry], upper: int, lower: int | None, cost: Cost, seed: bytes
) -> SwissPairing:
    first = present[upper]
    if lower is None:
        above_last = first.score > present[-1].score
        return SwissPairing(
            board=board,
            entries=(first.entry, None),
            ranks=(upper + 1, None),
            scores=(first.score, None),
            floats=(Float.DOWN if above_last else None, None),
            repeat=bool(cost.repeat),
            same_label=False,
            lead=None,
            cost=cost,
        )
    second = present[lower]
    if first.leads != second.leads:
        swap, lead = second.leads < first.leads, "fewer"
    else:
        swap, lead = bool(coin(seed=seed, label=f"lead:{first.number}:{second.number}")), "coin"
    return _seated(board, present, (upper, lower), cost, swap=swap, lead=lead)


def _seated(
    board: int, present: Sequence[SwissEntry], pair: tuple[int, int], cost: Cost, *, swap: bool, lead: str
) -> SwissPairing:
    upper, lower = pair
    first, second = present[upper], present[lower]
    down, up = (Float.DOWN, Float.UP) if first.score != second.score else (None, None)
    return SwissPairing(
        board=board,
        entries=_by_side(first.entry, second.entry, swap),
        ranks=_by_side(upper + 1, lower + 1, swap),
        scores=_by_side(first.score, second.score, swap),
        floats=_by_side(down, up, swap),
        repeat=bool(cost.repeat),
        same_label=bool(cost.same_label),
        lead=lead,
        cost=cost,
    )


def _by_side(upper: T, lower: T, swap: bool) -> tuple[T, T]:
    return (lower, upper) if swap else (upper, lower)
