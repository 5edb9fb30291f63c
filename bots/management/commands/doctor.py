"""`manage.py doctor`."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from bots.doctor import Mark, examine, shown


class Command(BaseCommand):
    """Looks at the whole installation and says in plain lines what is well, what is not, and what to do."""

    help = "Look at interpreter, sandbox, users, folders, database, Valkey, roles, mail. Exit status 1 on a FAIL."
    requires_system_checks = ()  # they ask the database, which may be what is wrong

    def handle(self, *_: Any, **__: Any) -> None:
        """Print each finding as it is made; CommandError when one of them is a FAIL."""
        failed = 0
        for finding in examine():
            failed += finding.mark is Mark.FAIL
            self.stdout.write(shown(finding))
            self.stdout.flush()
        if failed:
            raise CommandError(f"{failed} to be mended: see the lines with FAIL")
