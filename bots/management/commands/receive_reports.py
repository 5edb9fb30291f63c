"""The role `registrar`: stores what the arena reports."""

import signal
from typing import Any

from django.core.management.base import BaseCommand

from bots.services.registrar import Registrar


class Command(BaseCommand):
    """`manage.py receive_reports`; a second one stands by."""

    help = "Read the arena's reports and store them, until SIGTERM or SIGINT."

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002 (Django's signature)
        """Run until a signal; the transaction in hand is finished."""
        registrar = Registrar()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: registrar.stop())
        registrar.run()
