"""People: their bots and leagues."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from games.models import PlayerKind
from league.selectors import players


@require_safe
def player(request: HttpRequest, slug: str) -> HttpResponse:
    """A person; a bot's address leads to the bot."""
    found = players.find(slug)
    if found is None:
        raise Http404
    if found.kind == PlayerKind.BOT:
        return redirect("league:bot", slug)
    context = {
        "page": players.page_of(found, request.user),
        "player": found,
        "is_me": found.user_id is not None and found.user_id == request.user.pk,
        "breadcrumb": [(found.name, "")],
    }
    return render(request, "league/player.html", context)
