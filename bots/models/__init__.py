"""Uploaded bots, their versions, their runs in the arena, their faults."""

from bots.models.activation import Activation
from bots.models.bot import Bot
from bots.models.fault import Fault, FaultKind
from bots.models.log import DealLog
from bots.models.mate import BotMate
from bots.models.move import MOVE_TRANSITIONS, MovePurpose, MoveRun, MoveState
from bots.models.qualify import OPEN_CHECKS, QualifyGame, QualifyRun, QualifyState
from bots.models.run import OPEN_RUNS, RUN_TRANSITIONS, MatchRun, RunState
from bots.models.seat import BotSeat
from bots.models.test_game import TestGame
from bots.models.version import VERSION_TRANSITIONS, BotVersion, VersionState

__all__ = [
    "MOVE_TRANSITIONS",
    "OPEN_CHECKS",
    "OPEN_RUNS",
    "RUN_TRANSITIONS",
    "VERSION_TRANSITIONS",
    "Activation",
    "Bot",
    "BotMate",
    "BotSeat",
    "BotVersion",
    "DealLog",
    "Fault",
    "FaultKind",
    "MatchRun",
    "MovePurpose",
    "MoveRun",
    "MoveState",
    "QualifyGame",
    "QualifyRun",
    "QualifyState",
    "RunState",
    "TestGame",
    "VersionState",
]
