"""The Celery shell of the arena: leases, the stream of reports and the cache of bots around `bots.arena`.

    celery -A config.arena worker -Q arena --without-gossip --without-mingle --without-heartbeat

No Django, no database, no secret: a job carries all that it needs, and the Valkey user may touch `arena:*` only.
A message that is delivered twice is harmless: a run is played by who holds the key `arena:run:<run_id>`.
"""

import ctypes
import logging
import mmap
import os
import platform
import re
import secrets
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import redis
from celery import Celery
from celery.signals import (
    after_setup_logger,
    after_setup_task_logger,
    worker_init,
    worker_process_init,
    worker_process_shutdown,
    worker_shutting_down,
)
from kombu import Exchange, Queue

from bots.arena import (
    Bench,
    Halt,
    MatchJob,
    QualifyJob,
    Refused,
    Report,
    WireError,
    names,
    play_match,
    qualify,
    write_report,
)
from bots.arena.cache import BotCache
from bots.sandbox import Sandbox, SandboxUnavailable, TierName, start_sandbox
from config.celery_options import COMMON
from config.env import ConfigurationError, celery_broker, flag, optional, required

log = logging.getLogger("celery.arena")

#: A block starts no new deal after this, seconds; what is left of it goes back.
BLOCK_S = 60
#: How often a child looks whether its lease is to be renewed, and how long it waits for a broker that is away, seconds.
LOOK_S = 0.25
TROUBLE = (redis.exceptions.ConnectionError, redis.exceptions.TimeoutError, redis.exceptions.OutOfMemoryError)
PR_SET_PDEATHSIG = 1
SEED = re.compile(r"[0-9a-fA-F]{64}")
QUEUES = (names.PLAY_QUEUE, names.QUALIFY_QUEUE, names.MOVE_QUEUE)

# fixups=[]: with DJANGO_SETTINGS_MODULE in the environment Celery would load Django, and with it the site's secrets.
app = Celery("arena", broker=celery_broker(required("ARENA_VALKEY_URL")), fixups=[])
app.conf.update(COMMON)
app.conf.update(
    task_queues=[Queue(name, Exchange(name), routing_key=name) for name in QUEUES],
    task_default_queue=names.PLAY_QUEUE,
    task_create_missing_queues=False,
    worker_enable_remote_control=False,
    worker_send_task_events=False,
    # The lease outlives a broken connection; a second delivery finds it held.
    worker_cancel_long_running_tasks_on_connection_loss=False,
    worker_max_tasks_per_child=2_000,
    worker_proc_alive_timeout=60,  # a child is up only when its sandbox has been probed
    broker_transport_options=COMMON["broker_transport_options"] | {"global_keyprefix": names.KEY_PREFIX},
)

#: One byte that the pool's parent shares with its children: not zero once the worker shuts down.
_shutting_down = mmap.mmap(-1, 1)


