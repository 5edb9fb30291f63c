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

    Raises BadState `bad_state`: the sentence names the states by their labels, `wanted` is the code of the wanted one.
    """
    now: Any = getattr(row, field)
    if to not in table[now]:
        labels = dict(row._meta.get_field(field).flatchoices)  # type: ignore[union-attr]
        allowed = [str(label) for state, label in labels.items() if state in table[now]]
        raise BadState(
            "bad_state",
            _("This is not possible now: the state is “%(state)s”, and from there only %(allowed)s can follow."),
            state=str(labels.get(now, now)),
            wanted=str(to),
            allowed=", ".join(f"“{label}”" for label in allowed) or "—",
        )
    setattr(row, field, to)
