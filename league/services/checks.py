"""What is typed into a league or a tournament: refused with a sentence before the database would."""

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from league.errors import LeagueError

LONGEST_ABOUT = 2_000


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
