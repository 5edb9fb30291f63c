"""Points of matches and pairings, tie-breaks and standings. Pure: standard library only, exact integers."""

from league.scoring.deciding import Decision, Step, decide
from league.scoring.errors import ScoringError
from league.scoring.points import (
    DealScore,
    DealTally,
    EncounterScore,
    EncounterScoring,
    MatchScore,
    PairingEnd,
    is_left_out,
    score_encounter,
    tally_deals,
    unplayed_cards,
    unplayed_points,
)
from league.scoring.results import (
    CARD_POINTS_ORDER,
    ROUND_ROBIN_ORDER,
    SWISS_ORDER,
    Criterion,
    Entrant,
    PairingResult,
    Part,
    Standing,
    Value,
)
from league.scoring.standings import standings

__all__ = [
    "CARD_POINTS_ORDER",
    "ROUND_ROBIN_ORDER",
    "SWISS_ORDER",
    "Criterion",
    "DealScore",
    "DealTally",
    "Decision",
    "EncounterScore",
    "EncounterScoring",
    "Entrant",
    "MatchScore",
    "PairingEnd",
    "PairingResult",
    "Part",
    "ScoringError",
    "Standing",
    "Step",
    "Value",
    "decide",
    "is_left_out",
    "score_encounter",
    "standings",
    "tally_deals",
    "unplayed_cards",
    "unplayed_points",
]
