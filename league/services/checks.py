"""What is typed into a league or a tournament: refused with a sentence before the database would.

What stands in the way of an act: asked by the act itself and by the page that offers it.
"""

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from league.errors import LeagueError
from league.models import League, LeagueState, Tournament

LONGEST_ABOUT = 2_000
#: Entries of a round robin (tournaments: formats).
FEWEST, MOST = 3, 64


def checked_name(name: str, *, longest: int) -> str:
    """The name with single spaces; LeagueError `bad_name` when nothing is left or it is too long."""
    name = " ".join(name.split())
    if not 1 <= len(name) <= longest:
        raise LeagueError("bad_name", _("Give a name of 1 to %(most)s characters."), status=422, most=longest)
    return name


def checked_about(about: str) -> str:
    """The description, trimmed; LeagueError `about_too_long`."""
    about = about.strip()
    if len(about) > LONGEST_ABOUT:
        raise LeagueError(
            "about_too_long", _("The description can have %(most)s characters."), status=422, most=LONGEST_ABOUT
        )
    return about


def checked_choice(value: str, choices: type[TextChoices]) -> str:
    """One of the choices; LeagueError `bad_choice` names them."""
    if value not in choices.values:
        raise LeagueError(
            "bad_choice",
            _("“%(value)s” is no choice here. Choose one of: %(choices)s."),
            status=422,
            value=value,
            choices=", ".join(choices.values),
        )
    return value


def checked_number(value: int, *, least: int, most: int) -> int:
    """A number within bounds; LeagueError `bad_number` names them."""
    if not least <= value <= most:
        raise LeagueError(
            "bad_number",
            _("%(value)s is not possible here. Choose a number from %(least)s to %(most)s."),
            status=422,
            value=value,
            least=least,
            most=most,
        )
    return value


def nothing_starts(league: League) -> LeagueError | None:
    """Why nothing of the league's tournaments can start or go on; None while it is open."""
    if league.state == LeagueState.OPEN:
        return None
    return LeagueError("league_not_open", _("The league is not open: nothing starts in it. Open it first."))


def new_in_league(league: League) -> LeagueError | None:
    """Why no tournament can be prepared in the league; None when it can."""
    if league.state in (LeagueState.OPEN, LeagueState.DRAFT):
        return None
    return LeagueError("league_not_open", _("The league is paused or archived: nothing new can start in it."))


def too_few(tournament: Tournament, playing: int) -> LeagueError | None:
    """Why a registration cannot be closed with so many who can play; None when it can."""
    if playing >= tournament.min_entries:
        return None
    fewer = tournament.min_entries > FEWEST
    return LeagueError(
        "too_few_entries",
        ngettext_lazy(
            "There is %(now)s entry that can play; at least %(least)s are needed. %(advice)s",
            "There are %(now)s entries that can play; at least %(least)s are needed. %(advice)s",
            playing,
        ),
        now=playing,
        least=tournament.min_entries,
        advice=_("Wait for more, ask for fewer in the settings, or cancel the tournament.")
        if fewer
        else _("Wait for more, or cancel the tournament."),
    )
