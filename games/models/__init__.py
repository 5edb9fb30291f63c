"""Who plays, matches, their deals."""

from games.models.analysis import Analysis
from games.models.deal import PLAYED_ENDS, Deal, DealEnd
from games.models.heartbeat import Heartbeat
from games.models.match import (
    MATCH_TRANSITIONS,
    Match,
    MatchEnd,
    MatchMode,
    MatchOutcome,
    MatchState,
    Pause,
    Visibility,
)
from games.models.player import Player, PlayerKind
from games.models.seat import Seat

__all__ = [
    "MATCH_TRANSITIONS",
    "PLAYED_ENDS",
    "Analysis",
    "Deal",
    "DealEnd",
    "Heartbeat",
    "Match",
    "MatchEnd",
    "MatchMode",
    "MatchOutcome",
    "MatchState",
    "Pause",
    "Player",
    "PlayerKind",
    "Seat",
    "Visibility",
]
