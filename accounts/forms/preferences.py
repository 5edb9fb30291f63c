"""Forms of the settings page."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.models import Deck, Felt, Language, Pause, Speed, Theme, TwoTap, User
from accounts.names import MAX_NAME, clean_name
from accounts.services.preferences import MAX_VOLUME, SWITCHES, Value, time_zones

ON_OFF = (("on", _("On")), ("off", _("Off")))


class PreferencesForm(forms.Form):
    """Any of the preferences; what is not sent stays as it is."""

    language = forms.ChoiceField(label=_("Language"), choices=Language.choices, required=False)
    theme = forms.ChoiceField(label=_("Theme"), choices=Theme.choices, required=False)
    deck = forms.ChoiceField(label=_("Deck"), choices=Deck.choices, required=False)
    time_zone = forms.ChoiceField(
        label=_("Time zone"), choices=lambda: [(name, name.replace("_", " ")) for name in time_zones()], required=False
    )

    def values(self) -> dict[str, Value]:
        """The preferences that were sent; precondition: the form is valid."""
        sent = {name: value for name, value in self.cleaned_data.items() if value not in ("", None)}
        return sent | {name: sent[name] == "on" for name in SWITCHES if name in sent}


class SwitchField(forms.ChoiceField):
    """On or off; left out: as it is."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(choices=ON_OFF, required=False, **kwargs)


class TablePreferencesForm(PreferencesForm):
    """With those of the card table."""

    felt = forms.ChoiceField(label=_("Felt"), choices=Felt.choices, required=False)
    speed = forms.ChoiceField(label=_("Speed of the cards"), choices=Speed.choices, required=False)
    pause = forms.ChoiceField(label=_("Pause after a trick"), choices=Pause.choices, required=False)
    two_tap = forms.ChoiceField(label=_("Two taps to play a card"), choices=TwoTap.choices, required=False)
    left_handed = SwitchField(label=_("Left-handed"))
    keys = SwitchField(label=_("Keyboard shortcuts"))
    sounds = SwitchField(label=_("Sounds"))
    sound_cards = SwitchField(label=_("Sound of the cards"))
    sound_turn = SwitchField(label=_("Sound of your turn"))
    sound_result = SwitchField(label=_("Sound of the result"))
    volume = forms.IntegerField(label=_("Volume"), min_value=0, max_value=MAX_VOLUME, required=False)


class AllPreferencesForm(PreferencesForm):
    """Each of them: on the settings page nothing is left out."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.required = True


class AllTablePreferencesForm(TablePreferencesForm):
    """Those of the table alone, each of them."""

    language = theme = deck = time_zone = None  # type: ignore[assignment]  # how Django takes a field out

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
