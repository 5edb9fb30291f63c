"""The second factor, switched on by the site's operator for an account that he makes."""

from dataclasses import dataclass

from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.db import transaction

from accounts.models import User


@dataclass(frozen=True, slots=True)
class SecondFactor:
    """What the person needs for signing in: the secret of the authenticator app, and codes that work once each."""

    totp_secret: str
    recovery_codes: tuple[str, ...]


def switch_on(*, user: User) -> SecondFactor:
    """Give the user an authenticator and recovery codes; the answer is the only time that they can be read."""
    with transaction.atomic():
        Authenticator.objects.filter(user=user).delete()
        secret = generate_totp_secret()
        TOTP.activate(user, secret)
        codes = RecoveryCodes.activate(user).get_unused_codes()
    return SecondFactor(secret, tuple(codes))
