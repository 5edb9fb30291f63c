"""Standings: entries in the order of the criteria, each value with its explanation.

A pure function of the results: permuting entrants or results changes nothing.
"""

from collections.abc import Callable, Iterable, Sequence

from league.scoring.errors import ScoringError
from league.scoring.lines import Line, Lines
from league.scoring.results import ROUND_ROBIN_ORDER, Criterion, Entrant, PairingResult, Standing, Value
from league.scoring.tiebreaks import INDEPENDENT, direct_encounter, draw, mini_table

FORM_LENGTH = 5

_Group = list[int]
_Values = dict[int, Value]


def standings(
    *,
    entrants: Sequence[Entrant],
    results: Iterable[PairingResult],
    seed: bytes,
    order: Sequence[Criterion] = ROUND_ROBIN_ORDER,
) -> tuple[Standing, ...]:
    """Return the rows from first to last; `seed` is the tournament's, for the lot. Raises ScoringError."""
    if len(set(order)) != len(order):
        raise ScoringError("repeated_criterion", "A criterion stands twice in the order of the standings.")
    lines = Lines(entrants=entrants, results=results)
    out = {entrant.entry for entrant in entrants if entrant.disqualified}
    ranked = [entry for entry in sorted(lines.entries) if entry not in out]
    last = [entry for entry in sorted(lines.entries) if entry in out]
    values: dict[Criterion, _Values] = {
        criterion: _values(criterion, lines, seed)
        for criterion in order
        if criterion not in (Criterion.DIRECT_ENCOUNTER, Criterion.MINI_TABLE)
    }
    rows: list[Standing] = []
    for block in (ranked, last):
        groups: list[tuple[_Group, Criterion | None]] = [(block, None)] if block else []
        for criterion in order:
            groups = _split_all(groups, criterion, lines, values)
        for group, decided_by in groups:
            rank = len(rows) + 1
            for index, entry in enumerate(group):
                shown = tuple(
                    values[criterion].get(entry, Value(criterion=criterion, amount=None)) for criterion in order
                )
                rows.append(_row(rank, entry, entry in out, None if index else decided_by, lines.of[entry], shown))
    return tuple(rows)


def _values(criterion: Criterion, lines: Lines, seed: bytes) -> _Values:
    if criterion is Criterion.DRAW:
        return {entry: draw(seed, entry) for entry in lines.entries}
    value = INDEPENDENT[criterion]
    return {entry: value(lines, entry) for entry in lines.entries}


def _split_all(
    groups: list[tuple[_Group, Criterion | None]],
    criterion: Criterion,
    lines: Lines,
    values: dict[Criterion, _Values],
) -> list[tuple[_Group, Criterion | None]]:
    """Split every group of tied entries by one criterion, remembering which criterion opened each group."""
    known = values.setdefault(criterion, {})
    split: list[tuple[_Group, Criterion | None]] = []
    for group, decided_by in groups:
        if len(group) == 1:
            split.append((group, decided_by))
            continue
        if criterion is Criterion.DIRECT_ENCOUNTER:
            parts = _by_direct_encounter(group, lines, known)
        elif criterion is Criterion.MINI_TABLE:
            parts = _by_mini_table(group, lines, known)
        else:
            parts = _by_key(group, lambda entry: known[entry].amount or 0)
        split += [(part, criterion if index else decided_by) for index, part in enumerate(parts)]
    return split


def _by_key(group: _Group, key: Callable[[int], int | tuple[int, int]]) -> list[_Group]:
    """The group cut where the key changes, largest first."""
    parts: dict[int | tuple[int, int], _Group] = {}
    for entry in group:
        parts.setdefault(key(entry), []).append(entry)
    return [parts[value] for value in sorted(parts, reverse=True)]


def _by_direct_encounter(group: _Group, lines: Lines, known: _Values) -> list[_Group]:
    found = {entry: direct_encounter(lines, entry, group) for entry in group}
    known.update(found)
    if any(value.amount is None for value in found.values()):
        for entry, value in found.items():
            if value.amount is not None:
                known[entry] = Value(criterion=Criterion.DIRECT_ENCOUNTER, amount=None)
        return [group]
    return _by_key(group, lambda entry: found[entry].amount or 0)


def _by_mini_table(group: _Group, lines: Lines, known: _Values) -> list[_Group]:
    """Applied again to those still tied, as long as it parts anyone; the value kept is of the last table."""
    tied = frozenset(group)
    found = {entry: mini_table(lines, entry, tied) for entry in group}
    known.update({entry: value for entry, (value, _) in found.items()})
    parts = _by_key(group, lambda entry: (found[entry][0].amount or 0, found[entry][1]))
    if len(parts) == 1:
        return parts
    return [smaller for part in parts for smaller in (_by_mini_table(part, lines, known) if len(part) > 1 else [part])]


def _row(
    rank: int,
    entry: int,
    disqualified: bool,
    decided_by: Criterion | None,
    own: Sequence[Line],
    values: tuple[Value, ...],
) -> Standing:
    played = [line for line in own if line.played]
    letters = [_letter(line) for line in own]
    played_letters = [_letter(line) for line in played]
    return Standing(
        rank=rank,
        entry=entry,
        disqualified=disqualified,
        decided_by=decided_by,
        points=sum(line.points for line in own),
        played=len(played),
        won=played_letters.count("W"),
        drawn=played_letters.count("D"),
        lost=played_letters.count("L"),
        deals=(sum(line.deals[0] for line in played), sum(line.deals[1] for line in played)),
        cards=(sum(line.cards[0] for line in played), sum(line.cards[1] for line in played)),
        form="".join(letters[-FORM_LENGTH:]),
        values=values,
    )


def _letter(line: Line) -> str:
    if line.opponent is None:
        return "W" if line.points > 1 else "D" if line.points else "L"
    if line.points == line.points_against:
        return "D" if line.points else "L"
    return "W" if line.points > line.points_against else "L"
