"""The clocks and the memory of every bot on this site, and how often a check is tried."""

from datetime import timedelta
from typing import Final

from bots.arena.jobs import JobLimits

LIMITS: Final = JobLimits()

#: A check that was lost this often within LOST_WINDOW waits until the window has passed (or the owner asks).
MAX_LOST: Final = 3
LOST_WINDOW: Final = timedelta(hours=1)
#: Why a check ended as it does not count against its version's tries: the arena gave it back.
RETURNED: Final = "returned"
