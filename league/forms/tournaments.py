"""Forms of an organiser: a new tournament, reasons, the name typed before something that cannot be undone."""

from dataclasses import asdict, replace
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from games.engine import Rules
from league.forms.fresh import FreshForm
from league.forms.leagues import DeckRules
from league.models import EncounterScoring, Stage, Tournament, TournamentState
from league.services.audit import LONGEST_REASON
from league.services.checks import FEWEST, MOST
from league.services.setting_up import LONGEST_ENCOUNTER, RoundRobinSettings, settings_of


class TournamentForm(DeckRules):
    """A round robin."""

    #: Where a refusal of the service is shown: code -> field.
    FIELDS = {
        "bad_name": "name",
        "about_too_long": "about",
        "bad_encounter": "encounter",
        "odd_encounter": "encounter",
        "bad_best_of": "best_of",
        "size_limit": "min_entries",
        "bad_number": "release_every_s",
        "bad_rules": "redraw",
        "places_taken": "capacity",
    }

    name = forms.CharField(label=_("Name"), max_length=80)
    about = forms.CharField(label=_("About"), required=False, max_length=2000, widget=forms.Textarea(attrs={"rows": 3}))
    double = forms.TypedChoiceField(
        label=_("Format"),
        choices=[("no", _("Round robin: everybody meets everybody once")), ("yes", _("Double: everybody twice"))],
        coerce=lambda value: value == "yes",
        widget=forms.RadioSelect,
        initial="no",
    )
    encounter = forms.IntegerField(
        label=_("Matches per pairing"),
        min_value=1,
        max_value=LONGEST_ENCOUNTER,
        initial=10,
        help_text=_("1 to 200; an even number when they are mirrored. More matches, less luck."),
    )
    mirrored = forms.BooleanField(
        label=_("Mirrored"),
        required=False,
        initial=True,
        help_text=_("Matches in pairs: same decks, seats exchanged. It takes most of the luck away."),
    )
    best_of = forms.TypedChoiceField(
        label=_("Deals per match"),
        choices=[
            (3, _("Best of 3: first to win 2 deals")),
            (1, _("Best of 1: a single deal")),
            (5, _("Best of 5: first to win 3 deals")),
            (7, _("Best of 7: first to win 4 deals")),
        ],
        coerce=int,
        initial=3,
    )
    encounter_scoring = forms.ChoiceField(label=_("Points"), choices=EncounterScoring.choices, initial="outcome")
    rated = forms.BooleanField(
        label=_("Counts for Elo"), required=False, initial=True, help_text=_("Single deals never count for Elo.")
    )
    control = forms.ChoiceField(
        label=_("Rounds are released"),
        choices=[("automatic", _("automatically")), ("hand", _("by hand, by an organiser"))],
        initial=Tournament.Control.AUTOMATIC,
    )
    release_every_s = forms.IntegerField(
        label=_("Seconds between rounds"),
        min_value=0,
        max_value=7 * 24 * 3600,
        initial=0,
        help_text=_("For automatic release. 0: all rounds at the start."),
    )
    capacity = forms.IntegerField(
        label=_("Places"),
        required=False,
        min_value=FEWEST,
        max_value=MOST,
        help_text=_("Empty: 64. Who comes later is on the waiting list."),
    )
    min_entries = forms.IntegerField(label=_("Least entries"), min_value=FEWEST, max_value=MOST, initial=FEWEST)
    field_order = (
        "name", "about", "double", "encounter", "mirrored", "best_of", "encounter_scoring", "rated", "control",
        "release_every_s", "capacity", "min_entries", "redraw", "tie",
    )  # fmt: skip

    def order(self) -> dict[str, Any]:
        """The arguments of the service; precondition: the form is valid."""
        wanted = ("name", "about", "rated", "control", "release_every_s", "capacity", "min_entries")
        stage = ("double", "encounter", "mirrored", "best_of", "encounter_scoring")
        data = self.cleaned_data
        return {
            **{name: data[name] for name in wanted},
            "rules": self.rules(),
            "settings": RoundRobinSettings(**{name: data[name] for name in stage}),
        }


class TournamentSettingsForm(FreshForm, TournamentForm):
    """A tournament that is set up; what its registration has fixed is shown and cannot be changed."""

    #: Fields of what is fixed when the registration opens (`setting_up.FIXED_AT_REGISTRATION`).
    FIXED = ("double", "encounter", "mirrored", "best_of", "encounter_scoring", "rated", "redraw", "tie")

    def __init__(self, data: Any = None, *, tournament: Tournament, stage: Stage) -> None:
        # Mirrored matches change who deals after a draw: what the league plays by is the way back.
        self.base = replace(Rules.parse(tournament.rules), tie_dealer=Rules.parse(tournament.league.rules).tie_dealer)
        own = ("name", "about", "rated", "control", "release_every_s", "capacity", "min_entries")
        stored = {name: getattr(tournament, name) for name in own} | asdict(settings_of(stage))
        super().__init__(data, stored=stored | self.initial_of(tournament.rules))
        self.initial["double"] = "yes" if stored["double"] else "no"
        if tournament.state != TournamentState.DRAFT:
            for name in self.FIXED:
                self.fields[name].disabled = True

    def clean_double(self) -> bool:
        """A disabled choice comes back as the form shows it."""
        return self.cleaned_data["double"] in (True, "yes")


class ReasonForm(forms.Form):
    """Why; the service says how long it must be."""

    #: Where a refusal of the service is shown: code -> field.
    FIELDS = {"reason_required": "reason"}

    reason = forms.CharField(
        label=_("Reason"),
        max_length=4 * LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("10 to 500 characters. Everybody can read it in the public log."),
    )

    def order(self) -> dict[str, Any]:
        """The arguments of the service; precondition: the form is valid."""
        return {"reason": self.cleaned_data["reason"]}


class NamedReasonForm(ReasonForm):
    """A reason, and the name of what ends for good."""

    typed = forms.CharField(label=_("Name"), max_length=200, widget=forms.TextInput(attrs={"autocomplete": "off"}))

    def __init__(self, *args: Any, name: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.name = name
        self.fields["typed"].help_text = _("This cannot be undone. Type the name as it stands above to go on.")

    def clean_typed(self) -> str:
        """The name exactly, but for spaces around it."""
        typed = str(self.cleaned_data["typed"])
        if " ".join(typed.split()) != self.name:
            raise forms.ValidationError(_("This is not the name. Type it as it stands above."), code="other_name")
        return typed
