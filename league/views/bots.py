"""Bots for everybody: the list, the page of one. What only its owner may is in bots.views."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from bots.selectors.permissions import can_see_code
from league.rating_chart import chart
from league.selectors import bots, leagues, matches
from league.views.common import words
from league.views.lists import keyset_listing


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """The bots that can play, by name; `q` (name of bot or author) and `league` narrow the list."""
    q, slug = words(request), words(request, "league")
    league = leagues.visible(request.user).filter(slug=slug).first() if slug else None
    context = {
        "listing": keyset_listing(request, bots.listed(name=q, league=league), bots.ORDER),
        "q": q,
        "league": league,
        "leagues": matches.leagues_to_choose(request.user),
        "section": "bots",
    }
    return render(request, "league/bots.html", context)


@require_safe
def bot(request: HttpRequest, slug: str) -> HttpResponse:
    """A bot: rating and its history, opponents, latest matches, faults, versions."""
    found = bots.find(slug)
    if found is None:
        raise Http404
    page = bots.page_of(found, request.user)
    context = {
        "page": page,
        "bot": found,
        "chart": chart(page.history, name=found.player.name, labels=page.labels),
        "manages": can_see_code(found, request.user),
        "section": "bots",
        "breadcrumb": [(_("Bots"), reverse("league:bots")), (found.player.name, "")],
    }
    return render(request, "league/bot.html", context)
