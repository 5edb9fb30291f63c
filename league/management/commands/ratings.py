"""`manage.py ratings rebuild`: recompute the official ratings from the stored results."""

from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from accounts.foundation import lock_one
from league.models import RatingPool
from league.services.ratings import rebuild


def _row(text: str) -> int:
    """The number of a row, from 1."""
    number = int(text)
    if number < 1:
        raise ArgumentTypeError("rows are counted from 1")
    return number


class Command(BaseCommand):
    """Without `--check` a new revision is written and becomes the current one."""

    help = "Recompute the ratings of one pool, or of all, and compare them with the live ledger or write them anew."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """`rebuild [--pool CODE] [--check] [--from SEQ]`."""
        verbs = parser.add_subparsers(dest="verb", required=True)
        rebuild_parser = verbs.add_parser("rebuild", help="recompute from the stored results")
        rebuild_parser.add_argument("--pool", help="code of the pool; default: all")
        rebuild_parser.add_argument("--check", action="store_true", help="compare only; exit 1 at a difference")
        rebuild_parser.add_argument(
            "--from", dest="start", type=_row, default=None, metavar="SEQ", help="with --check: first row to compare"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Run the verb."""
        pools = RatingPool.objects.order_by("code")
        if options["pool"]:
            pools = pools.filter(code=options["pool"])
            if not pools.exists():
                known = ", ".join(RatingPool.objects.order_by("code").values_list("code", flat=True)) or "none yet"
                raise CommandError(f"There is no pool {options['pool']!r}. Pools: {known}.")
        if options["check"]:
            self._check(list(pools), options["start"] or 1)
            return
        if options["start"] is not None:
            raise CommandError("--from goes with --check: a revision is always written from its first row.")
        for pool in pools:
            with transaction.atomic():
                held = rebuild.write_revision(pool=lock_one(RatingPool.objects.filter(pk=pool.pk)))
            self.stdout.write(
                f"{held.code}: revision {held.current_revision}, {held.next_seq - 1} rows, hash {held.last_hash}"
            )

    def _check(self, pools: list[RatingPool], start: int) -> None:
        differing = 0
        for pool in pools:
            with rebuild.snapshot():
                found = rebuild.check(pool=RatingPool.objects.get(pk=pool.pk), start=start)
            if found.is_identical:
                self.stdout.write(f"{found.pool}: identical: {found.rows} rows, hash {found.last_hash}")
                continue
            differing += 1
            self.stdout.write(f"{found.pool}: DIFFERENT: {found.problem}, row {found.seq or '-'}")
            for one in found.fields:
                self.stdout.write(f"  {one.field}: stored {one.stored}, computed {one.computed}")
        if differing:
            raise CommandError(f"{differing} of {len(pools)} pools differ from their results.")
