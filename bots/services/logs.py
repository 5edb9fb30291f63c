"""Removing logs that are too old."""

from datetime import timedelta
from typing import Final

from django.utils import timezone

from bots.models import DealLog, MoveRun
from bots.selectors.logs import LOG_DAYS

_AT_ONCE: Final = 5_000


def sweep() -> int:
    """Delete logs that are too old, and the questions of single cards; the number of logs. Idempotent: run by beat."""
    before = timezone.now() - timedelta(days=LOG_DAYS)
    deleted = 0
    while old := list(
        DealLog.objects.filter(created_at__lt=before).order_by("pk").values_list("pk", flat=True)[:_AT_ONCE]
    ):
        deleted += DealLog.objects.filter(pk__in=old).delete()[0]
    MoveRun.objects.filter(ended_at__lt=before).delete()
    return deleted
