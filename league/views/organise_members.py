"""Members from the organisers' side: requests, suspensions, roles."""

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
from league.forms.members import RoleForm
from league.models import League, Membership, MembershipState
from league.permissions import Act, acts_of
from league.selectors import organise
from league.services import leagues, memberships
from league.views.common import for_role, last, person
from league.views.deeds import Deed, Page, carry_out
from league.views.organise import crumbs


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
    allowed = set(DEEDS) - (set() if Act.MANAGE_LEAGUE in acts else {"ban"})
    rows = organise.memberships(league)
    context = {
        "league": league,
        "acts": acts,
        "rows": [
            (row, [(name, DEEDS[name]) for name in OFFERED.get(row.state, ()) if name in allowed]) for row in rows
        ],
        "section": "organise",
        "breadcrumb": last(crumbs(league, (gettext("Members"), ""))),
    }
    return render(request, "league/organise_members.html", context)


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
            "breadcrumb": last(crumbs(league, (gettext("Members"), members_url), (title, ""))),
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
