"""`manage.py demo_seed`: accounts and bots for `make demo`; prints how to sign in. What is there already stays."""

import json
import secrets
from pathlib import Path
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.conf import settings
from django.core.management.base import BaseCommand

from accounts.models import User
from accounts.services import users
from bots.services import house

DOMAIN = "demo.bella.invalid"
#: Role -> (address, name). The author is the one of the strongest bot of the demo.
ACCOUNTS = {
    "player": (f"player@{DOMAIN}", "Gina Mazziere"),
    "bot author": (f"medio-ending@{DOMAIN}", "Elsa Finale"),
    "organiser": (f"organiser@{DOMAIN}", "Ugo Tallone"),
    "admin": (f"admin@{DOMAIN}", "Amministratrice"),
}


class Command(BaseCommand):
    """Passwords are drawn at the first run and kept in a file beside the media folder that only its owner can read."""

    help = "Make the accounts and bots of the demo and print how to sign in."

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Make what is missing, then print."""
        # Esperto thinks for a while at each card of its check, so it comes last: the season waits for the others.
        house.create_demo_bots()
        house.create_house_bots()
        passwords = _passwords(Path(settings.MEDIA_ROOT).parent / "demo-accounts.json")
        self.stdout.write("Sign in with:")
        for role, (email, name) in ACCOUNTS.items():
            user = _account(email, name, passwords[role], is_staff=role == "admin")
            self.stdout.write(f"  {role:11} {email:32} {passwords[role]}")
            if user.is_staff:
                codes = RecoveryCodes.activate(user).get_unused_codes()
                self.stdout.write(f"  {'':11} recovery codes for the second step: {' '.join(codes[:4])}")
        self.stdout.write(
            "Look at: / (what is being played), /tournaments/ (standings, rounds), /rankings/ (after two rounds),"
            "\n"
            "  /my/bots/ (upload a bot as the author), /organise/ (as the organiser), /admin/, /api/docs/"
        )


def _account(email: str, name: str, password: str, *, is_staff: bool) -> User:
    user = User.objects.filter(email=email).first()
    if user is None:
        user = users.create(email=email, name=name, password=password, is_confirmed=True, is_staff=is_staff)
    elif not user.check_password(password):
        user.set_password(password)
        user.save(update_fields=["password"])
    if is_staff and not Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP).exists():
        TOTP.activate(user, generate_totp_secret())
    return user


def _passwords(file: Path) -> dict[str, str]:
    known: dict[str, str] = json.loads(file.read_text()) if file.exists() else {}
    wanted = {role: known.get(role) or f"briscola-{secrets.token_urlsafe(6)}" for role in ACCOUNTS}
    if wanted != known:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o600)
        file.write_text(json.dumps(wanted))
    return wanted
