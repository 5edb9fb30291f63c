"""Errors of the app."""

from accounts.foundation import DomainError


class AccountsError(DomainError):
    """A refused action on an account, a token or a notice."""


class EmailUnconfirmed(AccountsError):
    """The user's address is not confirmed yet; code `email_unconfirmed`."""

    status = 403
