"""Divisions over seasons: who goes up, who goes down, who fills the gaps.

Guarantee: a promoted entry plays strictly higher, one that stayed never lower, a relegated one strictly lower.
Divisions count from 0, the highest; ranks from 1.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import median_low

from league.pairing.errors import PairingError

SMALLEST, LARGEST = 8, 12
"""Entries that a division should have."""
FORZA_MATCHES = 20
"""Matches from which a newcomer may be placed by Forza."""


class Move(StrEnum):
    """How an entry comes into its division."""

    STAYED = "stayed"
    PROMOTED = "promoted"
    RELEGATED = "relegated"
    FILLED = "filled"
    """Moved up into a gap."""
    NEW = "new"
    BY_HAND = "by_hand"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonEntry:
    """An entry for the next season. `division` and `rank` are of the last one, None for a newcomer; `forza` in points
    or None; `matches` that it rests on; `left`: it does not come back."""

    entry: int
    division: int | None = None
    rank: int | None = None
    forza: int | None = None
    matches: int = 0
    left: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DivisionRow:
    """Where an entry plays next season, from where, and why. `earned`: promoted or relegated by its rank, whatever
    was done by hand afterwards."""

    entry: int
    division: int
    was: int | None
    rank: int | None
    move: Move
    earned: Move | None = None
    reason: str = ""

    def to_reason(self) -> dict[str, object]:
        """Return why it plays there, in plain JSON types."""
        found = {"code": f"division_{self.move.value}", "was": self.was, "rank": self.rank, "reason": self.reason}
        return {key: value for key, value in found.items() if value not in {None, ""}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """A row for which a guarantee does not hold, or (no entry) a division of a size that it should not have.

    `code`: `not_higher` (promoted), `lower` (stayed), `not_lower` (relegated), `too_small`, `too_large`.
    """

    code: str
    division: int
    entry: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonPlan:
    """The divisions of the next season and what is broken in them; publish it when nothing is, or the organiser wants
    it all the same. Rows by division, then by where they come from and rank."""

    rows: tuple[DivisionRow, ...]
    broken: tuple[Broken, ...]

    def division(self, number: int) -> tuple[DivisionRow, ...]:
        """The rows of one division."""
        return tuple(row for row in self.rows if row.division == number)


def exchanged(upper: int, lower: int) -> int:
    """Return how many go each way between two divisions of these sizes: `ceil(n / 4)` of the smaller one."""
    return -(-min(upper, lower) // 4)


def next_season(
    entries: Iterable[SeasonEntry], *, by_forza: bool = False, smallest: int = SMALLEST, largest: int = LARGEST
) -> SeasonPlan:
    """Plan the next season from the last one's ranks.

    Between two divisions the last ceil(n/4) of the upper and the first ceil(n/4) of the lower change places, n being
    the smaller one's size. Gaps, of entries that left too, are filled from below: best division first, then rank, then
    newcomers by Forza. Newcomers start in the lowest division; with `by_forza` those with 20 matches in the highest
    that has room and a median Forza not above theirs. Raises PairingError (`already_entered`, `bad_result`: ranks of a
    division are not 1..n, or a division between is empty; `no_legal_pairing`: nobody is left).
    """
    listed = sorted(entries, key=_order)
    last = _last_season(listed)
    if all(each.left for each in listed):
        raise PairingError("no_legal_pairing", "Nobody is left for the next season.")
    rows: dict[int, DivisionRow] = {}
    for number, division in enumerate(last):
        for each, move in zip(division, _moves(number, last), strict=True):
            if not each.left:
                to = number + {Move.PROMOTED: -1, Move.RELEGATED: 1}.get(move, 0)
                rows[each.entry] = _row(each, to, move)
    new = [each for each in listed if each.division is None and not each.left]
    lowest = max(0, len(last) - 1)
    sizes = [len(division) for division in last]
    _place_new(new, rows, listed, sizes[:-1], lowest, by_forza=by_forza, largest=largest)
    for number in range(lowest):
        _fill(number, sizes[number], rows, listed)
    return _plan(rows.values(), lowest, smallest, largest)


def moved(
    plan: SeasonPlan, *, entry: int, division: int, reason: str, smallest: int = SMALLEST, largest: int = LARGEST
) -> SeasonPlan:
    """Return the plan with one entry moved by hand, everything checked anew. Raises PairingError (`unknown_entry`)."""
    lowest = max(row.division for row in plan.rows)
    known = any(row.entry == entry for row in plan.rows)
    if not known or not 0 <= division <= lowest:
        message = f"Entry {entry} or division {division + 1} is not in the plan."
        raise PairingError("unknown_entry", message, value=str(entry if not known else division))
    rows = [
        replace(row, division=division, move=Move.BY_HAND, reason=reason) if row.entry == entry else row
        for row in plan.rows
    ]
    return _plan(rows, lowest, smallest, largest)


def _order(each: SeasonEntry) -> tuple[int, int, int, int]:
    """Last season's division and rank; newcomers after them by falling Forza."""
    if each.division is None or each.rank is None:
        return (1 << 30, 0, 1 << 30 if each.forza is None else -each.forza, each.entry)
    return (each.division, each.rank, 0, each.entry)


