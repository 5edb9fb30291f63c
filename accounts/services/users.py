"""Making users, and what an unconfirmed one may not do."""

from typing import TYPE_CHECKING

from allauth.account.models import EmailAddress
from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts.errors import EmailUnconfirmed
from accounts.events import SignedUp, publish
from accounts.models import User

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser


def create(*, email: str, name: str, password: str | None, is_confirmed: bool = False, is_staff: bool = False) -> User:
    """Make a user and his address; without a password he cannot sign in. `is_staff` gives all rights.

    Raises IntegrityError when the address is taken.
    """
    address = email.strip().lower()
    with transaction.atomic():
        user = User(email=address, name=name, is_staff=is_staff, is_superuser=is_staff)
        user.set_password(password)
        enrol(user=user)
        EmailAddress.objects.create(user=user, email=address, primary=True, verified=is_confirmed)
    return user


def enrol(*, user: User) -> User:
    """Store a user that is not stored yet and tell the apps above; precondition: inside a transaction."""
    user.save()
    publish(SignedUp(user_id=user.pk))
    return user


def is_confirmed(user: "User | AnonymousUser") -> bool:
    """Whether the user has shown that his address is his."""
    return (
        user.is_authenticated
        and EmailAddress.objects.filter(user_id=user.pk, email__iexact=user.email, verified=True).exists()
    )


def require_confirmed(user: "User | AnonymousUser") -> None:
    """Refuse a user whose address is not confirmed. Raises EmailUnconfirmed `email_unconfirmed`."""
    if not is_confirmed(user):
        raise EmailUnconfirmed(
            "email_unconfirmed",
            _("Confirm your e-mail address first: open the link in our mail, or ask for a new one in your settings."),
        )