class Lease:
    """The right to play a run: its key holds our nonce. A thread of the child renews it; the game looks at it."""

    def __init__(self, valkey: "redis.Redis", run_id: str, seconds: int) -> None:
        self.run_id = run_id
        self.nonce = secrets.token_hex(16)
        self.is_stopped = False
        self._valkey = valkey
        self._key = names.run_key(run_id)
        self._seconds = seconds
        self._renewed = time.monotonic()
        self._is_anothers = False
        self._has_reported = False

    @property
    def is_lost(self) -> bool:
        """Whether another delivery holds the run, or may: no renewal for three quarters of the lease."""
        return self._is_anothers or time.monotonic() - self._renewed > 0.75 * self._seconds

    @property
    def is_due(self) -> bool:
        """Whether a quarter of the lease is over."""
        return time.monotonic() - self._renewed > 0.25 * self._seconds

    def take(self) -> bool:
        """Take the run unless somebody has it or had it. Also learns whether it is stopped already.

        Waits for a broker that is away as long as a lease lasts, then raises what it raised.
        """
        until = time.monotonic() + self._seconds
        while True:
            began = time.monotonic()
            try:
                with self._valkey.pipeline(transaction=False) as pipe:
                    pipe.set(self._key, self.nonce, nx=True, ex=self._seconds)
                    pipe.get(self._key)  # the answer to an earlier try may have been lost
                    pipe.get(names.stop_key(self.run_id))
                    _, holder, stop = pipe.execute()
            except TROUBLE:
                if began > until:
                    raise
                time.sleep(LOOK_S)
            else:
                self._renewed = began
                self.is_stopped = stop is not None
                return bool(holder == self.nonce.encode())

    def renew(self) -> None:
        """Prolong the lease; take it again when the broker has forgotten it; look for a stop."""
        began = time.monotonic()
        try:
            value = self._valkey.get(self._key)
            if value is None:
                mine = self._valkey.set(self._key, self.nonce, nx=True, ex=self._seconds)
            else:
                mine = value == self.nonce.encode() and self._valkey.expire(self._key, self._seconds)
            self.is_stopped |= self._valkey.get(names.stop_key(self.run_id)) is not None
        except TROUBLE:
            return
        # An expiry between GET and EXPIRE looks like a loss for one round; the key is then taken again or is another's.
        if mine:
            self._renewed = began
        elif value is not None and value != self.nonce.encode():
            self._is_anothers = True

    def report(self, *reports: Report) -> None:
        """Append reports to the stream in one round trip; waits for a broker that is away until the lease is lost."""
        entries = [write_report(report) for report in reports]
        while not self.is_lost:
            try:
                with self._valkey.pipeline(transaction=False) as pipe:
                    for entry in entries:
                        pipe.xadd(names.REPORTS, {names.REPORT_FIELD: entry})
                    pipe.get(names.stop_key(self.run_id))
                    self.is_stopped |= pipe.execute()[-1] is not None
                self._has_reported = True
            except TROUBLE:
                time.sleep(LOOK_S)  # whatever arrived is sent again: the same report twice changes nothing
            else:
                return

    def finish(self) -> None:
        """The job has ended: a late second delivery finds the key and is dropped.

        Of a job that failed before its first report nobody knows: its key is left to expire, and it can be rung again.
        """
        if not self._has_reported:
            return
        try:
            if self._valkey.get(self._key) in {None, self.nonce.encode()}:
                self._valkey.set(self._key, names.DONE, ex=names.DONE_S)
        except TROUBLE:
            log.warning("run %s: the broker is away at its end", self.run_id)


class Child:
    """What one process of the pool has: a core, a sandbox, a connection, and the lease of what it plays."""

    def __init__(self, worker: str) -> None:
        self.worker = worker
        self.lease: Lease | None = None
        self.is_drained = False
        self._parent = os.getppid()
        self.valkey = redis.Redis.from_url(required("ARENA_VALKEY_URL"), socket_timeout=5, socket_connect_timeout=5)
        self._sandbox: Sandbox | None = None
        self._cache: BotCache | None = None
        threading.Thread(target=self._keep, name="lease", daemon=True).start()

    def open(self) -> None:
        """Start the sandbox, unless it runs. Raises SandboxUnavailable."""
        if self._sandbox is None:
            self._sandbox = sandbox()
            self._cache = BotCache(self._sandbox.store, self._fetch)

    def bench(self, lease: Lease, until: float | None) -> Bench:
        """Where to play; a block ends at `until` (monotonic). Raises SandboxUnavailable."""
        self.open()
        assert self._sandbox is not None
        assert self._cache is not None

        def halt() -> Halt | None:
            if lease.is_lost:
                return "lost"
            if lease.is_stopped:
                return "stop"
            if self.is_drained or _shutting_down[0]:
                return "drain"
            return "time" if until is not None and time.monotonic() >= until else None

        return Bench(sandbox=self._sandbox, bot_dir=self._cache.folder, worker=self.worker, halt=halt)

    @contextmanager
    def holding(self, lease: Lease) -> Iterator[bool]:
        """Whether the run is ours for the length of the block."""
        if not lease.take():
            log.info("run %s is or was played by another delivery", lease.run_id)
            yield False
            return
        self.lease = lease
        try:
            yield True
        finally:
            self.lease = None
            lease.finish()

    def close(self) -> None:
        """End the sandbox and every bot in it."""
        if self._sandbox is not None:
            self._sandbox.close()
            self._sandbox = self._cache = None

    @contextmanager
    def working(self) -> Iterator[None]:
        """A task for the length of the block.

        TERM, also sent by the kernel when the parent dies, then means: finish this deal and give the rest back.
        (Between two tasks it ends the child; billiard sees to that.) An orphan ends after its task.
        """
        self.is_drained = False
        before = signal.signal(signal.SIGTERM, self._drain)
        if os.getppid() != self._parent:
            self.is_drained = True
        try:
            yield
        finally:
            signal.signal(signal.SIGTERM, before)
            if os.getppid() != self._parent:
                self.close()
                os._exit(0)

    def _drain(self, *_: object) -> None:
        self.is_drained = True

    def _fetch(self, sha256: str) -> bytes | None:
        try:
            return cast("bytes | None", self.valkey.get(names.bot_key(sha256)))
        except redis.exceptions.ResponseError as error:
            if not str(error).startswith("WRONGTYPE"):
                raise
            log.error("bot %s: what lies there is no file", sha256)
            return None

    def _keep(self) -> None:
        """Renew the lease of the moment, also while a bot thinks."""
        while True:
            lease = self.lease
            if lease is not None and lease.is_due:
                lease.renew()
            time.sleep(LOOK_S)


