"""Joining a league and leaving it, as a person or with a bot."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.foundation import DomainError
from games.models import Player
from league.models import League, MembershipState
from league.selectors import leagues
from league.services import memberships
from league.views.common import find_league, last, league_crumbs, person


def _invited_league(request: HttpRequest, slug: str, code: str) -> League:
    """The league, also a private one for who holds its invitation or stands in it. Raises Http404."""
    league = League.objects.filter(slug=slug).first()
    if league is not None and (
        memberships.is_invitation(league, code) or leagues.my_memberships(league, person(request))
    ):
        return league
    return find_league(request, slug)


def my_player(request: HttpRequest, slug: str) -> Player:
    """The player of that address among my own and my bots. Raises Http404."""
    found = next((one for one in leagues.my_players(person(request)) if one.slug == slug), None)
    if found is None:
        raise Http404
    return found


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def join(request: HttpRequest, slug: str) -> HttpResponse:
    """Everybody I could join with, and every reason why not; a POST joins. A GET never does, not even by invitation."""
    code = (request.POST if request.method == "POST" else request.GET).get("code", "")[:60].replace("\x00", "")
    league = _invited_league(request, slug, code)
    if request.method != "POST":
        return _page(request, league, code)
    player = my_player(request, request.POST.get("player", ""))
    try:
        membership = memberships.join(league=league, player=player, actor=person(request), code=code)
    except DomainError as error:
        return _page(request, league, code, error)
    asked = membership.state == MembershipState.REQUESTED
    sentence = _("%(name)s has asked to join: an organiser answers.") if asked else _("%(name)s is now a member.")
    messages.success(request, sentence % {"name": player.name})
    return _back(request, league)


@login_required
@require_POST
def leave(request: HttpRequest, slug: str) -> HttpResponse:
    """Leave with one of my players."""
    league = _invited_league(request, slug, "")
    player = my_player(request, request.POST.get("player", ""))
    try:
        memberships.leave(league=league, player=player, actor=person(request))
    except DomainError as error:
        return _page(request, league, "", error)
    messages.success(request, _("%(name)s has left the league.") % {"name": player.name})
    return _back(request, league)


def _page(request: HttpRequest, league: League, code: str, refusal: DomainError | None = None) -> HttpResponse:
    """My players, how each stands in the league, what each could do and why not."""
    user = person(request)
    players = leagues.my_players(user)
    reasons = memberships.why_not_each(league=league, players=players, code=code)
    standing = {row.player_id: row for row in leagues.my_memberships(league, user)}
    context = {
        "league": league,
        "code": code,
        "choices": [(player, standing.get(player.pk), reasons[player.pk]) for player in players],
        "refusal": refusal,
        "section": "leagues",
        "breadcrumb": last(league_crumbs(league, (_("Join"), ""))),
    }
    return render(request, "league/join.html", context, status=refusal.status if refusal else 200)


def _back(request: HttpRequest, league: League) -> HttpResponse:
    """To the league, or to the list for who may not see it (any more)."""
    can_see = leagues.visible(request.user).filter(pk=league.pk).exists()
    return redirect(league if can_see else "league:leagues")
