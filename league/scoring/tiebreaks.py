"""The tie-breaks of one entry, each with the parts that explain it (tournament rules, section tie-breaks).

Exact integers: scores in half-points, Sonneborn-Berger in quarter-points (score times result).
"""

from collections.abc import Callable, Collection, Sequence
from hashlib import sha256

from league.scoring.lines import Line, Lines
from league.scoring.results import Criterion, Part, Value


def _summed(criterion: Criterion, parts: list[Part]) -> Value:
    return Value(criterion=criterion, amount=sum(part.amount for part in parts), parts=tuple(parts))


def _per_line(criterion: Criterion, amount: Callable[[Line], int], only: Callable[[Line], bool]) -> "ValueOf":
    """A criterion that adds a number a line."""

    def value(lines: Lines, entry: int) -> Value:
        parts = [
            Part(code=line.end.value, amount=amount(line), round=line.round, opponent=line.opponent)
            for line in lines.of[entry]
            if only(line)
        ]
        return _summed(criterion, parts)

    return value


def buchholz(lines: Lines, entry: int) -> Value:
    """Sum of what the rounds are worth."""
    return _summed(Criterion.BUCHHOLZ, _buchholz_parts(lines, entry))


def buchholz_cut1(lines: Lines, entry: int) -> Value:
    """Buchholz without the smallest voluntarily unplayed round, or without the smallest when there is none."""
    parts = _buchholz_parts(lines, entry)
    if parts:
        own = lines.of[entry]
        candidates = [index for index, line in enumerate(own) if line.voluntarily_unplayed] or range(len(own))
        cut = parts[min(candidates, key=lambda index: parts[index].amount)]
        parts.append(Part(code="cut", amount=-cut.amount, round=cut.round, opponent=cut.opponent))
    return _summed(Criterion.BUCHHOLZ_CUT1, parts)


def _buchholz_parts(lines: Lines, entry: int) -> list[Part]:
    return [
        Part(code=line.end.value, amount=lines.worth(entry, line), round=line.round, opponent=line.opponent)
        for line in lines.of[entry]
    ]


def sonneborn_berger(lines: Lines, entry: int) -> Value:
    """Sum of what each round is worth times the half-points taken in it, in quarter-points."""
    parts = []
    for line in lines.of[entry]:
        worth = lines.worth(entry, line)
        parts.append(
            Part(
                code=line.end.value,
                amount=worth * line.points,
                round=line.round,
                opponent=line.opponent,
                base=worth,
                weight=line.points,
            )
        )
    return _summed(Criterion.SONNEBORN_BERGER, parts)


def progressive(lines: Lines, entry: int) -> Value:
    """Sum of the score after each round, to the last round with any result."""
    last = max((line.round for own in lines.of.values() for line in own[-1:]), default=0)
    gained: dict[int, int] = {}
    for line in lines.of[entry]:
        gained[line.round] = gained.get(line.round, 0) + line.points
    parts = []
    running = 0
    for number in range(1, last + 1):
        running += gained.get(number, 0)
        parts.append(Part(code="running", amount=running, round=number))
    return _summed(Criterion.PROGRESSIVE, parts)


def draw(seed: bytes, entry: int) -> Value:
    """The seeded lot: SHA-256 of `<seed in hex>:tiebreak:<entry>` as a number; the larger one is first."""
    digest = sha256(f"{seed.hex()}:tiebreak:{entry}".encode("ascii")).digest()
    return Value(criterion=Criterion.DRAW, amount=int.from_bytes(digest))


def direct_encounter(lines: Lines, entry: int, tied: Sequence[int]) -> Value:
    """Points in all pairings among the tied. Without an amount when this entry has not met all of them.

    A group is parted by it only when everyone in it has an amount. Of those not met the first is named.
    """
    met = {line.opponent for line in lines.of[entry]}
    missing = next((other for other in tied if other != entry and other not in met), None)
    if missing is not None:
        reason = Part(code="not_met", amount=0, opponent=missing)
        return Value(criterion=Criterion.DIRECT_ENCOUNTER, amount=None, parts=(reason,))
    parts = _parts_among(lines, entry, frozenset(tied), lambda line: line.points)
    return _summed(Criterion.DIRECT_ENCOUNTER, parts)


def mini_table(lines: Lines, entry: int, tied: Collection[int]) -> tuple[Value, int]:
    """Points in the pairings among the tied (classifica avulsa), and the deal difference in them."""
    parts = _parts_among(lines, entry, tied, lambda line: line.points)
    deals = sum(part.amount for part in _parts_among(lines, entry, tied, _deal_difference))
    points = _summed(Criterion.MINI_TABLE, parts)
    shown = (*points.parts, Part(code="mini_deals", amount=deals))
    return Value(criterion=Criterion.MINI_TABLE, amount=points.amount, parts=shown), deals


def _parts_among(lines: Lines, entry: int, tied: Collection[int], amount: Callable[[Line], int]) -> list[Part]:
    return [
        Part(code=line.end.value, amount=amount(line), round=line.round, opponent=line.opponent)
        for line in lines.of[entry]
        if line.opponent in tied
    ]


def _deal_difference(line: Line) -> int:
    return line.deals[0] - line.deals[1] if line.played else 0


def _played(line: Line) -> bool:
    return line.played


def _any(_line: Line) -> bool:
    return True


ValueOf = Callable[[Lines, int], Value]

INDEPENDENT: dict[Criterion, ValueOf] = {
    Criterion.POINTS: _per_line(Criterion.POINTS, lambda line: line.points, _any),
    Criterion.SONNEBORN_BERGER: sonneborn_berger,
    Criterion.BUCHHOLZ: buchholz,
    Criterion.BUCHHOLZ_CUT1: buchholz_cut1,
    Criterion.PROGRESSIVE: progressive,
    Criterion.WINS: _per_line(Criterion.WINS, lambda line: line.wins, _played),
    Criterion.DEAL_DIFFERENCE: _per_line(Criterion.DEAL_DIFFERENCE, _deal_difference, _played),
    Criterion.CARD_DIFFERENCE: _per_line(
        Criterion.CARD_DIFFERENCE, lambda line: line.cards[0] - line.cards[1], _played
    ),
    Criterion.CARD_POINTS: _per_line(Criterion.CARD_POINTS, lambda line: line.cards[0], _any),
    Criterion.DEALS_WON: _per_line(Criterion.DEALS_WON, lambda line: line.deals[0], _any),
}
"""The criteria whose value does not depend on who is tied."""
