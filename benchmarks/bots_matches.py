"""Matches a second of the conductor alone: no broker, no database. The measure for the whole way through the services.

    python -m benchmarks.bots_matches [--matches 190] [--rounds 3]

190 best-of-three matches of greedy bots, one a pairing of 20 bots, fresh processes a match; each playing process is
pinned to a core of its own. Beside it the same conductor with bots in plain interpreters (`python3 -I -S`), two
processes against one, and matches of one deal. Rounds are interleaved, figures are medians. Exit code 1 when a figure
is missed.
"""

import argparse
import multiprocessing
import os
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from benchmarks.bots_sandbox import BARE_HARNESS, bare
from bots import house
from bots.arena import Bench, DealReport, JobLimits, MatchJob, MatchReport, SeatJob, play_match, unpack
from bots.sandbox import start_sandbox
from bots.sandbox.process import Process
from bots.sandbox.zygote_sandbox import ZygoteSandbox

PLAIN_MUST, SCALE_MUST, DEAL_MUST = 2.5, 1.8, 0.4
BOTS = 20
RUN = "00000000-0000-0000-0000-{:012}"
LIMITS = JobLimits(start_wall_ms=60_000, move_wall_ms=30_000, bank_wall_ms=120_000)
PROJECT = Path(__file__).resolve().parent.parent


def sources() -> list[bytes]:
    """Greedy bots that differ in a remark only."""
    return [house.source("greedy") + b"# number %d\n" % number for number in range(BOTS)]


def jobs(matches: int, rules: str = "n=2") -> list[MatchJob]:
    """One match a pairing, as many as are wanted."""
    hashes = [unpack(source).sha256 for source in sources()]
    pairings = list(combinations(hashes, 2))
    return [
        MatchJob(
            run_id=RUN.format(number),
            match=f"B{number}",
            rules=rules,
            seed=f"{number:064x}",
            first_dealer=number % 2,
            seats=tuple(SeatJob(seat=seat, side=seat, sha256=sha256) for seat, sha256 in enumerate(pair)),
            limits=LIMITS,
            tier_min="unsafe",
        )
        for number, pair in enumerate((pairings * (matches // len(pairings) + 1))[:matches])
    ]


@dataclass(slots=True)
class Plain:
    """`bots.sandbox.Sandbox` without any isolation: every bot is an interpreter of its own."""

    sandbox: ZygoteSandbox
    tier: str = "unsafe"

    def __getattr__(self, name: str) -> Any:
        return getattr(self.sandbox, name)

    def spawn(self, bot_dir: Path, **_: Any) -> Process:
        """See `Sandbox.spawn`."""
        plan = self.sandbox._plan
        return bare(plan.python, plan.uid, "-c", BARE_HARNESS, str(plan.folder / "code"), str(bot_dir))


def play(core: int, work: Sequence[MatchJob], way: str, barrier: Any, answers: Any) -> None:
    """A playing process: its seconds, and of these the bots' own CPU time and the number of deals."""
    os.sched_setaffinity(0, {core})
    with start_sandbox() as sandbox:
        folders = {unpack(source).sha256: sandbox.store.put({"bot.py": source}) for source in sources()}
        bench = Bench(sandbox=sandbox if way == "sandbox" else Plain(sandbox), bot_dir=folders.__getitem__)  # type: ignore[arg-type]
        reports: list[Any] = []
        play_match(work[0], lambda *_: None, bench=bench, nonce="benchmark")
        barrier.wait()
        began = time.perf_counter()
        for job in work:
            play_match(job, lambda *sent: reports.extend(sent), bench=bench, nonce="benchmark")
        seconds = time.perf_counter() - began
    deals = [report for report in reports if isinstance(report, DealReport)]
    assert sum(isinstance(report, MatchReport) and report.termination == "normal" for report in reports) == len(work)
    thinking = sum(sum(deal.think_cpu_us) for deal in deals) / 1e6
    answers.put((seconds, thinking, len(deals)))


def measure(work: Sequence[MatchJob], processes: int, way: str = "sandbox") -> tuple[float, float, int]:
    """Matches a second in `processes` pinned processes; seconds of the bots' thinking; deals."""
    cores = sorted(os.sched_getaffinity(0))
    context = multiprocessing.get_context("spawn")
    barrier, answers = context.Barrier(processes), context.Queue()
    parts = [work[part::processes] for part in range(processes)]
    playing = [
        context.Process(target=play, args=(cores[at % len(cores)], part, way, barrier, answers))
        for at, part in enumerate(parts)
    ]
    for process in playing:
        process.start()
    found = [answers.get(timeout=600) for _ in playing]
    for process in playing:
        process.join()
    seconds = max(seconds for seconds, _, _ in found)
    return len(work) / seconds, sum(thinking for _, thinking, _ in found), sum(deals for _, _, deals in found)


def main() -> int:
    """Measure and print; 1 when a figure is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--matches", type=int, default=190)
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    work = jobs(chosen.matches)
    deals_alone = jobs(max(10, len(work) // 4), "n=2 format=deals:1")
    ways = {"plain, 1 process": (1, "plain", work[: max(10, len(work) // 8)])}
    ways |= {f"sandbox, {count} process{'es' * (count > 1)}": (count, "sandbox", work) for count in (1, 2)}
    ways |= {f"one deal, {way}": (1, way, deals_alone) for way in ("plain", "sandbox")}
    speeds: dict[str, list[float]] = {name: [] for name in ways}
    shares: dict[str, list[str]] = {name: [] for name in ways}
    for _ in range(chosen.rounds):
        for name, (processes, way, part) in ways.items():
            speed, thinking, deals = measure(part, processes, way)
            speeds[name].append(speed)
            total = processes * len(part) / speed
            shares[name].append(f"{deals / len(part):.2f} deals, {1000 * total / len(part):.1f} ms a match,"
                                f" {100 * thinking / total:.0f} % of it the bots' moves")  # fmt: skip
    plain, one, two, plain_deal, deal = (statistics.median(values) for values in speeds.values())
    for name, values in speeds.items():
        print(f"{name:<22} {statistics.median(values):8.1f} matches/s   {shares[name][0]}")
    print(f"sandbox / plain        {one / plain:8.2f}   must be >= {PLAIN_MUST}")
    print(f"two / one              {two / one:8.2f}   must be >= {SCALE_MUST}")
    print(f"time of a deal / plain {plain_deal / deal:8.2f}   must be <= {DEAL_MUST}")
    return 0 if one / plain >= PLAIN_MUST and two / one >= SCALE_MUST and plain_deal / deal <= DEAL_MUST else 1


if __name__ == "__main__":
    sys.exit(main())
