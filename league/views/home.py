"""The home page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from league.selectors import home as selectors
from league.selectors import play
from league.views.common import person
from league.views.play import me


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """What is being played, what can be entered, who leads; for a signed-in person his bots and tournaments first.

    Games that wait for the one who looks come before everything else, a guest's too.
    """
    figures, boards, player = selectors.figures(), selectors.boards(request.user), me(request)
    context = {
        "live": boards.live,
        "open": boards.open,
        "results": boards.results,
        "latest": selectors.latest_matches(),
        "top": selectors.top(),
        "figures": [
            (_("bots that play"), figures.bots),
            (_("tournaments over"), figures.tournaments),
            (_("matches played"), figures.matches),
        ],
        "tables": play.people_now(),
        "running": play.running(player),
        "challenges": play.challenges(player) if player is not None and player.user_id is not None else (),
        "mine": selectors.mine(person(request)) if request.user.is_authenticated else None,
        "section": "home",
    }
    return render(request, "league/home.html", context)


@require_safe
def now(request: HttpRequest) -> HttpResponse:
    """The part of the home page that changes by itself."""
    context = {"live": selectors.live(request.user), "latest": selectors.latest_matches()}
    context["tables"] = play.people_now()
    return render(request, "league/_home_now.html", context)
