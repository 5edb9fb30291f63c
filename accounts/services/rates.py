"""How often somebody may do something, counted in the cache by windows of fixed length."""

import time

from django.core.cache import cache
from django.utils.translation import gettext_lazy as _

from accounts.errors import AccountsError


def spend(*, what: str, who: object, limit: int, seconds: int) -> None:
    """Count one time; AccountsError `too_often` (429, with `retry_after` in seconds) above `limit` in the window."""
    now = time.time()
    key = f"rate:{what}:{who}:{int(now // seconds)}"
    cache.add(key, 0, seconds)
    if cache.incr(key) > limit:
        wait = seconds - int(now % seconds)
        raise AccountsError(
            "too_often",
            _("Too many attempts. Try again in %(minutes)d minutes."),
            status=429,
            minutes=-(-wait // 60),
            retry_after=wait,
        )
