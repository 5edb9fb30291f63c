"""Forms of the settings page."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.models import Deck, Language, Theme, User
from accounts.names import MAX_NAME, clean_name
from accounts.services.preferences import time_zones


class PreferencesForm(forms.Form):
    """Any of the preferences; what is not sent stays as it is."""

    language = forms.ChoiceField(label=_("Language"), choices=Language.choices, required=False)
    theme = forms.ChoiceField(label=_("Theme"), choices=Theme.choices, required=False)
    deck = forms.ChoiceField(label=_("Deck"), choices=Deck.choices, required=False)
    time_zone = forms.ChoiceField(
        label=_("Time zone"), choices=lambda: [(name, name.replace("_", " ")) for name in time_zones()], required=False
    )

    def values(self) -> dict[str, str]:
        """The preferences that were sent; precondition: the form is valid."""
        return {name: value for name, value in self.cleaned_data.items() if value}


class AllPreferencesForm(PreferencesForm):
    """Each of them: on the settings page nothing is left out."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.required = True


class NameForm(forms.ModelForm):
    """The shown name."""

    class Meta:
        model = User
        fields = ("name",)
        widgets = {"name": forms.TextInput(attrs={"autocomplete": "nickname", "maxlength": MAX_NAME})}

    def clean_name(self) -> str:
        """A name that can be shown."""
        return clean_name(self.cleaned_data["name"])
