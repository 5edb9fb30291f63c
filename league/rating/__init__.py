"""Official Elo and its ledger. Pure: standard library only, no clock, no I/O."""

from league.rating.elo import BELLA, EloParameters, KFactor, Population, check_tables, div_round, k_factor
from league.rating.errors import RatingInputError
from league.rating.inputs import (
    Period,
    PeriodKind,
    PeriodMatch,
    PeriodResult,
    PeriodSubject,
    RatingState,
    subject_key,
)
from league.rating.ledger import (
    ROW_VERSION,
    START_HASH,
    FieldDifference,
    LedgerRow,
    canonical_row,
    chained_hash,
    differences,
    first_broken,
)
from league.rating.performance import performance
from league.rating.periods import compute_period, replay

__all__ = [
    "BELLA",
    "ROW_VERSION",
    "START_HASH",
    "EloParameters",
    "FieldDifference",
    "KFactor",
    "LedgerRow",
    "Period",
    "PeriodKind",
    "PeriodMatch",
    "PeriodResult",
    "PeriodSubject",
    "Population",
    "RatingInputError",
    "RatingState",
    "canonical_row",
    "chained_hash",
    "check_tables",
    "compute_period",
    "differences",
    "div_round",
    "first_broken",
    "k_factor",
    "performance",
    "replay",
    "subject_key",
]
