"""The code of a version to read, and what changed since another one."""

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from bots.models import BotVersion
from bots.selectors import sources as selectors
from bots.selectors.permissions import can_run, can_see_source
from bots.services import uploads_store
from bots.views.common import find_version


def find_readable(request: HttpRequest, slug: str, number: int) -> BotVersion:
    """The version at an address, for who may read its code. Raises Http404, PermissionDenied."""
    found = find_version(slug, number)
    if not can_see_source(found, request.user):
        raise PermissionDenied(_("The author keeps this code to himself."))
    return found


def _files(version: BotVersion) -> selectors.Files:
    try:
        return uploads_store.files(version)
    except FileNotFoundError:
        raise Http404 from None


def _crumbs(version: BotVersion, last: str) -> list[tuple[str, str]]:
    bot = version.bot
    return [(bot.player.name, bot.get_absolute_url()), (version.label, version.get_absolute_url()), (last, "")]


@never_cache
@require_safe
def code(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """All files of a version with numbered lines."""
    version = find_readable(request, slug, number)
    context = {
        "version": version,
        "bot": version.bot,
        "files": selectors.lines(_files(version)),
        "others": selectors.readable(version.bot, request.user, but=version),
        "breadcrumb": _crumbs(version, _("Code")),
    }
    return render(request, "bots/code.html", context)


@never_cache
@require_safe
def diff(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """What changed since version `since` (default: the one before)."""
    version = find_readable(request, slug, number)
    others = selectors.readable(version.bot, request.user, but=version)
    wanted = request.GET.get("since", "")
    before = next((one for one in others if str(one.number) == wanted), None)
    if before is None:
        before = next((one for one in others if one.number < version.number), None)
    if before is None:
        raise Http404
    context = {
        "version": version,
        "bot": version.bot,
        "before": before,
        "sees_notes": can_run(version.bot, request.user),
        "others": others,
        "changes": selectors.changes(_files(before), _files(version)),
        "breadcrumb": _crumbs(version, _("Changes")),
    }
    return render(request, "bots/diff.html", context)
