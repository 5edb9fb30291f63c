"""Runs as reports change them: loaded with their matches locked, changed in memory, written together."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial

from django.db import transaction

from accounts.foundation import advance, lock
from accounts.foundation.wake import wake
from bots.arena.reports import Fault as ReportedFault
from bots.models import RUN_TRANSITIONS, DealLog, Fault, MatchRun, RunState
from bots.services import ringing
from bots.services.runs.work import Work, ring, work_of
from games.models import Deal, Match, MatchEnd, MatchState
from games.services import heartbeats
from games.services.results import Progress
from games.services.rows import update_rows

#: A match is void when it was lost this often at the same deal.
MAX_ATTEMPTS = 3
#: The task that decides what follows from faults.
JUDGE_FAULTS = "bots.tasks.judge_faults"
INFRASTRUCTURE = "infrastructure"
FAULTS = "faults"

_RUN_FIELDS = [
    "state", "attempt", "nonce", "worker", "tier", "policy", "kernel", "speed", "next_seq", "started_at", "ended_at",
    "reason",
]  # fmt: skip


@dataclass(slots=True)
class Batch:
    """What one transaction of reports changes."""

    cases: Mapping[str, "Case"]
    progress: Progress = field(default_factory=Progress)
    runs: dict[int, MatchRun] = field(default_factory=dict)
    successors: list[tuple[MatchRun, Work]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    logs: list[DealLog] = field(default_factory=list)
    has_faults_to_judge: bool = False
    workers: dict[str, dict[str, str]] = field(default_factory=dict)
    """What workers of the arena said of themselves."""

    def save(self) -> None:
        """Write runs first: who listens to the end of a match finds no open run of it."""
        update_rows(list(self.runs.values()), _RUN_FIELDS)
        MatchRun.objects.bulk_create(run for run, _ in self.successors)
        self.progress.save()
        for deal_log in self.logs:
            deal_log.deal_id = deal_log.deal.pk  # known since the deals were written
        DealLog.objects.bulk_create(self.logs)
        if self.faults:
            Fault.objects.bulk_create(self.faults)
        if self.has_faults_to_judge:
            wake(JUDGE_FAULTS)
        for worker, detail in self.workers.items():
            heartbeats.beat(role="arena", name=worker, detail=detail, at_most_every_s=heartbeats.EVERY_S)
        if self.successors:
            blocks = [[successor] for successor in self.successors]
            transaction.on_commit(partial(ring, blocks), robust=True)


@dataclass(slots=True)
class Case:
    """A run, and the match that is played under it."""

    run: MatchRun
    work: Work
    batch: Batch

    @property
    def match(self) -> Match:
        """The match, locked."""
        return self.work.match

    def start(self) -> None:
        """The arena plays it."""
        advance(self.run, RunState.PLAYING, table=RUN_TRANSITIONS)
        self.run.started_at = self.batch.progress.now
        self.batch.progress.start(self.match)

    def accept(self) -> None:
        """The report with the next number is true."""
        self.run.next_seq += 1
        self.batch.runs[self.run.pk] = self.run

    def store(self, deal: Deal, log: DealLog, faults: Iterable[ReportedFault]) -> None:
        """A deal is over; losses are counted anew from here."""
        self.work.add(deal)
        self.batch.logs.append(log)
        self.run.attempt = 0
        self.batch.progress.deal(deal, self.work.standing.score)
        self.charge(faults, deal.number, deal)

    def charge(self, faults: Iterable[ReportedFault], number: int, deal: Deal | None) -> None:
        """Keep what bots did wrong in deal `number` (`deal` is None when it is played again)."""
        self.batch.faults += [
            Fault(
                match=self.match,
                deal=deal,
                number=number,
                seat=fault.seat,
                version=self.work.versions[fault.seat],
                kind=fault.kind,
                detail=fault.detail,
                ply=fault.ply,
                request=fault.request,
                answer=fault.answer,
                exit=fault.exit,
                stderr_tail=fault.stderr_tail,
            )
            for fault in faults
        ]

    def end(self, state: RunState, reason: str = "") -> None:
        """The run is over."""
        advance(self.run, state, table=RUN_TRANSITIONS)
        self.run.ended_at = self.batch.progress.now
        self.run.reason = reason[:300]
        self.batch.runs[self.run.pk] = self.run

    def end_match(self, winner_side: int | None, termination: str) -> None:
        """The match came to its end."""
        self.end(RunState.DONE)
        self.batch.progress.finish(self.match, winner_side, MatchEnd(termination))
        self.batch.has_faults_to_judge |= bool(self.work.standing.faulty)

    def void(self, reason: str) -> None:
        """The match cannot be played."""
        self.batch.progress.void(self.match, reason)
        self.batch.has_faults_to_judge |= reason == FAULTS or bool(self.work.standing.faulty)

    def play_on(self, *, is_lost: bool) -> None:
        """The run is over, the match is not: another run takes it up, after the deals that are stored.

        A held match waits instead. `is_lost` counts against the match; what was given back does not.
        """
        attempt = self.run.attempt + is_lost
        if attempt >= MAX_ATTEMPTS:
            self.void(INFRASTRUCTURE)
            return
        progress = self.batch.progress
        if self.match.state == MatchState.PLAYING:
            progress.move(self.match, MatchState.QUEUED)
        if self.match.on_hold or ringing.is_pausing():
            progress.move(self.match, MatchState.PLANNED)
            return
        run = MatchRun(match=self.match, attempt=attempt, rung_at=progress.now)
        self.batch.successors.append((run, self.work))


def load(run_ids: Iterable[str]) -> Batch:
    """The runs with these ids, their matches locked; unknown ids are left out. A constant number of queries.

    The lock of a match guards its runs too: whoever changes a run holds it.
    """
    wanted = list(run_ids)
    owners = MatchRun.objects.filter(run_id__in=wanted).values("match_id")
    matches = lock(Match.objects.filter(pk__in=owners))
    works = work_of(matches)
    batch = Batch({})
    batch.cases = {
        str(run.run_id): Case(run, works[run.match_id], batch)
        for run in MatchRun.objects.filter(run_id__in=wanted, match_id__in=works)
    }
    return batch
