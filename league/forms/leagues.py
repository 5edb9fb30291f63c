"""Forms of a league: founding, settings, joining."""

from dataclasses import replace
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from games.engine import Rules, RulesError
from games.models import Visibility
from league.forms.fresh import FreshForm
from league.models import Audience, Joining, League


class DeckRules(forms.Form):
    """The rules that an organiser chooses: all others are the usual ones."""

    redraw = forms.ChoiceField(
        label=_("If a high card is turned up under the stock"),
        choices=[
            ("none", _("it stays")),
            ("A3", _("ace or three: put back, shuffled again")),
            ("A3R", _("ace, three or king: put back, shuffled again")),
        ],
    )
    tie = forms.ChoiceField(
        label=_("At 60 points each"),
        choices=[("draw", _("the deal counts for nobody")), ("last_trick", _("who takes the last trick wins"))],
    )

    #: The rules that the choices are made on top of.
    base = Rules()

    def rules(self) -> str:
        """The code of the rules; precondition: the form is valid."""
        return replace(self.base, redraw=self.cleaned_data["redraw"], tie=self.cleaned_data["tie"]).code

    @staticmethod
    def initial_of(code: str) -> dict[str, str]:
        """What the fields show for rules that exist."""
        try:
            rules = Rules.parse(code)
        except RulesError:
            return {}
        return {"redraw": rules.redraw, "tie": rules.tie}


class LeagueSettings(DeckRules):
    """What an owner may change."""

    #: Where a refusal of the service is shown: code -> field.
    FIELDS = {
        "bad_name": "name",
        "league_name_taken": "name",
        "league_name_empty": "name",
        "league_name_reserved": "name",
        "about_too_long": "about",
        "bad_number": "bots_per_owner",
        "bad_rules": "redraw",
    }

    about = forms.CharField(
        label=_("About"),
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("What the league is for and who is welcome. Shown on its page."),
    )
    audience = forms.ChoiceField(label=_("Who plays"), choices=Audience.choices, initial=Audience.BOTS)
    joining = forms.ChoiceField(label=_("Joining"), choices=Joining.choices, initial=Joining.OPEN)
    visibility = forms.ChoiceField(
        label=_("Visibility"),
        choices=Visibility.choices,
        initial=Visibility.PUBLIC,
        help_text=_("A private league rates its matches in a ranking of its own."),
    )
    bots_per_owner = forms.IntegerField(
        label=_("Bots per owner"),
        min_value=1,
        max_value=5,
        initial=2,
        help_text=_("How many bots one person may have in it, 1 to 5."),
    )
    field_order = ("name", "about", "audience", "joining", "visibility", "bots_per_owner", "redraw", "tie")

    def order(self) -> dict[str, Any]:
        """The arguments of the service; precondition: the form is valid."""
        wanted = ("name", "about", "audience", "joining", "visibility", "bots_per_owner")
        given = {name: self.cleaned_data[name] for name in wanted if name in self.cleaned_data}
        return given | {"rules": self.rules()}


class LeagueForm(LeagueSettings):
    """A new league."""

    name = forms.CharField(
        label=_("Name"), max_length=60, help_text=_("Its address is made of it; it cannot be changed later.")
    )


class LeagueSettingsForm(FreshForm, LeagueSettings):
    """The settings of a league."""

    def __init__(self, data: Any = None, *, league: League) -> None:
        self.league = league
        names = ("about", "audience", "joining", "visibility", "bots_per_owner")
        self.base = Rules.parse(league.rules)
        super().__init__(data, stored={name: getattr(league, name) for name in names} | self.initial_of(league.rules))
