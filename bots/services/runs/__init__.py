"""Runs: how the arena's reports become matches."""

from bots.services.runs.answers import Answer, Verdict
from bots.services.runs.receive import receive, receive_many
from bots.services.runs.stopping import stop

__all__ = ["Answer", "Verdict", "receive", "receive_many", "stop"]
