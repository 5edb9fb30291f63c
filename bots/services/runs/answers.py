"""What becomes of a report."""

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """How a report was taken. Only the first one changed something, and only when it came for the first time."""

    ACCEPTED = "accepted"
    STALE = "run.stale"
    """Of an unknown, another or an ended run, or of another delivery of the job."""
    GAP = "run.gap"
    """Reports before it are missing."""
    REFUSED = "run.refused"
    """It says what cannot be true: the run is over, its match is played again."""
    SCHEMA = "report.schema"
    """No report at all."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a report; the same report again gets an equal one."""

    run_id: str
    seq: int
    verdict: Verdict

    @property
    def is_accepted(self) -> bool:
        """Whether what it says is (now or already) stored."""
        return self.verdict is Verdict.ACCEPTED
