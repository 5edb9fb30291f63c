"""API tokens: made once, shown once, kept as a digest."""

from collections.abc import Sequence
from datetime import timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.errors import AccountsError
from accounts.foundation import lock_one
from accounts.models import ApiToken, User

MAX_TOKENS = 20
MAX_DAYS = 365
#: `last_used_at` is written at most that often a token, so that a busy client costs no write a request.
USE_RESOLUTION = timedelta(minutes=1)


def create(*, user: User, name: str, scopes: Sequence[str], days: int) -> tuple[ApiToken, str]:
    """Make a token that ends after `days`; the second value is the token itself, which nobody can read again.

    Raises AccountsError `token.name`, `token.scopes`, `token.days` or `token.too_many`.
    """
    name = name.strip()
    if not name or len(name) > 60 or not name.isprintable():
        raise AccountsError("token.name", _("Give the token a name of at most 60 characters."), status=422)
    if not scopes or not set(scopes) <= set(ApiToken.Scope.values):
        raise AccountsError("token.scopes", _("Choose at least one thing that the token may do."), status=422)
    if not 1 <= days <= MAX_DAYS:
        raise AccountsError("token.days", _("A token is valid for 1 to %(days)d days."), status=422, days=MAX_DAYS)
    with transaction.atomic():
        lock_one(User.objects.filter(pk=user.pk))
        now = timezone.now()
        user.auth_token_set.filter(expiry__lt=now).delete()
        if user.auth_token_set.count() >= MAX_TOKENS:
            raise AccountsError(
                "token.too_many", _("You have %(count)d tokens already: revoke one first."), count=MAX_TOKENS
            )
        ordered = [scope for scope in ApiToken.Scope.values if scope in scopes]
        token, secret = ApiToken.objects.create(user, timedelta(days=days), name=name, scopes=ordered)
    return token, secret


def revoke(*, user: User, key: str) -> bool:
    """End the user's token with this public part (`token_key`) at once; False when there is none (any more)."""
    deleted, _rows = user.auth_token_set.filter(token_key=key).delete()
    return deleted > 0


def used(*, token: ApiToken) -> None:
    """Note that a token was used, at most once a minute."""
    now = timezone.now()
    if token.last_used_at is None or now - token.last_used_at >= USE_RESOLUTION:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
        token.last_used_at = now
