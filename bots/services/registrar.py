"""The registrar: the one reader of the stream of reports. Others stand by and take over when it is gone.

It reads its own pending entries first, then new ones; it stores, commits, and only then acknowledges. So an entry may
be read twice (and is then answered as before), never lost. Correctness does not rest on there being one reader:
`receive` locks each match and wants each run's next number.
"""

from collections.abc import Sequence
from socket import gethostname
from time import monotonic, sleep
from typing import Any, Final

import redis
import structlog
from django.db import DatabaseError, close_old_connections
from django.db.backends.base.base import BaseDatabaseWrapper

from bots import doorbell
from bots.arena import names
from bots.services import pace, ringing
from bots.services.runs import Answer, receive_many
from bots.services.runs.receive import RETRY
from games.services.connections import outside_pool
from games.services.heartbeats import EVERY_S, beat

log = structlog.get_logger(__name__)

GROUP: Final = "site"
#: One name for every process: with names of their own a second one would pass old entries behind newer ones.
CONSUMER: Final = "registrar"
LEADER_LOCK: Final = 0x62656C6C_03
#: Entries a transaction, and how long a read waits for the first one.
COUNT: Final = 400
BLOCK_MS: Final = 1000
#: Reports that come within this time of the last transaction are stored together.
LINGER_S: Final = 0.05
RETRY_S: Final = 1.0
#: A service is away or busy: to be waited for.
AWAY: Final = (*RETRY, DatabaseError, redis.RedisError, OSError)
#: The last number that an entry can have. The arena may give numbers of its own; after this one nothing is appended.
LAST_ID: Final = b"18446744073709551615-18446744073709551615"

Entry = tuple[bytes, dict[bytes, bytes] | None]


class Registrar:
    """One process of the role. `run` returns after `stop`."""

    def __init__(self) -> None:
        self._is_ended = False  # a plain flag: an Event's lock could be held when the signal comes
        self._lock: BaseDatabaseWrapper | None = None
        self._pending = True
        self._next_at = 0.0
        self._proved = 0.0
        self._accepted = 0
        self._looked = 0.0

    def stop(self) -> None:
        """End after the transaction in hand; may be called from a signal handler."""
        self._is_ended = True

    def run(self) -> None:
        """Lead or stand by until `stop`; whatever service is away is waited for, and no error ends the role."""
        while not self._is_ended:
            try:
                self._turn()
                continue
            except AWAY as error:
                log.warning("registrar.waits", error=type(error).__name__, detail=str(error)[:200])
            except Exception:
                log.exception("registrar.failed")
            self._step_down()
            close_old_connections()
            self._pause(RETRY_S)
        self._step_down()

    def _turn(self) -> None:
        is_leader = self._leads()
        beat(role="registrar", name=gethostname(), detail={"leads": is_leader}, at_most_every_s=EVERY_S)
        if is_leader:
            self.read_once()
        else:
            self._pause(RETRY_S)

    def _pause(self, seconds: float) -> None:
        end = monotonic() + seconds
        while not self._is_ended and (left := end - monotonic()) > 0:
            sleep(min(left, 0.1))

    def _leads(self) -> bool:
        """Whether this process holds the lock; asked again each second, because the session may be gone."""
        if self._lock is None:
            self._lock = outside_pool()
            with self._lock.cursor() as cursor:
                cursor.execute("SELECT pg_try_advisory_lock(%s)", [LEADER_LOCK])
                if cursor.fetchone()[0]:
                    self._pending = True
                    _make_group()
                    log.info("registrar.leads")
                    return True
            self._step_down()
            return False
        if monotonic() - self._proved > 1:
            with self._lock.cursor() as cursor:
                cursor.execute("SELECT 1")
            self._proved = monotonic()
        return True

    def _step_down(self) -> None:
        lock, self._lock = self._lock, None
        if lock is not None:
            try:
                lock.close()
            except DatabaseError:
                log.info("registrar.lock_was_gone")

    def read_once(self, *, block_ms: int = BLOCK_MS) -> int:
        """Read, store, acknowledge; the number of entries."""
        self._pause(self._next_at - monotonic())
        entries = self._read(block_ms)
        self._next_at = monotonic() + LINGER_S
        if entries:
            self._take(entries)
        if self._is_time():
            pace.flush()
            ringing.ask_dispatch()
        return len(entries)

    def _is_time(self) -> bool:
        """Once a second, if something was stored since."""
        if self._accepted == 0 or monotonic() - self._looked < 1:
            return False
        self._accepted, self._looked = 0, monotonic()
        return True

    def _read(self, block_ms: int) -> Sequence[Entry]:
        since = "0" if self._pending else ">"
        try:
            answer: Any = doorbell.valkey().xreadgroup(
                GROUP, CONSUMER, {names.REPORTS: since}, count=COUNT, block=None if self._pending else block_ms
            )
        except redis.ResponseError as error:
            if "NOGROUP" not in str(error) and not doorbell.is_wrong_type(error):
                raise
            log.warning("registrar.group_was_gone")
            _make_group()
            self._pending = True
            return []
        entries: Sequence[Entry] = answer[0][1] if answer else []
        if not entries:
            if not self._pending and _is_full():
                log.error("registrar.stream_was_full")
                _begin_anew()
            self._pending = False
        return entries

    def _take(self, entries: Sequence[Entry]) -> None:
        # An entry without fields is pending, but was deleted from the stream.
        reports = [next(iter(fields.values())) for _, fields in entries if fields]
        try:
            answers = _received(reports)
        except BaseException:
            self._pending = True  # all of them again
            raise
        with doorbell.valkey().pipeline(transaction=False) as pipe:
            pipe.xack(names.REPORTS, GROUP, *[entry_id for entry_id, _ in entries])
            pipe.xtrim(names.REPORTS, minid=entries[-1][0], approximate=True)
            pipe.execute()
        self._accepted += sum(answer.is_accepted for answer in answers)


def _received(reports: Sequence[bytes]) -> list[Answer]:
    """The answers. A report that cannot be taken at all is dropped, or it would stand before all others for ever.

    What its run reports next is then a gap: the run is lost, its match is played on from the last deal that is stored.
    """
    try:
        return receive_many(reports)
    except AWAY:
        raise
    except Exception:
        if len(reports) == 1:
            log.exception("report.dropped", size=len(reports[0]))
            return []
        log.exception("reports.taken_one_by_one", count=len(reports))
    return [answer for report in reports for answer in _received([report])]


def _make_group() -> None:
    try:
        doorbell.valkey().xgroup_create(names.REPORTS, GROUP, id="0", mkstream=True)
    except redis.ResponseError as error:
        if doorbell.is_wrong_type(error):
            log.error("registrar.stream_was_none")
            _begin_anew()
        elif "BUSYGROUP" not in str(error):
            raise


def _is_full() -> bool:
    """Whether nothing can be appended any more."""
    last: bytes = doorbell.valkey().xinfo_stream(names.REPORTS)["last-generated-id"]
    return last == LAST_ID


def _begin_anew() -> None:
    """An empty stream; precondition: nothing waits in it."""
    with doorbell.valkey().pipeline() as pipe:
        pipe.delete(names.REPORTS)
        pipe.xgroup_create(names.REPORTS, GROUP, id="0", mkstream=True)
        pipe.execute()
