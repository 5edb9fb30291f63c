"""Preferences of a visitor who is not signed in: one cookie each, never believed unchecked."""

from collections.abc import Mapping

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from accounts.services.preferences import CHOICES, Value, time_zones

#: Preference -> its cookie.
COOKIES = {
    "language": settings.LANGUAGE_COOKIE_NAME,
    "theme": "theme",
    "deck": "deck",
    "felt": "felt",
    "time_zone": "time_zone",
}


def preferences_of(request: HttpRequest) -> dict[str, str]:
    """What the cookies say, as far as it exists."""
    found = {name: request.COOKIES.get(cookie, "") for name, cookie in COOKIES.items()}
    return {name: value for name, value in found.items() if value in CHOICES.get(name, ())} | (
        {"time_zone": found["time_zone"]} if found["time_zone"] in time_zones() else {}
    )


def remember(response: HttpResponse, values: Mapping[str, Value]) -> None:
    """Keep preferences in this browser for a year; those that only a script reads, it keeps itself."""
    for name, value in values.items():
        if name not in COOKIES:
            continue
        response.set_cookie(
            COOKIES[name],
            str(value),
            max_age=settings.LANGUAGE_COOKIE_AGE,
            samesite="Lax",
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
        )
