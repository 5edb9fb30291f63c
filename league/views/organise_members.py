"""Members from the organisers' side: requests, suspensions, roles."""

from collections.abc import Collection
from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from games.models import PlayerKind
from league.errors import LeagueError
from league.forms.members import RoleForm
from league.models import League, Membership, MembershipState, Role
from league.permissions import Act, acts_of
from league.selectors import organise
from league.services import leagues, memberships, obstacles
from league.views.common import for_role, organise_crumbs, person
from league.views.deeds import Deed, Offer, Page, carry_out, offers


def _accept(**arguments: Any) -> Membership:
    return memberships.answer(accept=True, **arguments)


def _refuse(**arguments: Any) -> Membership:
    return memberships.answer(accept=False, **arguments)


#: Deeds on a member, by the word in the address.
DEEDS = {
    "accept": Deed(
        title=_("Accept into the league"), label=_("Accept"), done=_("%(name)s is now a member."), verb=_accept
    ),
    "refuse": Deed(title=_("Refuse the request"), label=_("Refuse"), done=_("%(name)s is refused."), verb=_refuse),
    "suspend": Deed(
        title=_("Suspend a member"),
        label=_("Suspend"),
        done=_("%(name)s is suspended."),
        verb=memberships.suspend,
        consequences=(_("No new tournament can be entered until it is lifted."), _("Matches that are on are played.")),
        asks="reason",
        is_grave=True,
    ),
    "reinstate": Deed(
        title=_("Reinstate a member"),
        label=_("Reinstate"),
        done=_("%(name)s is a member again."),
        verb=memberships.reinstate,
        asks="reason",
    ),
    "ban": Deed(
        title=_("Exclude a member"),
        label=_("Exclude"),
        done=_("%(name)s is excluded."),
        verb=memberships.ban,
        consequences=(_("Joining again is not possible until the exclusion is lifted."),),
        asks="reason",
        is_grave=True,
    ),
}
_ROLE = Deed(title=_("Role"), label=_("Save"), done=_("The role of %(name)s is changed."), verb=leagues.appoint)
OFFERED: dict[str, tuple[str, ...]] = {
    MembershipState.REQUESTED: ("accept", "refuse"),
    MembershipState.ACTIVE: ("suspend", "ban"),
    MembershipState.SUSPENDED: ("reinstate", "ban"),
    MembershipState.BANNED: ("reinstate",),
}


@for_role(Act.RUN_ROUNDS)
@never_cache
@require_safe
def members(request: HttpRequest, league: League) -> HttpResponse:
    """Everybody, requests first, with what can be done."""
    acts = acts_of(request.user, league)
    rows = list(organise.memberships(league))
    refusals = obstacles.of_requests(league, rows)
    context = {
        "league": league,
        "acts": acts,
        "rows": [(row, _offers(row, acts, refusals.get(row.player_id)), refusals.get(row.player_id)) for row in rows],
        "section": "organise",
        "breadcrumb": organise_crumbs(league, (gettext("Members"), "")),
    }
    return render(request, "league/organise_members.html", context)


def _offers(row: Membership, acts: Collection[Act], refusal: LeagueError | None) -> list[Offer]:
    """What can be done about a member: against an owner nothing, against an organiser by owners only."""
    names = OFFERED.get(row.state, ())
    if row.state in (MembershipState.ACTIVE, MembershipState.SUSPENDED) and row.role == Role.OWNER:
        names = ()
    if Act.MANAGE_LEAGUE not in acts:
        only_owners = {"ban"} | (
            set(DEEDS) if row.role == Role.ORGANISER or row.state == MembershipState.BANNED else set()
        )
        names = tuple(name for name in names if name not in only_owners)

    def address(name: str) -> str:
        return reverse("league:organise-member-deed", args=[row.league.slug, row.player.slug, name])

    return offers(DEEDS, names, address, {"accept": refusal} if refusal else None)


def _member(league: League, slug: str) -> Membership:
    found = league.memberships.filter(player__slug=slug).select_related("player").first()
    if found is None:
        raise Http404
    return found


def _page(league: League, member: Membership, title: str, form: forms.Form | None = None) -> Page:
    members_url = reverse("league:organise-members", args=[league.slug])
    return Page(
        subject=member.player.name,
        back=members_url,
        context={
            "league": league,
            "breadcrumb": organise_crumbs(league, (gettext("Members"), members_url), (title, "")),
        },
        form=form,
    )


@for_role(Act.RUN_ROUNDS)
@require_http_methods(["GET", "POST"])
def deed(request: HttpRequest, league: League, player: str, name: str) -> HttpResponse:
    """Accept, refuse, suspend, reinstate or exclude a member."""
    if name not in DEEDS:
        raise Http404
    member = _member(league, player)
    page = _page(league, member, str(DEEDS[name].title))
    return carry_out(request, DEEDS[name], page, league=league, player=member.player, actor=person(request))


@for_role(Act.MANAGE_LEAGUE)
@require_http_methods(["GET", "POST"])
def role(request: HttpRequest, league: League, player: str) -> HttpResponse:
    """Give a person another role."""
    member = _member(league, player)
    if member.player.kind != PlayerKind.HUMAN:
        raise Http404
    form = RoleForm(request.POST if request.method == "POST" else None, initial={"role": member.role})
    page = _page(league, member, str(_ROLE.title), form)
    return carry_out(request, _ROLE, page, league=league, member=member, actor=person(request))
