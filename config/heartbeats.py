"""Each role of the site says every five seconds that it lives: `games.Heartbeat`, one row a role and machine.

Written over a connection of its own, never Django's pool: in a worker this runs in the parent, whose children would
inherit the pool's sockets and find its threads gone.  The arena has no database; its leases say that it lives.
"""

import socket
import threading
from datetime import datetime

import psycopg
import psycopg.sql
import structlog
from django.db import connection
from django.utils import timezone

from games.models import Heartbeat
from games.services.outages import OUTAGE

#: Seconds between two heartbeats.
INTERVAL = 5.0

log = structlog.get_logger(__name__)


def start(role: str, *, interval: float = INTERVAL) -> threading.Event:
    """Write heartbeats of `role` from a thread until the process ends or the returned event is set."""
    stop = threading.Event()

    def run() -> None:
        while True:
            try:
                write(role, timezone.now())
            except psycopg.Error as error:  # the database is away: that gap is what the heartbeat shall tell
                log.warning("heartbeat_failed", role=role, error=str(error))
            if stop.wait(interval):
                return

    threading.Thread(target=run, name=f"heartbeat-{role}", daemon=True).start()
    return stop


def write(role: str, at: datetime) -> None:
    """One heartbeat of this machine. A silence before it is kept with it: `games.services.outages` gives it back."""
    parameters = connection.get_connection_params()
    wanted = {name: parameters[name] for name in ("dbname", "user", "password", "host", "port") if name in parameters}
    with psycopg.connect(**wanted, connect_timeout=3, autocommit=True) as own:
        own.execute(
            psycopg.sql.SQL(
                "INSERT INTO {} AS kept (role, name, at, detail) VALUES (%s, %s, %s, '{{}}') "
                "ON CONFLICT (role, name) DO UPDATE SET at = EXCLUDED.at, "
                "detail = CASE WHEN EXCLUDED.at - kept.at > %s "
                "THEN kept.detail || jsonb_build_object('gap', jsonb_build_array(kept.at, EXCLUDED.at)) "
                "ELSE kept.detail END"
            ).format(psycopg.sql.Identifier(Heartbeat._meta.db_table)),
            [role, socket.gethostname()[:80], at, OUTAGE],
        )


def age(role: str) -> float | None:
    """Seconds since the last heartbeat of `role` on this machine; None when there was never one."""
    ours = Heartbeat.objects.filter(role=role, name__startswith=socket.gethostname()[:80])
    last = ours.order_by("-at").values_list("at", flat=True).first()
    return None if last is None else (timezone.now() - last).total_seconds()
