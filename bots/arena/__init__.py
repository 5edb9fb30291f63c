"""The arena: plays matches of bots and checks new versions. No database, no broker, no clock but the monotonic one.

`play_match(job, report, bench=..., nonce=...)`, `play_move` and `qualify` work on jobs and call `report`;
config/arena puts a broker around them, `python -m bots.arena` a command line. `unpack` reads an upload.
"""

from bots.arena.archive import Archive, ArchiveError, content_sha256, unpack, unpack_stored
from bots.arena.conductor import Bench, BotFilesError, Halt, play_match
from bots.arena.jobs import Baseline, BotRef, DoneDeal, JobLimits, MatchJob, MoveJob, QualifyJob, SeatJob
from bots.arena.moves import play_move
from bots.arena.qualify import qualify
from bots.arena.reports import (
    FAULT_KINDS,
    MAX_REPORT,
    DealReport,
    Fault,
    LogPart,
    MatchReport,
    MoveReport,
    QualifyGame,
    QualifyStep,
    Refused,
    Report,
    Returned,
    Started,
    read_report,
    write_report,
)
from bots.arena.wire import WireError

__all__ = [
    "FAULT_KINDS",
    "MAX_REPORT",
    "Archive",
    "ArchiveError",
    "Baseline",
    "Bench",
    "BotFilesError",
    "BotRef",
    "DealReport",
    "DoneDeal",
    "Fault",
    "Halt",
    "JobLimits",
    "LogPart",
    "MatchJob",
    "MatchReport",
    "MoveJob",
    "MoveReport",
    "QualifyGame",
    "QualifyJob",
    "QualifyStep",
    "Refused",
    "Report",
    "Returned",
    "SeatJob",
    "Started",
    "WireError",
    "content_sha256",
    "play_match",
    "play_move",
    "qualify",
    "read_report",
    "unpack",
    "unpack_stored",
    "write_report",
]
