"""Preferences of a visitor who is not signed in: one cookie each, never believed unchecked."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from accounts.services.preferences import CHOICES, time_zones

#: Preference -> its cookie.
COOKIES = {"language": settings.LANGUAGE_COOKIE_NAME, "theme": "theme", "deck": "deck", "time_zone": "time_zone"}


def preferences_of(request: HttpRequest) -> dict[str, str]:
    """What the cookies say, as far as it exists."""
    found = {name: request.COOKIES.get(cookie, "") for name, cookie in COOKIES.items()}
    return {name: value for name, value in found.items() if value in CHOICES.get(name, ())} | (
        {"time_zone": found["time_zone"]} if found["time_zone"] in time_zones() else {}
    )


def remember(response: HttpResponse, values: dict[str, str]) -> None:
    """Keep preferences in this browser for a year."""
    for name, value in values.items():
        response.set_cookie(
            COOKIES[name],
            value,
            max_age=settings.LANGUAGE_COOKIE_AGE,
            samesite="Lax",
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
        )
