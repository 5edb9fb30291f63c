"""The results that standings are made of, and the standings themselves."""

from dataclasses import dataclass
from enum import StrEnum

from league.scoring.points import PairingEnd, Two


class Criterion(StrEnum):
    """What standings compare, one after the other; more is better."""

    POINTS = "points"
    DIRECT_ENCOUNTER = "direct_encounter"
    MINI_TABLE = "mini_table"
    SONNEBORN_BERGER = "sonneborn_berger"
    BUCHHOLZ_CUT1 = "buchholz_cut1"
    BUCHHOLZ = "buchholz"
    PROGRESSIVE = "progressive"
    WINS = "wins"
    DEAL_DIFFERENCE = "deal_difference"
    CARD_DIFFERENCE = "card_difference"
    CARD_POINTS = "card_points"
    DEALS_WON = "deals_won"
    DRAW = "draw"

    @property
    def divisor(self) -> int:
        """What to divide a value by to show it: 2 for half-points, 4 for their products, else 1."""
        return _DIVISORS.get(self, 1)


_DIVISORS = {
    Criterion.POINTS: 2,
    Criterion.DIRECT_ENCOUNTER: 2,
    Criterion.MINI_TABLE: 2,
    Criterion.SONNEBORN_BERGER: 4,
    Criterion.BUCHHOLZ_CUT1: 2,
    Criterion.BUCHHOLZ: 2,
    Criterion.PROGRESSIVE: 2,
}

ROUND_ROBIN_ORDER = (
    Criterion.POINTS,
    Criterion.DIRECT_ENCOUNTER,
    Criterion.SONNEBORN_BERGER,
    Criterion.WINS,
    Criterion.DEAL_DIFFERENCE,
    Criterion.CARD_DIFFERENCE,
    Criterion.DRAW,
)

SWISS_ORDER = (
    Criterion.POINTS,
    Criterion.BUCHHOLZ_CUT1,
    Criterion.BUCHHOLZ,
    Criterion.SONNEBORN_BERGER,
    Criterion.DIRECT_ENCOUNTER,
    Criterion.WINS,
    Criterion.PROGRESSIVE,
    Criterion.DEAL_DIFFERENCE,
    Criterion.CARD_DIFFERENCE,
    Criterion.DRAW,
)

CARD_POINTS_ORDER = (
    Criterion.CARD_POINTS,
    Criterion.DEALS_WON,
    Criterion.WINS,
    Criterion.DIRECT_ENCOUNTER,
    Criterion.DRAW,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrant:
    """An entry in the standings.

    `disqualified` puts it last, its results stay; `left_out` takes it and all its pairings out (round robin: it left
    before half of them were played).
    """

    entry: int
    disqualified: bool = False
    left_out: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PairingResult:
    """A pairing that is over. Give only these: an open pairing counts for nothing.

    `entries` by side, the second None for a bye, half-bye or absence; `points` in half-points; `wins` are matches won
    at the table; `deals` won and `cards` points by side. The rest of a round robin with an odd number is no result.
    """

    round: int
    entries: tuple[int, int | None]
    end: PairingEnd
    points: Two
    wins: Two = (0, 0)
    deals: Two = (0, 0)
    cards: Two = (0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One summand of a value, as data for a sentence.

    `code`: how the round ended (PairingEnd), or `running` (the score after the round), `cut` (what cut 1 took away, its
    amount negative), `not_met` (a tied entry not met: so no direct encounter), `mini_deals` (the deal difference among
    the tied, no summand of the points). `amount` is in the value's unit; `opponent` an entry. `base` and
    `weight`: the factors of the amount, opponent's score and own points, both in half-points.
    """

    code: str
    amount: int
    round: int | None = None
    opponent: int | None = None
    base: int | None = None
    weight: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """The value of a criterion for an entry; `amount` None: it does not apply. The parts add up to the amount, but for
    `draw`, which has none: it is a SHA-256 as a number."""

    criterion: Criterion
    amount: int | None
    parts: tuple[Part, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """Return {code, value, parts} in plain JSON types; parts leave out what is None."""
        return {
            "code": self.criterion.value,
            "value": f"{self.amount:064x}" if self.criterion is Criterion.DRAW else self.amount,
            "parts": [_part_dict(part) for part in self.parts],
        }


def _part_dict(part: Part) -> dict[str, object]:
    fields = ("code", "amount", "round", "opponent", "base", "weight")
    return {field: value for field in fields if (value := getattr(part, field)) is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A row of the standings.

    `rank` from 1, shared when every criterion is equal; `decided_by` is the criterion that put it below the row above
    (None: first, equal, or a disqualified row after the others). `points` in half-points; `played`, `won`, `drawn`,
    `lost` count played pairings, `deals` and `cards` are (for, against) in them. `form`: its last five results, oldest
    first, W D L as credited (bye and forfeit too). `values` in the order of the criteria.
    """

    rank: int
    entry: int
    disqualified: bool
    decided_by: Criterion | None
    points: int
    played: int
    won: int
    drawn: int
    lost: int
    deals: Two
    cards: Two
    form: str
    values: tuple[Value, ...]
