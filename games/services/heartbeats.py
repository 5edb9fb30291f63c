"""Signs of life of the run-time roles: one row a role and process, written every few seconds."""

from collections.abc import Mapping
from time import monotonic
from typing import Any, Final

from django.utils import timezone

from games.models import Heartbeat

EVERY_S: Final = 5

_last: dict[tuple[str, str], float] = {}


def beat(*, role: str, name: str, detail: Mapping[str, Any] | None = None, at_most_every_s: float = 0) -> None:
    """Say that a process lives; nothing is written when this process said so within `at_most_every_s`."""
    now = monotonic()
    if now - _last.get((role, name), -1e9) < at_most_every_s:
        return
    _last[role, name] = now
    Heartbeat.objects.bulk_create(
        [Heartbeat(role=role, name=name[:80], at=timezone.now(), detail=dict(detail or {}))],
        update_conflicts=True,
        unique_fields=["role", "name"],
        update_fields=["at", "detail"],
    )


def forget() -> None:
    """Write the next heartbeat of every process at once."""
    _last.clear()
