"""Plays jobs with bots given as source text, and checks what is reported against the engine."""

import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bots.arena import (
    Bench,
    DealReport,
    Fault,
    JobLimits,
    MatchJob,
    MatchReport,
    QualifyStep,
    Report,
    SeatJob,
    Started,
    play_match,
    read_report,
    unpack,
    write_report,
)
from bots.protocol import bot_seed, play_message, request_sha256, start_message
from bots.sandbox import Sandbox
from games.engine import DealResult, MatchScore, Record, Rules, parse_cards, shuffled

NONCE = "nonce-of-this-test"
SEED = bytes(range(32))
FIRST = "def play(view):\n    return view.legal[0]\n"
#: Short clocks: a bot that spins is found out soon.
QUICK = JobLimits(start_cpu_ms=500, move_cpu_ms=150, bank_cpu_ms=0, move_wall_ms=2_000)


class Folders:
    """Bots of a sandbox by SHA-256, as the cache gives them."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self.paths: dict[str, Any] = {}

    def put(self, source: str | bytes) -> str:
        archive = unpack(source.encode() if isinstance(source, str) else source)
        if archive.sha256 not in self.paths:
            self.paths[archive.sha256] = self.sandbox.store.put(dict(archive.files))
        return archive.sha256


def job_for(folders: Folders, *sources: str | bytes, **changes: Any) -> MatchJob:
    rules = Rules.parse(changes.get("rules", "n=2"))
    seats = tuple(
        SeatJob(seat=seat, side=rules.sides[seat], sha256=folders.put(source)) for seat, source in enumerate(sources)
    )
    values = {
        "run_id": str(uuid.uuid4()),
        "match": "K7Q2",
        "rules": "n=2",
        "seed": SEED.hex(),
        "first_dealer": 0,
        "seats": seats,
        "limits": QUICK,
    }
    return MatchJob(**values | changes)


def played(
    sandbox: Sandbox,
    *sources: str | bytes,
    halt: Callable[[], Any] = lambda: None,
    on_report: Callable[..., None] = lambda *_: None,
    **changes: Any,
) -> list[Report]:
    """What is reported of a match; every report went through its JSON text."""
    folders = Folders(sandbox)
    job = job_for(folders, *sources, **changes)
    reports: list[Report] = []

    def report(*sent: Report) -> None:
        reports.extend(read_report(write_report(one)) for one in sent)
        on_report(*sent)

    play_match(job, report, bench=Bench(sandbox=sandbox, bot_dir=folders.paths.__getitem__, halt=halt), nonce=NONCE)
    assert [one.seq for one in reports] == list(range(len(reports)))
    assert {(one.run_id, one.nonce) for one in reports} == {(job.run_id, NONCE)}
    verify(job, reports)
    return reports


def verify(job: MatchJob, reports: Sequence[Report]) -> None:
    """What the trusted side does: derive the decks, replay the deals, rebuild faulting requests, fold the score."""
    rules, seed = Rules.parse(job.rules), bytes.fromhex(job.seed)
    score = MatchScore(rules)
    for done in job.done:
        winner = done.winner_side
        score = score.add(DealResult.awarded(rules, winner) if winner is not None else _drawn(rules))
    for report in reports:
        if isinstance(report, DealReport):
            assert report.deal == score.deals + 1
            shuffle = shuffled(rules, seed, job.salt, report.deal)
            record = Record(
                rules, shuffle.deck, parse_cards(report.plays), score.next_dealer(job.first_dealer), shuffle.turned
            )
            deal = record.replay()
            assert report.points == deal.points
            assert len(report.think_cpu_us) == len(report.think_wall_us) == len(deal.plays)
            if report.faults:
                for fault in report.faults:
                    check_request(job, record, report, score, fault)
                result = DealResult.forfeited(rules, report.faults[0].seat)
            else:
                assert deal.over
                result = deal.result()
            assert report.winner_side == result.winner_side
            score = score.add(result)
        elif isinstance(report, MatchReport):
            assert report.score == score.wins
            assert report.deals == score.deals
            if report.termination == "normal":
                assert score.is_over
                assert report.outcome == score.winner_side


def check_request(job: MatchJob, record: Record, report: DealReport, score: MatchScore, fault: Fault) -> None:
    """The request that the fault names is the one that we would have sent ourselves."""
    rules, seed = record.rules, bytes.fromhex(job.seed)
    if fault.ply is None:
        told = job.limits.for_process(rules.deal_cap, rules.tricks).told()
        mine = start_message(
            n=0, match=job.match, seat=fault.seat, rules=rules, seed=bot_seed(seed, fault.seat), limits=told
        )
    else:
        deal = record.replay(fault.ply)
        assert fault.ply == len(record.plays)
        assert deal.turn == fault.seat
        view = deal.observe(fault.seat, number=report.deal, score=score.wins, drawn=score.drawn)
        mine = play_message(view, n=0, match=job.match, bank_cpu_ms=0)
    assert fault.request_sha256 == request_sha256(mine) == request_sha256(fault.request.encode())


def _drawn(rules: Rules) -> DealResult:
    return DealResult.from_points(rules, (60, 60))


def deals(reports: Sequence[Report]) -> list[DealReport]:
    return [report for report in reports if isinstance(report, DealReport)]


def end(reports: Sequence[Report]) -> MatchReport:
    assert isinstance(reports[0], Started)
    assert isinstance(reports[-1], MatchReport)
    return reports[-1]


def steps(reports: Sequence[Report]) -> dict[str, QualifyStep]:
    return {report.check: report for report in reports if isinstance(report, QualifyStep)}


def zygotes() -> list[int]:
    """Process ids of this process's zygotes."""
    ours = [pid for task in Path("/proc/self/task").iterdir() for pid in (task / "children").read_text().split()]
    return [int(pid) for pid in ours if b"zygote" in Path(f"/proc/{pid}/cmdline").read_bytes()]


@contextmanager
def descriptors_kept() -> Iterator[None]:
    """No descriptor is open after the block that was not before it."""
    before = len(list(Path("/proc/self/fd").iterdir()))
    yield
    assert len(list(Path("/proc/self/fd").iterdir())) == before
