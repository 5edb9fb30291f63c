"""`manage.py demo_play`: keeps the demo's league going until it is ended; one of the processes of `make demo`."""

import signal
import threading
from typing import Any

import structlog
from django.core.management.base import BaseCommand
from django.db import Error as DatabaseError
from django.db import close_old_connections

from accounts.foundation import DomainError
from accounts.models import User
from league.management.commands.demo_seed import ACCOUNTS
from league.services import demo_season

log = structlog.get_logger(__name__)
#: Seconds between two looks.
PAUSE_S = 2.0


class Command(BaseCommand):
    """Bots join as they qualify; a tournament starts when the one before has ended."""

    help = "Keep the demo's league going: bots join as they qualify, a tournament is always on."

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Look again every two seconds until TERM or INT."""
        ended = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_signal: ended.set())
        email, _name = ACCOUNTS["organiser"]
        while not ended.wait(PAUSE_S):
            close_old_connections()
            try:
                done = demo_season.advance(organiser=User.objects.get(email=email))
            except (DomainError, DatabaseError) as error:
                log.warning("demo_waits", why=str(error))
                continue
            if done:
                log.info("demo", step=done)
