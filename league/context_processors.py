"""What every page of the league's site knows besides."""

from collections.abc import Callable
from functools import cache, partial

from django.http import HttpRequest

from games.models import Match
from games.views import guests


def guest_games(request: HttpRequest) -> dict[str, Callable[[], int] | int]:
    """How many games this browser's guest has that the user who is signed in was not asked about; asked only then."""
    key = guests.digest_of(request) if guests.COOKIE in request.COOKIES and request.user.is_authenticated else None
    if key is None:
        return {"guest_games": 0}
    return {"guest_games": cache(partial(_count, key))}


def _count(key: str) -> int:
    return Match.objects.filter(seats__player__guest_key=key).count()
