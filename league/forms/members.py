"""The form of an owner who gives a role."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from league.models import Role


class RoleForm(forms.Form):
    """A role in a league."""

    role = forms.ChoiceField(
        label=_("Role"),
        choices=Role.choices,
        widget=forms.RadioSelect,
        help_text=_(
            "An arbiter decides about matches; an organiser also runs tournaments and members; an owner also changes "
            "the league and its roles."
        ),
    )

    def order(self) -> dict[str, Any]:
        """The arguments of the service; precondition: the form is valid."""
        return {"role": self.cleaned_data["role"]}