def _last_season(listed: Sequence[SeasonEntry]) -> list[list[SeasonEntry]]:
    if len({each.entry for each in listed}) != len(listed):
        raise PairingError("already_entered", "An entry stands twice in the season.")
    count = 1 + max((each.division for each in listed if each.division is not None), default=-1)
    last = [[each for each in listed if each.division == number] for number in range(count)]
    for number, division in enumerate(last):
        if not division or [each.rank for each in division] != list(range(1, len(division) + 1)):
            message = f"Division {number + 1} does not have the ranks 1 to {len(division)}."
            raise PairingError("bad_result", message, value=str(number))
    return last


def _moves(number: int, last: Sequence[Sequence[SeasonEntry]]) -> list[Move]:
    """The move of each rank of a division, those that left included."""
    size = len(last[number])
    up = exchanged(len(last[number - 1]), size) if number else 0
    down = exchanged(size, len(last[number + 1])) if number + 1 < len(last) else 0
    down = min(down, size - up)
    return [Move.PROMOTED] * up + [Move.STAYED] * (size - up - down) + [Move.RELEGATED] * down


def _row(each: SeasonEntry, division: int, move: Move) -> DivisionRow:
    earned = move if move in {Move.PROMOTED, Move.RELEGATED} else None
    return DivisionRow(entry=each.entry, division=division, was=each.division, rank=each.rank, move=move, earned=earned)


def _place_new(
    new: Sequence[SeasonEntry],
    rows: dict[int, DivisionRow],
    listed: Sequence[SeasonEntry],
    sizes: Sequence[int],
    lowest: int,
    *,
    by_forza: bool,
    largest: int,
) -> None:
    forza = {each.entry: each.forza for each in listed if each.forza is not None}
    for each in new:
        to = lowest
        if by_forza and each.forza is not None and each.matches >= FORZA_MATCHES:
            for number in range(lowest):
                there = [row.entry for row in rows.values() if row.division == number]
                known = [forza[entry] for entry in there if entry in forza]
                if len(there) < min(sizes[number], largest) and known and each.forza >= median_low(known):
                    to = number
                    break
        rows[each.entry] = _row(each, to, Move.NEW)


def _fill(number: int, size: int, rows: dict[int, DivisionRow], listed: Sequence[SeasonEntry]) -> None:
    """Move up the best of those below until the division is as large as it was; nobody who was relegated."""
    for each in listed:
        if sum(row.division == number for row in rows.values()) >= size:
            return
        row = rows.get(each.entry)
        if row is None or row.division <= number or row.earned is Move.RELEGATED:
            continue
        move = Move.NEW if row.move is Move.NEW else Move.FILLED
        rows[each.entry] = replace(row, division=number, move=move if row.earned is None else row.move)


def _plan(rows: Iterable[DivisionRow], lowest: int, smallest: int, largest: int) -> SeasonPlan:
    ordered = sorted(
        rows,
        key=lambda row: (
            row.division,
            lowest + 1 if row.was is None else row.was,
            row.rank or 0,
            row.entry,
        ),
    )
    broken = [found for row in ordered if (found := _check(row)) is not None]
    for number in range(lowest + 1):
        size = sum(row.division == number for row in ordered)
        if size < smallest:
            broken.append(Broken(code="too_small", division=number))
        elif size > largest:
            broken.append(Broken(code="too_large", division=number))
    return SeasonPlan(rows=tuple(ordered), broken=tuple(broken))


def _check(row: DivisionRow) -> Broken | None:
    if row.was is None:
        return None
    if row.earned is Move.PROMOTED:
        code = "" if row.division < row.was else "not_higher"
    elif row.earned is Move.RELEGATED:
        code = "" if row.division > row.was else "not_lower"
    else:
        code = "" if row.division <= row.was else "lower"
    return Broken(code=code, division=row.division, entry=row.entry) if code else None
