"""Test games of a bot: start, watch, cancel."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.foundation import DomainError
from accounts.requests import UserRequest
from bots.forms.managing import TestGameForm
from bots.models import Bot, TestGame, VersionState
from bots.selectors import test_games as selectors
from bots.services import test_games
from bots.views.common import find_bot, manage_page, own, refused

#: Test games on the page.
LATEST = 20


def _find(bot: Bot, game_id: int) -> TestGame:
    found = selectors.of_bot(bot).filter(pk=game_id).first()
    if found is None:
        raise Http404
    return found


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def index(request: UserRequest, slug: str) -> HttpResponse:
    """The latest test games; a POST starts one."""
    bot = find_bot(slug)
    own(bot, request)
    versions = list(bot.versions.filter(state=VersionState.QUALIFIED).select_related("bot__player").defer("report"))
    opponents = selectors.opponents(bot, request.user)
    form = TestGameForm(
        request.POST if request.method == "POST" else None,
        versions=versions,
        opponents=opponents,
        initial={"version": bot.active_version_id},
    )
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                return redirect(test_games.start(actor=request.user, **form.cleaned_data))
            except DomainError as error:
                form.add_error(None, str(error))
                status = error.status
    context = {
        "form": form,
        "versions": versions,
        "pages": selectors.pages(selectors.of_bot(bot)[:LATEST]),
    }
    return render(request, "bots/test_games.html", manage_page(bot, "tests", context), status=status)


@never_cache
@login_required
@require_safe
def game(request: UserRequest, slug: str, game_id: int) -> HttpResponse:
    """One test game. A request of htmx gets the part that changes; 204 while it is as the reader has `seen` it."""
    bot = find_bot(slug)
    own(bot, request)
    (page,) = selectors.pages([_find(bot, game_id)])
    is_part = bool(request.htmx)  # type: ignore[attr-defined]
    if is_part and request.GET.get("seen") == page.seen and not page.is_over:
        return HttpResponse(status=204)
    context = manage_page(bot, "tests", {"page": page, "game": page.game})
    return render(request, "bots/_test_game.html" if is_part else "bots/test_game.html", context)


@login_required
@require_POST
def cancel(request: UserRequest, slug: str, game_id: int) -> HttpResponse:
    """End what is not over."""
    bot = find_bot(slug)
    own(bot, request)
    found = _find(bot, game_id)
    try:
        test_games.cancel(game=found, actor=request.user)
        messages.success(request, _("Cancelled: the matches that were over stay."))
    except DomainError as error:
        refused(request, error)
    return redirect(found)
