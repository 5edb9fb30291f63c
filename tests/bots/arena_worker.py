"""A real worker of the arena, and the trusted side's end of its broker."""

import os
import secrets
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import redis
from celery import Celery

from bots.arena import (
    MatchJob,
    Report,
    SeatJob,
    names,
    read_report,
    unpack,
)
from config.devservices.arena import ArenaHome
from config.env import celery_broker
from tests.conftest import poll, process

SLOW = "import time\ndef play(view):\n    time.sleep(0.1)\n    return view.legal[0]\n"
ALONE = ["--without-gossip", "--without-mingle", "--without-heartbeat"]


@contextmanager
def worker(
    arena: ArenaHome, log: Path, *options: str, children: int = 2, **environment: str
) -> Iterator["subprocess.Popen[bytes]"]:
    """A worker of the arena that has said that it is ready."""
    command = ["-m", "celery", "-A", "config.arena", "worker", "-Q", "arena,qualify,moves", "-c", str(children), *ALONE]
    env = arena.environment(os.environ["ARENA_VALKEY_URL"]) | environment
    with process(*arena.python(*command, "-l", "DEBUG", *options), env=env, log=log, cwd=arena.folder) as running:
        poll(lambda: b" ready." in log.read_bytes() or running.poll() is not None, limit=60)
        assert running.poll() is None, log.read_text()
        yield running


class Site:
    """The trusted side's end: what it lays down, sends and reads."""

    def __init__(self) -> None:
        self.valkey = redis.Redis.from_url(os.environ["VALKEY_URL"])
        self.celery = Celery(
            "producer", broker=celery_broker(os.environ["VALKEY_URL"]), fixups=[], set_as_current=False
        )
        self.celery.conf.update(
            broker_transport_options={"global_keyprefix": names.KEY_PREFIX}, task_ignore_result=True
        )

    def put(self, source: str | bytes) -> str:
        archive = unpack(source.encode() if isinstance(source, str) else source)
        self.valkey.set(names.bot_key(archive.sha256), archive.stored(), ex=names.BOT_S)
        return archive.sha256

    def job(self, *sources: str | bytes, **changes: Any) -> MatchJob:
        seats = tuple(SeatJob(seat=seat, side=seat, sha256=self.put(source)) for seat, source in enumerate(sources))
        values = {"run_id": str(uuid.uuid4()), "match": "K7Q2", "rules": "n=2", "seed": secrets.token_hex(32)}
        return MatchJob(**values | {"first_dealer": 0, "seats": seats, "lease_s": 3} | changes)

    def ring(self, *jobs: MatchJob | dict[str, Any]) -> None:
        data = [job if isinstance(job, dict) else job.to_dict() for job in jobs]
        self.celery.send_task("arena.play", [data], queue="arena", argsrepr="<jobs>", ignore_result=True)

    def reports(self, run_id: str) -> list[Report]:
        entries = self.valkey.xrange(names.REPORTS)
        found = [read_report(fields[names.REPORT_FIELD.encode()]) for _, fields in entries]
        return [report for report in found if report.run_id == run_id]

    def wait_for(self, kind: type, run_id: str, limit: float = 30) -> list[Report]:
        """All reports of the run, once one of this kind is there."""
        poll(lambda: any(isinstance(report, kind) for report in self.reports(run_id)), limit=limit)
        return self.reports(run_id)

    def lease(self, run_id: str) -> bytes | None:
        return self.valkey.get(names.run_key(run_id))

    def wait_until_done(self, *run_ids: str) -> None:
        poll(lambda: all(self.lease(run_id) == b"done" for run_id in run_ids), limit=30)


@contextmanager
def a_site() -> Iterator[Site]:
    made = Site()
    yield made
    made.celery.close()
    made.valkey.close()


def children_of(pid: int) -> list[int]:
    return [
        int(child) for task in Path(f"/proc/{pid}/task").iterdir() for child in (task / "children").read_text().split()
    ]


def descendants(pid: int) -> list[int]:
    found = []
    for child in children_of(pid):
        found += [child, *descendants(child)]
    return found


def is_alive(pid: int) -> bool:
    """Whether it runs; a zombie that nobody has reaped is no process left."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
