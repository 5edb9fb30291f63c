"""The rules of each source as the page of presets shows them."""

from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from games.engine import Rules
from games.engine.presets import CHOICES, PRESETS
from games.rules_texts import Fact, facts

_TITLES: Final[dict[str, tuple[Promise, Promise]]] = {
    "fantacarte": (
        _("The site's rules"),
        _("Best of three; 60 points each count for nobody. Leagues begin with these."),
    ),
    "guida": (
        _("A guide's rules"),
        _("Single deals; who draws the lowest card deals; between two, who has 61 may say so."),
    ),
    "chiara": (_("With signs"), _("No ace or three as the upcard; partners make signs at each other.")),
    "classica": (_("The classic treatise"), _("No ace, three or king as the upcard; who draws the lowest card deals.")),
    "luciano": (_("As on the phone"), _("Single deals; the program tells partners of each other's trumps.")),
    "scoperta": (_("Open Briscola"), _("Every hand lies face up on the table: nothing but thinking.")),
    "briscolone": (_("Briscolone"), _("Two players, five cards each, no trump, to 121 points over several deals.")),
}


@dataclass(frozen=True, slots=True)
class PresetView:
    """A preset: rules code by number of seats, its rules in words for the fewest seats, and what it leaves open."""

    name: str
    title: str
    text: str
    codes: tuple[tuple[str, str], ...]
    facts: tuple[Fact, ...]
    choices: tuple[tuple[str, str], ...]


def presets() -> tuple[PresetView, ...]:
    """Every preset, those of the sources first."""
    return tuple(_view(name, seats) for name, seats in PRESETS.items())


def _view(name: str, seats: tuple[int, ...]) -> PresetView:
    title, text = _TITLES[name]
    return PresetView(
        name=name,
        title=str(title),
        text=str(text),
        codes=tuple(
            (ngettext("%(n)d player", "%(n)d players", n) % {"n": n}, Rules.preset(name, n).code) for n in seats
        ),
        facts=tuple(facts(Rules.preset(name, 4 if 4 in seats else seats[0]).code)),
        choices=tuple((option, " · ".join(values)) for option, values in CHOICES.get(name, {}).items()),
    )
