"""Leagues: the list, founding one, the pages of one."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.http import require_http_methods, require_safe

from accounts.foundation import DomainError
from accounts.services.users import is_confirmed
from games.rules_texts import facts
from league.audit_texts import act
from league.forms.leagues import LeagueForm
from league.models import Audience, League, LeagueState
from league.permissions import acts_of
from league.selectors import audit, leagues, tournaments
from league.services import leagues as verbs
from league.views.common import choice as chosen
from league.views.common import find_league, last, league_crumbs, listing, person, refuse, status_of, words


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """The leagues that may be seen; `q`, `audience` and `mine` narrow the list."""
    rows = leagues.listed(request.user).exclude(state=LeagueState.ARCHIVED)
    q, audience = words(request), chosen(request, "audience", Audience.values)
    if q:
        rows = rows.filter(name__icontains=q)
    if audience:
        rows = rows.filter(audience=audience)
    context = {
        "listing": listing(request, rows),
        "q": q,
        "audience": audience,
        "audiences": Audience.choices,
        "section": "leagues",
    }
    return render(request, "league/leagues.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """Found a league; it stays a draft until its owner opens it."""
    form = LeagueForm(request.POST or None)
    status = status_of(form)
    if request.method == "POST" and form.is_valid():
        try:
            league = verbs.create(owner=person(request), **form.order())
            return redirect("league:organise-league", league.slug)
        except DomainError as error:
            status = refuse(form, error, LeagueForm.FIELDS)
    context = {
        "form": form,
        "is_confirmed": is_confirmed(request.user),
        "section": "leagues",
        "breadcrumb": [(_("Leagues"), reverse("league:leagues")), (_("New league"), "")],
    }
    return render(request, "league/league_new.html", context, status=status)


def _page(request: HttpRequest, league: League, tab: str, template: str, context: dict[str, Any]) -> HttpResponse:
    """A page of a league with its tabs; `tab` is the name of the address without `league-`."""
    names = [
        ("league", _("Overview")),
        ("league-tournaments", _("Tournaments")),
        ("league-members", _("Members")),
        ("league-log", pgettext("public log of acts", "Log")),
    ]
    crumbs = league_crumbs(league, *((label, "") for name, label in names if name == tab and name != "league"))
    context |= {
        "league": league,
        "acts": acts_of(request.user, league),
        "mine": leagues.my_memberships(league, person(request)) if request.user.is_authenticated else (),
        "tabs": [
            {
                "url": reverse(f"league:{name}", args=[league.slug]),
                "label": label,
                "current": name == tab,
                "count": None,
            }
            for name, label in names
        ],
        "section": "leagues",
        "breadcrumb": last(crumbs),
    }
    return render(request, template, context)


@require_safe
def league(request: HttpRequest, slug: str) -> HttpResponse:
    """What the league is, what is on in it, how one joins."""
    found = find_league(request, slug)
    shown = tournaments.visible(request.user).filter(league=found).order_by("-pk")
    context = {
        "facts": facts(found.rules),
        "rows": tournaments.rows(shown[:4]),
        "organisers": [row for row in leagues.members(found).exclude(role="member") if row.player.user_id],
        "player_count": found.memberships.filter(state="active", player__kind="bot").count(),
    }
    return _page(request, found, "league", "league/league.html", context)


@require_safe
def members(request: HttpRequest, slug: str) -> HttpResponse:
    """Everybody in the league: people with a role, bots with their authors."""
    found = find_league(request, slug)
    return _page(request, found, "league-members", "league/league_members.html", {"members": leagues.members(found)})


@require_safe
def league_tournaments(request: HttpRequest, slug: str) -> HttpResponse:
    """All tournaments of the league, newest first."""
    found = find_league(request, slug)
    rows = listing(request, tournaments.visible(request.user).filter(league=found))
    context = {"listing": rows, "rows": tournaments.rows(rows.items)}
    return _page(request, found, "league-tournaments", "league/league_tournaments.html", context)


@require_safe
def log(request: HttpRequest, slug: str) -> HttpResponse:
    """The public log of the league and its tournaments."""
    found = find_league(request, slug)
    acts = listing(request, audit.of_league(found)).mapped(act)
    return _page(request, found, "league-log", "league/league_log.html", {"listing": acts, "with_where": True})
