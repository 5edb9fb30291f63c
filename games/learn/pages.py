"""The pages of `/learn/`, in the order in which a beginner reads them."""

from dataclasses import dataclass
from typing import Final

from django.urls import NoReverseMatch, reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True, slots=True)
class Page:
    """A page to learn from: name of its address, title, what it is good for."""

    name: str
    title: Promise
    text: Promise

    @property
    def url(self) -> str:
        """Its address; empty where the site has no such page."""
        try:
            return reverse(self.name)
        except NoReverseMatch:
            return ""


FIRST_GAME: Final = Page(
    "games:first-game",
    _("Your first game"),
    _("Five tricks of a real deal, one idea each, in three minutes. No account needed."),
)
BEGIN: Final = (
    Page("games:rules", _("The rules"), _("Cards, trump, who takes, who wins: on one page.")),
    Page("games:how-to-play", _("How the table works"), _("Taps, keys, clocks, the last trick, resigning, practice.")),
    Page("games:scoring", _("Scoring"), _("What cards are worth, who wins a deal, a match, a league game.")),
)
IMPROVE: Final = (
    Page("games:tips", _("Tips"), _("Six habits of good players, each with a position to solve.")),
    Page("games:pairs", _("In pairs"), _("Four players, a partner, and what partners may tell each other.")),
    Page("games:glossary", _("Words"), _("What players say, and what this site means by it.")),
    Page("games:presets", _("Rules of other tables"), _("Seven ways to play Briscola, each to the letter.")),
)
WRITE: Final = (Page("bots:learn", _("Write your first bot"), _("15 lines of Python, and your bot plays here.")),)

GROUPS: Final[tuple[tuple[Promise, tuple[Page, ...]], ...]] = (
    (_("Begin"), BEGIN),
    (_("Get better"), IMPROVE),
    (_("Let it play"), WRITE),
)
ALL: Final = (FIRST_GAME, *BEGIN, *IMPROVE, *WRITE)


def known(pages: tuple[Page, ...]) -> list[Page]:
    """Those that this site has."""
    return [page for page in pages if page.url]
