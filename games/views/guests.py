"""The cookie of a guest: made when somebody practises without an account, never by a visit."""

from datetime import timedelta
from typing import Final

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponseBase

from games.models import Player
from games.services import guests

COOKIE: Final = "guest"
_AGE: Final = timedelta(days=30)
_SALT: Final = "games.guest"


def remember(response: HttpResponseBase, key: str) -> None:
    """Give the browser the key of its guest (`guests.create`) for 30 days."""
    response.set_cookie(
        COOKIE,
        signing.dumps(key, salt=_SALT),
        max_age=_AGE,
        httponly=True,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )


def forget(response: HttpResponseBase) -> None:
    """Take the cookie away."""
    response.delete_cookie(COOKIE, samesite="Lax")


def key_of(request: HttpRequest) -> str | None:
    """The key that the browser holds; None without a cookie of ours."""
    try:
        key = signing.loads(request.COOKIES.get(COOKIE, ""), salt=_SALT, max_age=_AGE)
    except signing.BadSignature:
        return None
    return key if isinstance(key, str) else None


def digest_of(request: HttpRequest) -> str | None:
    """What the site keeps of that key (`Player.guest_key`)."""
    key = key_of(request)
    return None if key is None else guests.digest(key)


def guest_of(request: HttpRequest) -> Player | None:
    """The guest of this browser."""
    key = key_of(request)
    return None if key is None else guests.find(key)
