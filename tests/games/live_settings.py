"""The site under test with its live updates in a hurry, a small pool, and a middleware that queries after the view."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

from config.settings.test import *  # noqa: F403

LIVE_HEARTBEAT_S = 0.5
LIVE_RECHECK_S = 1.0
LIVE_DEAD_S = 2.0
LIVE_AWAY_S = 1.5
LIVE_AFTER_END_S = 2.0
LIVE_STREAMS_AN_ADDRESS = 60
LIVE_QUEUE = 40

DATABASES["default"]["OPTIONS"]["pool"] |= {"max_size": 2, "timeout": 3}  # noqa: F405
MIDDLEWARE = ["tests.games.live_settings.asks_after_the_view", *MIDDLEWARE]  # noqa: F405


def asks_after_the_view(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """What any middleware may do: it takes a connection again, after the view has given its own back."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        from django.db import connection

        response = get_response(request)
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        return response

    return middleware
