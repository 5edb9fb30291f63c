"""What `games` refuses."""

from django.utils.translation import gettext_lazy as _

from accounts.foundation import DomainError


class GamesError(DomainError):
    """Base of the app's errors."""


class AnalysisNotYet(GamesError):
    """The analysis of a match whose cards are not all open."""

    def __init__(self) -> None:
        super().__init__(
            "analysis.not_yet",
            _("The analysis comes when the match, or its whole mirrored set, is over: ask again then."),
        )


class BadMatch(GamesError):
    """A match that cannot be made as asked."""

    status = 400


class TableError(GamesError):
    """What cannot be done at a table just now.

    409: the table has moved on (`stale not_your_turn deal_over match_over not_started` ...), the answer shows where it
    stands. 422: what was sent makes no sense. 403: not for this seat or not in this mode.
    """


def stale() -> TableError:
    """Said of a position that is past."""
    return TableError("stale", _("The table has moved on: look at it again."))
