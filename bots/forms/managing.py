"""What the owner of a bot decides about it."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.names import MAX_NAME
from bots.models import Bot, BotVersion
from bots.services.managing import MAX_ABOUT
from bots.services.test_games import MOST_PAIRS


class SettingsForm(forms.ModelForm):
    """What is said of the bot, who reads its code, who tests against it. The rules are the service's."""

    about = forms.CharField(
        label=_("About"),
        required=False,
        max_length=MAX_ABOUT,
        help_text=_("A sentence for its page."),
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    class Meta:
        model = Bot
        fields = ("about", "is_source_public", "allows_tests")


class MateForm(forms.Form):
    """Whom to ask."""

    name = forms.CharField(label=_("Name of the player"), max_length=MAX_NAME + 20)


class TestGameForm(forms.Form):
    """Which version meets whom, how often."""

    __test__ = False

    version = forms.ModelChoiceField(label=_("Version"), queryset=BotVersion.objects.none(), empty_label=None)
    opponent = forms.ModelChoiceField(label=_("Opponent"), queryset=BotVersion.objects.none(), empty_label=None)
    pairs = forms.IntegerField(
        label=_("Pairs of matches"),
        min_value=1,
        max_value=MOST_PAIRS,
        initial=2,
        help_text=_("Both matches of a pair have the same decks, with the seats exchanged."),
    )

    def __init__(self, *args: Any, versions: Any, opponents: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, found in (("version", versions), ("opponent", opponents)):
            field = self.fields[name]
            assert isinstance(field, forms.ModelChoiceField)
            field.queryset = BotVersion.objects.filter(pk__in=[one.pk for one in found]).select_related("bot__player")
            field.choices = [(one.pk, f"{one.bot.player.name} {one.label}") for one in found]
