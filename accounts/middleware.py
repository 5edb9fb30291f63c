"""Times as the viewer's clock shows them."""

import zoneinfo
from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone

from accounts.services.preferences import time_zones

DEFAULT_ZONE = "Europe/Rome"


def local_time(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Show times in the zone of the account, else of the cookie `time_zone`, else of Rome."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if request.user.is_authenticated:
            wanted = request.user.time_zone
        else:
            wanted = request.COOKIES.get("time_zone", DEFAULT_ZONE)
        with timezone.override(zoneinfo.ZoneInfo(wanted if wanted in time_zones() else DEFAULT_ZONE)):
            return get_response(request)

    return middleware
