"""State tables: which state may follow which."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Model
from django.utils.translation import gettext_lazy as _

from accounts.foundation.errors import DomainError

Transitions = Mapping[str, frozenset[str]]


class BadState(DomainError):
    """The object is in a state from which the wanted one cannot be reached."""


def advance(row: Model, to: str, *, table: Transitions, field: str = "state") -> None:
    """Set `row.state` to `to` when `table` allows it; the caller holds the row's lock and saves.

    Raises BadState `bad_state` with `state`, `wanted` and `allowed` (labels are the states' codes).
    """
    now: Any = getattr(row, field)
    if to not in table[now]:
        raise BadState(
            "bad_state",
            _("This is not possible now: the state is “%(state)s”, and from there only %(allowed)s can follow."),
            state=str(now),
            wanted=str(to),
            allowed=", ".join(sorted(table[now])) or "—",
        )
    setattr(row, field, to)
