"""The home page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from league.selectors import home as selectors
from league.views.common import person


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """What is being played, what can be entered, who leads; for a signed-in person his bots and tournaments first."""
    figures, boards = selectors.figures(), selectors.boards(request.user)
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
        "mine": selectors.mine(person(request)) if request.user.is_authenticated else None,
        "section": "home",
    }
    return render(request, "league/home.html", context)


@require_safe
def now(request: HttpRequest) -> HttpResponse:
    """The part of the home page that changes by itself."""
    context = {"live": selectors.live(request.user), "latest": selectors.latest_matches()}
    return render(request, "league/_home_now.html", context)
