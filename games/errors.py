"""What `games` refuses."""

from accounts.foundation import DomainError


class GamesError(DomainError):
    """Base of the app's errors."""


class BadMatch(GamesError):
    """A match that cannot be made as asked."""

    status = 400
