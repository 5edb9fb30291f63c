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
