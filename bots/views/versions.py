"""A version: its checks while they are made, its games, its source, whether it plays."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.foundation import DomainError
from accounts.requests import UserRequest
from accounts.templatetags.viewer import viewer
from bots.models import BotVersion, QualifyGame
from bots.selectors import versions as selectors
from bots.selectors.logs import think_times
from bots.selectors.permissions import can_see_code, can_see_source
from bots.services import activation, qualifying, uploads_store
from bots.views.common import find_version, own, refused
from bots.views.sources import find_readable
from games.selectors.replay import replay_view


def _context(version: BotVersion, user: Any, *, sees_code: bool) -> dict[str, Any]:
    is_undecided = selectors.is_undecided(version)
    return {
        "version": version,
        "bot": version.bot,
        "sees_code": sees_code,
        "reads_source": can_see_source(version, user),
        "has_before": version.number > 1,
        "is_active": version.bot.active_version_id == version.pk,
        "checks": selectors.checks(version) if sees_code else (),
        "summary": selectors.summary(version),
        "times": think_times(version) if sees_code and not is_undecided else None,
        "is_undecided": is_undecided,
        "is_lost": sees_code and selectors.waits_after_losses(version),
        "seen": f"{version.state}-{len(version.report)}",
        "games": selectors.games(version) if sees_code and not is_undecided else (),
    }


@never_cache
@require_safe
def version(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """The verdict: for the owner with every check, for others state and results."""
    found = find_version(slug, number)
    sees_code = can_see_code(found.bot, request.user)
    context = _context(found, request.user, sees_code=sees_code)
    context["breadcrumb"] = [
        (_("Bots"), "/bots/"),
        (found.bot.player.name, reverse("bots:manage", args=[slug]) if sees_code else found.bot.get_absolute_url()),
        (found.label, ""),
    ]
    return render(request, "bots/version.html", context)


@never_cache
@require_safe
def checks(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """The part of the page that changes while a version is checked; 204 while it is as the reader has `seen` it."""
    found = find_version(slug, number)
    own(found.bot, request)
    context = _context(found, request.user, sees_code=True)
    if request.GET.get("seen") == context["seen"] and context["is_undecided"]:
        return HttpResponse(status=204)
    return render(request, "bots/_verdict.html", context)


@require_safe
def source(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """The code as it was uploaded: the file itself, or a zip of all."""
    found = find_readable(request, slug, number)
    try:
        name, kind, data = uploads_store.source(found)
    except FileNotFoundError:
        raise Http404 from None
    return HttpResponse(data, content_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


@require_safe
def game(request: HttpRequest, slug: str, number: int, game_id: int) -> HttpResponse:
    """The replay of one deal of the check."""
    found = find_version(slug, number)
    own(found.bot, request)
    row = QualifyGame.objects.filter(pk=game_id, run__version=found).select_related("run__version__bot__player").first()
    if row is None:
        raise Http404
    data = selectors.replay_data(row)
    ply = request.GET.get("c", "")
    deck = viewer({"request": request}).deck
    context = {
        "replay_data": data,
        "replay": replay_view(
            data, deck=deck, ply=int(ply) if ply.isascii() and ply.isdigit() and len(ply) < 4 else None
        ),
        "match_title": f"{data['seats'][0]['name']} – {data['seats'][1]['name']}",
        "match_subtitle": _("Check of %(version)s, deal %(number)d") % {"version": found.label, "number": row.number},
        "breadcrumb": [
            (found.bot.player.name, reverse("bots:manage", args=[slug])),
            (found.label, found.get_absolute_url()),
        ],
    }
    return render(request, "bots/game.html", context)


def _act(request: HttpRequest, slug: str, number: int, verb: Any, done: str) -> HttpResponse:
    """Do something with a version and go back to it, with what became of it."""
    found = find_version(slug, number)
    own(found.bot, request)
    try:
        verb(found)
        messages.success(request, done % {"version": found.label})
    except DomainError as error:
        refused(request, error)
    return redirect(found)


@login_required
@require_POST
def activate(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Let it play from now on."""
    done = _("%(version)s plays from now on. Matches that were made before keep their version.")
    return _act(request, slug, number, lambda found: activation.activate(version=found, actor=request.user), done)


@login_required
@require_POST
def retire(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Take it out for good; the label must be typed, as nothing brings it back."""
    if request.POST.get("confirm", "").strip().casefold() != f"v{number}":
        messages.error(request, _("Nothing was done: type %(version)s to retire it.") % {"version": f"v{number}"})
        return redirect("bots:version", slug, number)
    done = _("%(version)s is retired.")
    return _act(request, slug, number, lambda found: activation.retire(version=found, actor=request.user), done)


@login_required
@require_POST
def check(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Have it checked (again)."""
    done = _("%(version)s is on its way to be checked.")
    return _act(request, slug, number, lambda found: qualifying.start(version=found), done)
