"""The tasks of the arena, one a queue: thin shells around `bots.arena`."""

import logging
import time
from typing import Any

from bots.arena import (
    Bench,
    MatchJob,
    MoveJob,
    QualifyJob,
    Refused,
    WireError,
    names,
    play_match,
    play_move,
    qualify,
)
from bots.sandbox import SandboxUnavailable
from config.arena.application import app
from config.arena.child import Child
from config.arena.lease import Lease
from config.arena.life import child_of_this_process

log = logging.getLogger("celery.arena")

#: A block starts no new deal after this, seconds; what is left of it goes back.
BLOCK_S = 60


@app.task(name=names.PLAY_TASK)
def play(jobs: list[dict[str, Any]]) -> None:
    """Play a block of matches, each under its own run."""
    child = child_of_this_process()
    until = time.monotonic() + BLOCK_S
    with child.working():
        for data in jobs:
            if (job := _read(MatchJob, data)) is None:
                continue
            lease = Lease(child.valkey, job.run_id, job.lease_s)
            with child.holding(lease) as is_ours:
                if is_ours and (bench := _bench(child, lease, until)):
                    play_match(job, lease.report, bench=bench, nonce=lease.nonce)


@app.task(name=names.QUALIFY_TASK)
def check(data: dict[str, Any]) -> None:
    """Check a new version."""
    child = child_of_this_process()
    if (job := _read(QualifyJob, data)) is None:
        return
    lease = Lease(child.valkey, job.run_id, job.lease_s)
    with child.working(), child.holding(lease) as is_ours:
        if is_ours and (bench := _bench(child, lease, None)):
            qualify(job, lease.report, bench=bench, nonce=lease.nonce)


@app.task(name=names.MOVE_TASK)
def move(data: dict[str, Any]) -> None:
    """Play one card at a table of people."""
    child = child_of_this_process()
    if (job := _read(MoveJob, data)) is None:
        return
    lease = Lease(child.valkey, job.run_id, job.lease_s)
    with child.working(), child.holding(lease) as is_ours:
        if is_ours and (bench := _bench(child, lease, None)):
            play_move(job, lease.report, bench=bench, nonce=lease.nonce)


def _read(kind: type[Any], data: object) -> Any:
    """The job; None when it cannot be read: whose run it is is not known then. Never logs a value."""
    try:
        return kind.from_dict(data)
    except WireError as error:
        log.error("a job cannot be read: %s", error)
        return None


def _bench(child: Child, lease: Lease, until: float | None) -> Bench | None:
    """The bench, or None when the job had to be refused."""
    try:
        return child.bench(lease, until)
    except SandboxUnavailable as error:
        detail = str(error)[:300]
        lease.report(Refused(run_id=lease.run_id, nonce=lease.nonce, seq=0, reason="no_tier", detail=detail))
        return None
