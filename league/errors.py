"""What leagues, tournaments and ratings refuse."""

from django.utils.translation import gettext_lazy as _

from accounts.foundation import DomainError


class LeagueError(DomainError):
    """Base of this app's refusals."""


class NotAllowed(LeagueError):
    """The person may not do this here."""

    status = 403


class NotEligible(LeagueError):
    """The player cannot take part; the message says why and what would change it."""


def not_allowed() -> NotAllowed:
    """The one answer to a person without the right."""
    return NotAllowed("not_allowed", _("You are not allowed to do this. Ask an organiser of the league."))


def reason_required() -> LeagueError:
    """A ruling needs its reason."""
    return LeagueError(
        "reason_required", _("Give a reason of 10 to 500 characters: it is shown in the public log."), status=422
    )
