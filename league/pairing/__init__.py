"""Who meets whom. Pure: standard library, numpy and rustworkx; all chance comes from a seed that is passed in.

Import the module of the format: `round_robin`, `swiss` (with `swiss_history`), `knockout`, `double_elimination` (both
with `brackets`), `groups`, `ladder`, `ladder_cycle`, `divisions`; `draws` for lots that keep clubs apart. What stands
here needs nothing beyond the standard library.
"""

from league.pairing.errors import PairingError
from league.pairing.lots import coin, drawn_order, lot
from league.pairing.round_robin import Board, RoundRobinRound, schedule

__all__ = ["Board", "PairingError", "RoundRobinRound", "coin", "drawn_order", "lot", "schedule"]
