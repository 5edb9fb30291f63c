"""The right to play a run, and the stream that its reports go to."""

import logging
import secrets
import time

import redis

from bots.arena import Report, names, write_report

log = logging.getLogger("celery.arena")

#: How often a child looks whether its lease is to be renewed, and how long it waits for a broker that is away, seconds.
LOOK_S = 0.25
TROUBLE = (redis.exceptions.ConnectionError, redis.exceptions.TimeoutError, redis.exceptions.OutOfMemoryError)


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
                    pipe.get(names.begun_key(self.run_id))
                    _, holder, stop, begun = pipe.execute()
            except TROUBLE:
                if began > until:
                    raise
                time.sleep(LOOK_S)
            else:
                self._renewed = began
                self.is_stopped = stop is not None
                # A run that somebody reported is his, also when his lease has just ended: what another one played
                # before the site noticed would be thrown away.
                return holder == self.nonce.encode() and begun in {None, self.nonce.encode()}

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
                    pipe.set(names.begun_key(self.run_id), self.nonce, nx=True, ex=names.DONE_S)
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
