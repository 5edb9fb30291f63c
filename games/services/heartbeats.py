"""Signs of life of the run-time roles: one row a process, written every few seconds."""

import json
import os
import socket
import threading
from collections.abc import Mapping
from time import monotonic
from typing import Any, Final

import structlog
from django.db import DatabaseError, connection
from django.db.backends.base.base import BaseDatabaseWrapper

from games.services.connections import outside_pool

log = structlog.get_logger(__name__)

EVERY_S: Final = 5

_UPSERT = """
    INSERT INTO games_heartbeat (role, name, at, detail) VALUES (%s, %s, now(), %s::jsonb)
    ON CONFLICT ON CONSTRAINT heartbeat_once_a_process DO UPDATE SET at = excluded.at, detail = excluded.detail
"""
_last: dict[tuple[str, str], float] = {}


def beat(*, role: str, name: str, detail: Mapping[str, Any] | None = None, at_most_every_s: float = 0) -> None:
    """Say that a process lives; nothing is written when it was said within `at_most_every_s` by this process."""
    now = monotonic()
    if now - _last.get((role, name), -1e9) < at_most_every_s:
        return
    _last[role, name] = now
    _write(connection, role, name, detail)


def _write(through: BaseDatabaseWrapper, role: str, name: str, detail: Mapping[str, Any] | None) -> None:
    with through.cursor() as cursor:
        cursor.execute(_UPSERT, [role[:20], name[:80], json.dumps(dict(detail or {}))])


def process_name() -> str:
    """Machine and process id."""
    return f"{socket.gethostname()}:{os.getpid()}"


class Pulse:
    """A thread that writes the heartbeat of this process on a connection of its own, until `stop`."""

    def __init__(self, role: str) -> None:
        self.role = role
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def start(self) -> "Pulse":
        """Begin."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """End, and wait for it."""
        self._ended.set()
        self._thread.join(timeout=EVERY_S)

    def _run(self) -> None:
        # The process may fork: Django's pool must have no connection and no thread in it because of us.
        through = outside_pool()
        while True:
            try:
                _write(through, self.role, process_name(), None)
            except DatabaseError as error:
                log.warning("heartbeat.failed", role=self.role, error=type(error).__name__)
                through.close()
            if self._ended.wait(EVERY_S):
                through.close()
                return
