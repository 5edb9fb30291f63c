"""Each entry's own view of the results: one line a round, from which every tie-break is counted."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from league.scoring.errors import ScoringError
from league.scoring.points import DRAW, PairingEnd
from league.scoring.results import Entrant, PairingResult

_ALONE = frozenset({PairingEnd.BYE, PairingEnd.HALF_BYE, PairingEnd.ABSENCE})
_AWAY = frozenset({PairingEnd.HALF_BYE, PairingEnd.ABSENCE})
_FORFEITS = frozenset({PairingEnd.FORFEIT, PairingEnd.DOUBLE_FORFEIT})


class Line(NamedTuple):
    """One result as one of its entries sees it: own number first, the opponent's second."""

    round: int
    end: PairingEnd
    opponent: int | None
    points: int
    points_against: int
    wins: int
    deals: tuple[int, int]
    cards: tuple[int, int]

    @property
    def played(self) -> bool:
        """Whether the pairing was played at the table."""
        return self.end is PairingEnd.PLAYED

    @property
    def voluntarily_unplayed(self) -> bool:
        """Absence, half-bye or forfeit loss: what cut 1 takes away first."""
        if self.end is PairingEnd.FORFEIT:
            return self.points < self.points_against
        return self.end in _AWAY or self.end is PairingEnd.DOUBLE_FORFEIT


class Lines:
    """All lines of the entries that are ranked, with their scores.

    `of[entry]` is in the order of the rounds; `score[entry]` and `adjusted[entry]` in half-points, the second with the
    trailing absences and half-byes of the entry counted as one half-point each. `forfeit` results are worth
    `min(own score, opponent's adjusted score)` to Buchholz, results without an opponent the own score.
    Raises ScoringError.
    """

    def __init__(self, *, entrants: Sequence[Entrant], results: Iterable[PairingResult]) -> None:
        self.entries = [entrant.entry for entrant in entrants if not entrant.left_out]
        known = {entrant.entry for entrant in entrants}
        if len(known) != len(entrants):
            raise ScoringError("duplicate_entry", "An entry stands twice among the entrants.")
        self.of: dict[int, list[Line]] = {entry: [] for entry in self.entries}
        for result in results:
            _check(result, known)
            first, second = result.entries
            if first in self.of and (second is None or second in self.of):
                self.of[first].append(_line(result, 0, second))
                if second is not None:
                    self.of[second].append(_line(result, 1, first))
        for lines in self.of.values():
            lines.sort()
        self.score = {entry: sum(line.points for line in lines) for entry, lines in self.of.items()}
        self.adjusted = {entry: self.score[entry] - _trailing_excess(lines) for entry, lines in self.of.items()}

    def worth(self, entry: int, line: Line) -> int:
        """What a line counts in Buchholz and Sonneborn-Berger: the opponent's score, or a dummy opponent's."""
        if line.end is PairingEnd.PLAYED and line.opponent is not None:
            return self.adjusted[line.opponent]
        if line.end in _FORFEITS and line.opponent is not None:
            return min(self.score[entry], self.adjusted[line.opponent])
        return self.score[entry]


def _line(result: PairingResult, side: int, opponent: int | None) -> Line:
    other = 1 - side
    return Line(
        result.round,
        result.end,
        opponent,
        result.points[side],
        result.points[other],
        result.wins[side],
        (result.deals[side], result.deals[other]),
        (result.cards[side], result.cards[other]),
    )


def _trailing_excess(lines: Sequence[Line]) -> int:
    excess = 0
    for line in reversed(lines):
        if line.end not in _AWAY:
            break
        excess += line.points - DRAW
    return excess


def _check(result: PairingResult, known: set[int]) -> None:
    first, second = result.entries
    for entry in result.entries:
        if entry is not None and entry not in known:
            message = f"Round {result.round} has a result of entry {entry}, which is no entrant."
            raise ScoringError("unknown_entry", message, value=str(entry))
    if first == second or (second is None) != (result.end in _ALONE):
        message = f"Round {result.round}: {result.end.value} does not go with entries {result.entries}."
        raise ScoringError("bad_result", message, value=result.end.value)
    if min(result.points) < 0 or (result.end is PairingEnd.FORFEIT and result.points[0] == result.points[1]):
        message = f"Round {result.round}: {result.points} are no points of {result.end.value}."
        raise ScoringError("bad_points", message, value=str(result.points))
