"""Groups (gironi) and the way from them into a knockout bracket."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from league.pairing.errors import PairingError
from league.pairing.knockout import seed_order
from league.pairing.lots import lot

SMALLEST, LARGEST = 4, 6
"""Entries in a group."""
MOST_ADVANCE = 2
"""Entries that advance from each group, the best of the next place apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRow:
    """A row of a group's final standing: `group` from 0, `rank` from 1. `points` in half-points, `deal_difference` in
    deals, both over `played` pairings (those that count, forfeits too)."""

    group: int
    rank: int
    entry: int
    points: int
    played: int
    deal_difference: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Qualifier:
    """Who goes on, as `seed` (from 1) of the knockout. `best_of_next`: as one of the best among the entries that came
    just below those who advance."""

    seed: int
    entry: int
    group: int
    rank: int
    best_of_next: bool

    def to_reason(self) -> dict[str, object]:
        """Return why the entry stands here, in plain JSON types."""
        return {
            "code": "group_qualifier",
            "group": self.group,
            "rank": self.rank,
            "flags": ["best_of_next"] if self.best_of_next else [],
        }


def group_count(count: int) -> int:
    """Return the smallest number of groups of 4 to 6, the sizes differing by at most one.

    Raises PairingError `size_limit` when there is none (fewer than four, or seven entries).
    """
    groups = -(-count // LARGEST)
    if not groups or count // groups < SMALLEST:
        message = f"{count} entries do not make groups of {SMALLEST} to {LARGEST}."
        raise PairingError("size_limit", message, value=str(count))
    return groups


def snake(entries: Sequence[int], *, groups: int) -> tuple[tuple[int, ...], ...]:
    """Deal the entries, best first, to groups 1..g, g..1, 1..g, ... Raises PairingError (`size_limit`,
    `already_entered`)."""
    if groups < 1 or len(entries) < groups:
        message = f"{len(entries)} entries do not fill {groups} groups."
        raise PairingError("size_limit", message, value=str(groups))
    if len(set(entries)) != len(entries):
        twice = next(entry for entry in entries if list(entries).count(entry) > 1)
        raise PairingError("already_entered", f"Entry {twice} stands twice in the list.", value=str(twice))
    dealt: list[list[int]] = [[] for _ in range(groups)]
    for index, entry in enumerate(entries):
        turn, place = divmod(index, groups)
        dealt[groups - 1 - place if turn % 2 else place].append(entry)
    return tuple(tuple(group) for group in dealt)


def best_of(rows: Iterable[GroupRow], *, seed: bytes, label: str = "best_of") -> tuple[GroupRow, ...]:
    """Return rows of different groups, best first: points a pairing, deal difference a pairing, then lot.

    Groups of different sizes are fair to each other that way. Nothing played counts as nothing won.
    """

    def key(row: GroupRow) -> tuple[Fraction, Fraction, bytes, int]:
        played = max(1, row.played)
        drawn = lot(seed=seed, label=label, entry=row.entry)
        return Fraction(-row.points, played), Fraction(-row.deal_difference, played), drawn, row.entry

    return tuple(sorted(rows, key=key))


def qualifiers(rows: Iterable[GroupRow], *, advance: int, best_next: int = 0, seed: bytes) -> tuple[Qualifier, ...]:
    """Return who goes on, by knockout seed: the first `advance` (1 or 2) of each group and the `best_next` after them.

    Winners are seeds 1..g in the order of the groups. Seconds stand in the other half of the bracket than the winner
    of their group, crosswise where that can be (A1-B2, B1-A2), so two of one group meet only in the final. The best of
    the next place are put where they meet their own group as late as possible; when they would meet it at once, seconds
    and then winners move round. Raises PairingError (`size_limit`, `unknown_entry` when a group has no entry of a rank
    that advances).
    """
    listed = {(row.group, row.rank): row for row in rows}
    groups = 1 + max((group for group, _ in listed), default=-1)
    if not 1 <= advance <= MOST_ADVANCE or not 0 <= best_next <= groups or groups * advance + best_next < 2:
        message = f"From {groups} groups advance 1 or 2 each and at most {groups} of the next."
        raise PairingError("size_limit", message, value=f"{advance}+{best_next}")
    for group in range(groups):
        for rank in range(1, advance + 1):
            if (group, rank) not in listed:
                message = f"Group {group + 1} has no entry at rank {rank}."
                raise PairingError("unknown_entry", message, value=f"{group + 1}:{rank}")
    following = [row for (_, rank), row in listed.items() if rank == advance + 1]
    if len(following) < best_next:
        message = f"Only {len(following)} groups have an entry at rank {advance + 1}."
        raise PairingError("unknown_entry", message, value=str(advance + 1))
    best = best_of(following, seed=seed)[:best_next]
    position = _positions(groups * advance + best_next)
    by_seed: dict[int, GroupRow] = {}
    latest = 0
    for arranged in _arrangements(listed, groups, advance, position):
        least, placed = _latest(best, range(groups * advance + 1, len(best) + groups * advance + 1), arranged, position)
        if least > latest:
            latest, by_seed = least, arranged | placed
        if latest > 1:
            break
    return tuple(
        Qualifier(seed=place, entry=row.entry, group=row.group, rank=row.rank, best_of_next=row.rank > advance)
        for place, row in sorted(by_seed.items())
    )


def meeting_round(one: int, two: int) -> int:
    """Return the round in which two bracket positions (from 0) meet if both get there."""
    return (one ^ two).bit_length()


def _positions(count: int) -> dict[int, int]:
    size = max(2, 1 << (count - 1).bit_length())
    return {seed: place for place, seed in enumerate(seed_order(size))}


def _arrangements(
    listed: dict[tuple[int, int], GroupRow], groups: int, advance: int, position: dict[int, int]
) -> Iterator[dict[int, GroupRow]]:
    """Those who advance by their rank, by seed: first as it should be, then with seconds, then with winners moved
    round."""
    half = len(position) // 2
    for start in range(groups):
        turned = [(start + number) % groups for number in range(groups)]
        winners = {number: listed[group, 1] for number, group in enumerate(turned, start=1)}
        if advance == 1:
            yield winners
            continue
        seconds = _seconds([listed[group, 2] for group in turned], position)
        top = [seed for seed in sorted(seconds) if position[seed] < half]
        bottom = [seed for seed in sorted(seconds) if position[seed] >= half]
        for turn in range(max(1, len(top))):
            for other in range(max(1, len(bottom))):
                moved = {seed: seconds[top[(index + turn) % len(top)]] for index, seed in enumerate(top)}
                moved |= {seed: seconds[bottom[(index + other) % len(bottom)]] for index, seed in enumerate(bottom)}
                yield winners | moved


def _seconds(rows: Sequence[GroupRow], position: dict[int, int]) -> dict[int, GroupRow]:
    """The seconds, in the order of their winners' seeds, get seeds g+1..2g.

    As many of these lie in each half as the other half has winners, so this never fails.
    """
    size, groups = len(position), len(rows)

    def is_top(seed: int) -> bool:
        return position[seed] < size // 2

    placed: dict[int, GroupRow] = {}
    waiting = list(range(groups))
    for group in range(groups):
        partner = group ^ 1
        opposite = size + 1 - (group + 1)
        fits = groups < opposite <= 2 * groups and partner in waiting
        if fits and is_top(opposite) != is_top(partner + 1):
            placed[opposite] = rows[partner]
            waiting.remove(partner)
    for seed in range(groups + 1, 2 * groups + 1):
        if seed not in placed:
            group = next(each for each in waiting if is_top(each + 1) != is_top(seed))
            placed[seed] = rows[group]
            waiting.remove(group)
    return placed


def _latest(
    rows: Sequence[GroupRow], seeds: Iterable[int], taken: dict[int, GroupRow], position: dict[int, int]
) -> tuple[int, dict[int, GroupRow]]:
    """Give the rows seeds so that the earliest meeting with the own group is as late as possible; return its round."""
    free = list(seeds)
    last = len(position).bit_length()
    of_group: dict[int, list[int]] = {}
    for seed, row in taken.items():
        of_group.setdefault(row.group, []).append(position[seed])

    def earliest(seed: int, row: GroupRow) -> int:
        return min(meeting_round(position[seed], other) for other in of_group[row.group])

    for least in range(last, 0, -1):
        allowed = [[seed for seed in free if earliest(seed, row) >= least] for row in rows]
        found = _assigned(allowed)
        if found is not None:
            return least, {seed: rows[index] for seed, index in found.items()}
    raise AssertionError("every seed is allowed in the last turn")


def _assigned(allowed: Sequence[Sequence[int]]) -> dict[int, int] | None:
    """A seed for each row among those allowed (seed -> row), by augmenting paths; None when there is none."""
    owner: dict[int, int] = {}

    def place(row: int, tried: set[int]) -> bool:
        for seed in allowed[row]:
            if seed in tried:
                continue
            tried.add(seed)
            if seed not in owner or place(owner[seed], tried):
                owner[seed] = row
                return True
        return False

    return owner if all(place(row, set()) for row in range(len(allowed))) else None
