"""Logs of matches for who runs a bot, and the list of what went wrong."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from bots.models import BotVersion
from bots.selectors import logs as selectors
from bots.selectors import wire_log
from bots.views.common import find_bot, manage_page, own
from games.models import Match
from games.selectors.visibility import can_see_match, can_see_seed

#: Faults on one page of the list.
PAGE = 50


def _match(request: HttpRequest, code: str) -> Match:
    """The match at an address, for who may see it. Raises Http404."""
    found = Match.objects.filter(code=code.upper()).first()
    if found is None or not can_see_match(found, request.user):
        raise Http404
    return found


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 19 else None


@never_cache
@require_safe
def logs(request: HttpRequest, code: str) -> HttpResponse:
    """The log of deal `d`, opened at the question after `c` plays; PermissionDenied for who runs no bot of it."""
    match = _match(request, code)
    seats = selectors.seats_run_by(match, request.user)
    if not seats:
        raise PermissionDenied(_("Logs are shown to who runs the bot."))
    is_open = can_see_seed(match, request.user)
    numbers = selectors.numbers(match) if is_open else []
    wanted = _number(request.GET.get("d"))
    number = wanted if wanted in numbers else (numbers[0] if numbers else None)
    context: dict[str, Any] = {
        "match": match,
        "title": " – ".join(match.seats.order_by("index").values_list("player__name", flat=True)),
        "is_open": is_open,
        "numbers": numbers,
        "page": selectors.deal_page(match, number, seats) if number is not None else None,
        "at": _number(request.GET.get("c")),
        "breadcrumb": [(_("Matches"), "/matches/"), (match.code, match.get_absolute_url()), (_("Log"), "")],
    }
    return render(request, "bots/logs.html", context)


@never_cache
@require_safe
def as_jsonl(request: HttpRequest, code: str) -> HttpResponse:
    """What went over the pipes of the viewer's bots, in order. Raises PermissionDenied, and Http404 before the end."""
    match = _match(request, code)
    seats = selectors.seats_run_by(match, request.user)
    if not seats:
        raise PermissionDenied(_("Logs are shown to who runs the bot."))
    if not can_see_seed(match, request.user):
        raise Http404
    headers = {"Content-Disposition": f'attachment; filename="{match.code}-log.jsonl"'}
    return HttpResponse(wire_log.as_jsonl(match, seats), content_type="application/x-ndjson", headers=headers)


@never_cache
@require_safe
def faults(request: HttpRequest, slug: str) -> HttpResponse:
    """Everything that went wrong with a bot, the newest first; since its last upload unless `v` names a version."""
    bot = find_bot(slug)
    own(bot, request)
    versions = list(bot.versions.defer("report").order_by("-number"))
    wanted = request.GET.get("v", "")
    version: BotVersion | None = next((one for one in versions if str(one.number) == wanted), None)
    if version is None and wanted != "all":
        version = next(iter(versions), None)
    rows = selectors.faults_of(bot.pk, version_id=version.pk if version else None)
    if (before := _number(request.GET.get("before"))) is not None:
        rows = rows.filter(pk__lt=before)
    found = list(rows[: PAGE + 1])
    following = f"?v={version.number if version else 'all'}&before={found[PAGE - 1].pk}" if len(found) > PAGE else ""
    context = {"versions": versions, "version": version, "faults": found[:PAGE], "following": following}
    return render(request, "bots/faults.html", manage_page(bot, "faults", context))
