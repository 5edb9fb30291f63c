"""What every page may show of the viewer's account."""

from functools import cache, partial
from typing import Any

from django.http import HttpRequest

from accounts.selectors import notices


def inbox(request: HttpRequest) -> dict[str, Any]:
    """`unread_notices`: asked of the database when a template shows it, once a page. 0 for visitors."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {"unread_notices": 0}
    return {"unread_notices": cache(partial(notices.unread_count, user))}
