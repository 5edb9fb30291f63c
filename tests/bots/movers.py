"""The arena's side of single cards, for tests: the jobs as they were sent, and true reports of them.

Who wants a lie gives the fields of a report that shall be different.
"""

import json
from dataclasses import dataclass
from typing import Any

from bots import doorbell
from bots.arena import names
from bots.arena.jobs import MoveJob
from bots.arena.reports import Fault, MoveReport, Report, Started
from bots.models import MovePurpose, MoveRun, MoveState
from bots.protocol import request_sha256
from bots.services import moves
from bots.services.runs import Answer, receive
from games.models import Match
from games.selectors.standing import standing

NONCE = "0123456789abcdef"


@dataclass(kw_only=True)
class Mover:
    """Works on one run under its own nonce."""

    run: MoveRun
    nonce: str = NONCE

    def __post_init__(self) -> None:
        key = names.run_key(str(self.run.run_id))
        doorbell.valkey().set(key, self.nonce, nx=True, ex=60)
        found = standing(Match.objects.get(pk=self.run.match_id))
        self.job: MoveJob = moves.job(found, self.run)
        self.request = json.loads(self.job.request)

    @property
    def head(self) -> dict[str, Any]:
        return {"run_id": str(self.run.run_id), "nonce": self.nonce}

    def started(self, **changes: Any) -> Started:
        fields = {"attempt": self.run.attempt, "worker": "test/moves/0", "tier": "landlock", "policy": "p"}
        return Started(**self.head, **{"seq": 0, "kernel": "k", "python": "3", **fields, **changes})

    def card(self, **changes: Any) -> MoveReport:
        fields = {"card": self.request["legal"][0], "cpu_us": 900, "wall_us": 2_600, "bank_left_us": self.run.bank_us}
        return MoveReport(**self.head, **{"seq": 1, **fields, **changes})

    def fault(self, kind: str = "crash", **changes: Any) -> MoveReport:
        text = self.job.request
        fault = {"seat": self.run.seat, "kind": kind, "detail": "ValueError", "ply": self.run.ply, "request": text}
        fault["request_sha256"] = request_sha256(text.encode())
        return MoveReport(**self.head, seq=1, fault=Fault(**{**fault, **changes}), cpu_us=900, wall_us=2_600)

    def trouble(self) -> MoveReport:
        return MoveReport(**self.head, seq=1, trouble="the zygote is gone")

    def tell(self, *reports: Report) -> list[str]:
        """The verdicts."""
        return [str(receive(report.to_dict()).verdict) for report in reports]

    def answer(self, report: Report) -> Answer:
        return receive(report.to_dict())


def open_runs(match: Match, purpose: MovePurpose = MovePurpose.CARD) -> list[MoveRun]:
    return list(MoveRun.objects.filter(match=match, state=MoveState.OPEN, purpose=purpose).order_by("pk"))


def mover(match: Match, purpose: MovePurpose = MovePurpose.CARD) -> Mover:
    """The worker of the match's one open run."""
    (run,) = open_runs(match, purpose)
    return Mover(run=run)


def bots_play(match: Match) -> int:
    """Bots play by true reports until a person is on turn, or nobody; the number of cards."""
    count = 0
    while runs := open_runs(match):
        worker = Mover(run=runs[0])
        assert worker.tell(worker.started(), worker.card()) == ["accepted", "accepted"]
        count += 1
    return count
