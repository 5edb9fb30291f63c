"""Who meets whom. Pure: standard library only; all chance comes from a seed that is passed in."""

from league.pairing.errors import PairingError
from league.pairing.lots import drawn_order, lot
from league.pairing.round_robin import Board, RoundRobinRound, schedule

__all__ = ["Board", "PairingError", "RoundRobinRound", "drawn_order", "lot", "schedule"]
