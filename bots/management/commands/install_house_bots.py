"""`manage.py install_house_bots [--demo] [--wait SECONDS]`."""

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from bots.models import BotVersion, VersionState
from bots.services import house


class Command(BaseCommand):
    """Uploads the house bots as any author would; the running site then checks them in the arena."""

    help = "Uploads the house bots (and those of the demo); what is there already stays as it is."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """`--demo` and `--wait`."""
        parser.add_argument("--demo", action="store_true", help="the five bots of the demo as well")
        parser.add_argument("--wait", type=float, default=0, metavar="SECONDS", help="until all have their verdict")

    def handle(self, *_: Any, **options: Any) -> None:
        """Upload, wait, say how each stands; CommandError unless all qualified in time."""
        versions = house.create_house_bots()
        if options["demo"]:
            versions += house.create_demo_bots()
        numbers = [version.pk for version in versions]
        end = time.monotonic() + options["wait"]
        while options["wait"] and time.monotonic() < end and self._waiting(numbers):
            time.sleep(0.5)
        for version in BotVersion.objects.filter(pk__in=numbers).select_related("bot__player").order_by("bot_id"):
            self.stdout.write(f"{version}: {version.state}")
        if options["wait"] and BotVersion.objects.filter(pk__in=numbers).exclude(state=VersionState.QUALIFIED).exists():
            raise CommandError("not all bots are qualified: is the arena running (celery -A config.arena -Q qualify)?")

    def _waiting(self, numbers: list[int]) -> bool:
        undecided = {VersionState.UPLOADED, VersionState.CHECKING}
        return BotVersion.objects.filter(pk__in=numbers, state__in=undecided).exists()