def sandbox() -> Sandbox:
    """The sandbox that the environment asks for. Raises SandboxUnavailable, ConfigurationError."""
    tier = optional("BOTS_SANDBOX", "auto")
    if tier not in {"auto", "namespaces", "landlock", "unsafe"}:
        raise ConfigurationError(f"BOTS_SANDBOX must be auto, namespaces or landlock, not {tier!r}")
    if tier == "unsafe" and not flag("DEBUG"):
        raise ConfigurationError("BOTS_SANDBOX=unsafe isolates nothing: it needs DEBUG=1 beside it")
    base = optional("ARENA_CACHE")
    return start_sandbox(cast("TierName", tier), base=Path(base) if base else None, log=log.info)


# ---- logs


class NoSeeds(logging.Filter):
    """Hides whatever looks like a seed: Celery writes the whole body of a task that it does not know."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Change the record in place; let it pass."""
        text = record.getMessage()
        if hidden := SEED.sub("<64 hex digits>", text):
            record.msg, record.args = hidden, ()
        return True


@after_setup_logger.connect
@after_setup_task_logger.connect
def hide_seeds(logger: logging.Logger, **_: object) -> None:
    """In every handler that Celery makes."""
    for handler in logger.handlers:
        handler.addFilter(NoSeeds())


# ---- the life of a worker

_child: Child | None = None


@worker_init.connect
def refuse_without_sandbox(**_: object) -> None:
    """No tier holds: the worker takes no job, and says so in one line."""
    try:
        sandbox().close()
    except (SandboxUnavailable, ConfigurationError) as error:
        sys.stderr.write(f"The arena takes no jobs: {error}\n")
        raise SystemExit(1) from None


@worker_process_init.connect
def settle(**_: object) -> None:
    """Give the child a core of its own (moves cost three times as much unpinned) and its sandbox.

    Here, in the main thread: the zygote ends with the thread that started it.
    """
    global _child  # noqa: PLW0603 - one child, one process
    from billiard import current_process  # numbers the children of a pool from 0, replaced ones too

    queues = sorted(app.amqp.queues.consume_from)
    cores = sorted(os.sched_getaffinity(os.getppid()))
    if names.PLAY_QUEUE not in queues:
        cores.reverse()  # matches fill the cores from below, so that checks and moves rather have one to themselves
    core = cores[cast(Any, current_process()).index % len(cores)]
    os.sched_setaffinity(0, {core})
    _child = Child(f"{platform.node()}/{'+'.join(queues)}/{core}"[:120])
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    try:
        _child.open()
    except SandboxUnavailable as error:  # it held when the worker started; each job tries again, and is refused
        log.error("%s", error)


@worker_process_shutdown.connect
def leave(**_: object) -> None:
    """Leave no process and no folder."""
    if _child is not None:
        _child.close()


@worker_shutting_down.connect
def drain(**_: object) -> None:
    """Children finish the deal that they play and give back the rest."""
    _shutting_down[0] = 1


# ---- the tasks


@app.task(name=names.PLAY_TASK)
def play(jobs: list[dict[str, Any]]) -> None:
    """Play a block of matches, each under its own run."""
    child = _of_this_process()
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
    child = _of_this_process()
    if (job := _read(QualifyJob, data)) is None:
        return
    lease = Lease(child.valkey, job.run_id, job.lease_s)
    with child.working(), child.holding(lease) as is_ours:
        if is_ours and (bench := _bench(child, lease, None)):
            qualify(job, lease.report, bench=bench, nonce=lease.nonce)


def _of_this_process() -> Child:
    if _child is None:
        raise RuntimeError("tasks of the arena run in a prefork pool only")
    return _child


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
