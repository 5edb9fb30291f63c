"""Forms of what two people may change at once."""

import hashlib
from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from league.errors import LeagueError


class FreshForm(forms.Form):
    """Settings as they are `stored`; `seen` tells whether somebody else changed them since the page was opened."""

    seen = forms.CharField(widget=forms.HiddenInput, required=False, max_length=64)

    def __init__(self, data: Any = None, *, stored: Mapping[str, Any]) -> None:
        self.stored = dict(stored)
        super().__init__(data, initial=self.stored | {"seen": self._mark()})

    def _mark(self) -> str:
        return hashlib.sha256(repr(sorted(self.stored.items())).encode()).hexdigest()[:16]

    def require_fresh(self) -> None:
        """Refuse (`stale_form`, 409, with both values) what was filled from other settings; precondition: valid."""
        if self.cleaned_data["seen"] != self._mark():
            raise LeagueError(
                "stale_form",
                _(
                    "Somebody else has changed the settings meanwhile. Stored now / sent by you: %(clashes)s. "
                    "Check and save again."
                ),
                clashes="; ".join(self._clashes()) or "—",
            )

    def _clashes(self) -> list[str]:
        """For each field that would change: what is stored now beside what was sent."""
        return [
            f"{self.fields[name].label}: “{self._label(name, self.stored.get(name))}” / "
            f"“{self._label(name, self.cleaned_data[name])}”"
            for name in self.changed_data
            if name != "seen"
        ]

    def _label(self, name: str, value: Any) -> str:
        return str(dict(getattr(self.fields[name], "choices", ())).get(value, value))
