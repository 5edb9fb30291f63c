"""Where allauth meets our accounts: a name at sign-up, the preferences of the visitor's cookies, encrypted secrets."""

import base64
import hashlib
from typing import Any
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings
from django.contrib import messages
from django.db import IntegrityError, transaction
from django.forms import BaseForm
from django.http import HttpRequest
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from accounts.cookies import preferences_of
from accounts.models import Language, User
from accounts.services import users


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Sign-up and confirmation as this site has them."""

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Links lead to the site's own address, whatever name and port the request came by."""
        own = {name: _at_home(value) if name.endswith("_url") else value for name, value in context.items()}
        super().send_mail(template_prefix, email, own | {"site_url": f"{settings.BASE_URL}/"})

    def save_user(self, request: HttpRequest, user: User, form: BaseForm, commit: bool = True) -> User:
        """Store the new user with the preferences that the visitor has chosen so far. Raises IntegrityError."""
        super().save_user(request, user, form, commit=False)
        user.email = user.email.strip().lower()
        user.name = form.cleaned_data["name"]
        for name, value in preferences_of(request).items():
            setattr(user, name, value)
        if not user.language and (language := get_language()) in Language.values:
            user.language = str(language)
        if commit:
            with transaction.atomic():
                users.enrol(user=user)
        return user

    def confirm_email(self, request: HttpRequest, email_address: EmailAddress) -> bool:
        """Confirm an address; one that became somebody else's account meanwhile is refused."""
        try:
            with transaction.atomic():
                return bool(super().confirm_email(request, email_address))
        except IntegrityError:
            messages.error(request, _("This address cannot be confirmed: it belongs to another account now."))
            return False


def _at_home(address: str) -> str:
    parts = urlsplit(address)
    return settings.BASE_URL + parts._replace(scheme="", netloc="").geturl()


class MFAAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """Secrets of second factors are kept encrypted, by a key made of SECRET_KEY (and its fallbacks)."""

    def encrypt(self, text: str) -> str:
        """The text as stored."""
        return _box().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """The text again. Raises InvalidToken when SECRET_KEY was changed without a fallback."""
        return _box().decrypt(encrypted_text.encode()).decode()


def _box() -> MultiFernet:
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    digests = (hashlib.sha256(b"bella.mfa|" + key.encode()).digest() for key in keys)
    return MultiFernet([Fernet(base64.urlsafe_b64encode(digest)) for digest in digests])
