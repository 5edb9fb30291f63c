"""How the site is doing."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from league.selectors import status as selectors


@never_cache
@require_safe
def status(request: HttpRequest) -> HttpResponse:
    """What waits, which processes live, what was lost, whether the ledger holds."""
    now = timezone.now()
    roles = {
        "web": _("Pages"),
        "worker": _("Background work"),
        "registrar": _("Reader of the arena's reports"),
        "beat": _("Clock"),
    }
    context = {"status": selectors.status(now=now), "now": now, "roles": roles, "breadcrumb": [(_("Status"), "")]}
    return render(request, "league/status.html", context)
