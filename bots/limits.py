"""The clocks and the memory of every bot on this site."""

from typing import Final

from bots.arena.jobs import JobLimits

LIMITS: Final = JobLimits()
