"""How long a person waits for a bot's card: from the job's sending to the report in the stream, matches being played.

    python -m benchmarks.bots_moves [--moves 200] [--children 1]

Real workers: one child for the queue `moves`, others for blocks of matches (their queue is never empty). A job asks a
bot that returns its first legal card, after 0 to 39 plays of a deal: a fresh process loads it, is asked, and ends. The
time ends when this process has read the report, so it is a little longer than what is asked for.
First with no match on the machine, then with matches. Exit code 1 when the median beside matches is above 50 ms.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import redis
from celery import Celery

from benchmarks.bots_matches import jobs, sources
from bots.arena import MatchReport, MoveReport, Refused, Returned, names, read_report, unpack
from config.devservices import Services, services
from config.devservices.arena import ArenaHome, arena_home
from config.env import celery_broker
from tests.bots.arena_worker import ALONE
from tests.bots.moving import move_job, view_after

MUST_MS = 50
BLOCK = 8
TRIVIAL = b"def play(view):\n    return view.legal[0]\n"


class Broker:
    """The site's end: what it lays down and sends, and the stream that it reads."""

    def __init__(self, running: Services) -> None:
        self.valkey = redis.Redis.from_url(running.valkey_url)
        self.celery = Celery("producer", broker=celery_broker(running.valkey_url), fixups=[], set_as_current=False)
        self.celery.conf.update(
            broker_transport_options={"global_keyprefix": names.KEY_PREFIX}, task_ignore_result=True
        )
        self.read_to = "0"
        self.matches = 0
        self._work: Iterator[Any] = iter(())

    def put(self, source: bytes) -> str:
        """Lay a bot down; its hash."""
        archive = unpack(source)
        self.valkey.set(names.bot_key(archive.sha256), archive.stored())
        return archive.sha256

    def fill(self, children: int) -> None:
        """Keep as many blocks waiting as there are children that play."""
        for _ in range(2 * children - int(self.valkey.llen("arena:arena"))):
            block = []
            while len(block) < BLOCK:
                job = next(self._work, None)
                if job is None:
                    self._work = iter(jobs(190))
                    continue
                block.append(job.to_dict() | {"run_id": str(uuid.uuid4()), "tier_min": "landlock"})
            self.celery.send_task(names.PLAY_TASK, [block], queue=names.PLAY_QUEUE, argsrepr="<block>")

    def card_ms(self, job: Any) -> tuple[float, MoveReport]:
        """Send the job and wait for its report: milliseconds."""
        began = time.perf_counter()
        self.celery.send_task(names.MOVE_TASK, [job.to_dict()], queue=names.MOVE_QUEUE, argsrepr="<1 move>")
        while time.perf_counter() - began < 30:
            report = self._read(job.run_id)
            if report is not None:
                return (time.perf_counter() - began) * 1e3, report
        raise SystemExit("no report of a card within 30 s")

    def _read(self, run_id: str) -> MoveReport | None:
        """Read on in the stream; the report of that run, when it came."""
        found = None
        for _, entries in self.valkey.xread({names.REPORTS: self.read_to}, block=1_000) or ():
            for number, fields in entries:
                self.read_to = number
                report = read_report(fields[names.REPORT_FIELD.encode()])
                assert not isinstance(report, (Refused, Returned)), report
                self.matches += isinstance(report, MatchReport)
                if isinstance(report, MoveReport) and report.run_id == run_id:
                    found = report
        return found


@contextmanager
def worker(arena: ArenaHome, url: str, queue: str, children: int, folder: Path) -> Iterator[None]:
    """A worker of the arena for one queue, ready."""
    command = ["-m", "celery", "-A", "config.arena", "worker", "-Q", queue, "-c", str(children), *ALONE]
    path = folder / f"{queue}.log"
    with path.open("wb") as log:
        running = subprocess.Popen(
            arena.python(*command, "--hostname", f"{queue}@bench", "-l", "INFO"),
            env=arena.environment(url), cwd=arena.folder, stdout=log, stderr=log,
        )  # fmt: skip
    try:
        end = time.monotonic() + 60
        while b" ready." not in path.read_bytes():
            if running.poll() is not None or time.monotonic() > end:
                raise SystemExit(path.read_text())
            time.sleep(0.05)
        yield
    finally:
        running.terminate()
        running.wait(60)


def measure(broker: Broker, moves: int, children: int) -> list[float]:
    """Milliseconds of each card; `children` of the others play matches meanwhile (0: nobody does)."""
    sha256, chance, times = broker.put(TRIVIAL), random.Random(1), []
    views = [view_after(plies) for plies in range(40)]
    for number in range(-10, moves):  # the first ones load what is loaded once
        broker.fill(children)
        time.sleep(chance.uniform(0.02, 0.1))  # people do not play in step with the matches
        ms, report = broker.card_ms(move_job(sha256, views[number % 40]))
        assert report.card is not None, report
        if number >= 0:
            times.append(ms)
    return sorted(times)


def main() -> int:
    """Measure and print; 1 when the figure is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--moves", type=int, default=200)
    parser.add_argument("--children", type=int, default=max(1, (os.cpu_count() or 1) - 1), help="that play matches")
    chosen = parser.parse_args()
    arena, median = arena_home(), 0.0
    with services("reliability") as running, tempfile.TemporaryDirectory() as folder:
        broker, url = Broker(running), running.arena_valkey_url
        for source in sources():
            broker.put(source)
        with (
            worker(arena, url, names.PLAY_QUEUE, chosen.children, Path(folder)),
            worker(arena, url, names.MOVE_QUEUE, 1, Path(folder)),
        ):
            for label, children in (("alone", 0), ("beside matches", chosen.children)):
                played, began = broker.matches, time.monotonic()
                times = measure(broker, chosen.moves, children)
                speed = (broker.matches - played) / (time.monotonic() - began)
                median, late, worst = (times[int(part * (len(times) - 1))] for part in (0.5, 0.95, 1))
                print(f"{label:<15} {len(times)} cards: median {median:6.1f} ms, 95 % {late:6.1f}, most {worst:6.1f}")
                print(f"{'':<15} {speed:.1f} matches/s by {children} children")
            assert children == 0 or speed > 0, "no match was played beside"
    print(f"median beside matches {median:.1f} ms   must be <= {MUST_MS}")
    return 0 if median <= MUST_MS else 1


if __name__ == "__main__":
    sys.exit(main())
