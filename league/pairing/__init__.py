"""Who meets whom. Pure: standard library and rustworkx; all chance comes from a seed that is passed in."""

from league.pairing.errors import PairingError
from league.pairing.lots import coin, drawn_order, lot
from league.pairing.round_robin import Board, RoundRobinRound, schedule

__all__ = ["Board", "PairingError", "RoundRobinRound", "coin", "drawn_order", "lot", "schedule"]
