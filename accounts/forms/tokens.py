"""The form for a new API token."""

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.models import ApiToken

LIFETIMES = [(30, _("30 days")), (90, _("90 days")), (365, _("One year"))]


class TokenForm(forms.Form):
    """Name, scopes, lifetime."""

    name = forms.CharField(label=_("Name"), max_length=60, help_text=_("What will use it, for instance “laptop”."))
    scopes = forms.MultipleChoiceField(
        label=_("What it may do"),
        choices=ApiToken.Scope.choices,
        widget=forms.CheckboxSelectMultiple,
        initial=[ApiToken.Scope.READ, ApiToken.Scope.UPLOAD],
    )
    days = forms.TypedChoiceField(label=_("Valid for"), choices=LIFETIMES, coerce=int, initial=90)
