"""A league from its organisers' side: what needs a hand, settings, opening and closing it."""

from django.conf import settings as site
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.foundation import DomainError
from league.forms.leagues import LeagueSettingsForm
from league.models import League, LeagueState
from league.permissions import Act, acts_of
from league.selectors import leagues, organise, tournaments
from league.services import leagues as verbs
from league.services import obstacles
from league.services.checks import new_in_league
from league.views.common import for_role, organise_crumbs, person, refuse, status_of
from league.views.deeds import Deed, Offer, Page, carry_out, offers

#: Deeds on a league, by the word in the address.
DEEDS = {
    "open": Deed(
        title=_("Open the league"),
        label=_("Open it"),
        done=_("The league is open."),
        verb=verbs.publish,
        consequences=(_("Members can join and tournaments can start."),),
    ),
    "pause": Deed(
        title=_("Pause the league"),
        label=_("Pause it"),
        done=_("The league is paused."),
        verb=verbs.pause,
        consequences=(_("Nothing new starts; matches that are being played end."), _("It can be opened again.")),
        asks="reason",
    ),
    "archive": Deed(
        title=_("Archive the league"),
        label=_("Archive it for good"),
        done=_("The league is archived."),
        verb=verbs.archive,
        consequences=(
            _("Nobody can join any more and no tournament can start."),
            _("Everything that was played stays readable."),
        ),
        asks="name",
        is_grave=True,
    ),
}
_RENEW = Deed(
    title=_("New invitation"),
    label=_("Draw a new link"),
    done=_("The invitation is new: the link before no longer works."),
    verb=verbs.renew_invitation,
    consequences=(_("Who has the link of before cannot join with it any more. Members stay."),),
)
OFFERED = {LeagueState.DRAFT: ("open",), LeagueState.OPEN: ("pause",), LeagueState.PAUSED: ("open", "archive")}


@login_required
@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """The leagues that I run."""
    context = {
        "leagues": leagues.run_by(person(request)).order_by("name"),
        "section": "organise",
        "breadcrumb": [(gettext("Organise"), "")],
    }
    return render(request, "league/organise.html", context)


@for_role(Act.RULE)
@never_cache
@require_safe
def dashboard(request: HttpRequest, league: League) -> HttpResponse:
    """What needs a hand first, then what waits, then the tournaments."""
    now = timezone.now()
    acts = acts_of(request.user, league)
    join = reverse("league:join", args=[league.slug])
    context = {
        "league": league,
        "acts": acts,
        "anomalies": organise.anomalies(league, now=now),
        "queue": organise.queue(league, now=now),
        "rows": tournaments.rows(tournaments.visible(request.user).filter(league=league).order_by("-pk")[:20]),
        "offers": _offers(league) if Act.MANAGE_LEAGUE in acts else [],
        "no_new": new_in_league(league),
        "invitation": f"{site.BASE_URL}{join}?code={league.invitation_code}",
        "section": "organise",
        "breadcrumb": organise_crumbs(league),
    }
    return render(request, "league/organise_league.html", context)


def _offers(league: League) -> list[Offer]:
    names = OFFERED.get(LeagueState(league.state), ())

    def address(name: str) -> str:
        return reverse("league:organise-league-deed", args=[league.slug, name])

    return offers(DEEDS, names, address, obstacles.of_league(league))


@for_role(Act.MANAGE_LEAGUE)
@never_cache
@require_http_methods(["GET", "POST"])
def settings(request: HttpRequest, league: League) -> HttpResponse:
    """The settings; 409 with both values when somebody else changed them meanwhile."""
    form = LeagueSettingsForm(request.POST or None, league=league)
    status = status_of(form)
    if request.method == "POST" and form.is_valid():
        try:
            form.require_fresh()
            verbs.update(league=league, actor=person(request), **form.order())
            return redirect("league:organise-league", league.slug)
        except DomainError as error:
            status = refuse(form, error, LeagueSettingsForm.FIELDS)
    breadcrumb = organise_crumbs(league, (gettext("Settings"), ""))
    context = {"league": league, "form": form, "section": "organise", "breadcrumb": breadcrumb}
    return render(request, "league/organise_settings.html", context, status=status)


@for_role(Act.MANAGE_LEAGUE)
@require_http_methods(["GET", "POST"])
def deed(request: HttpRequest, league: League, name: str) -> HttpResponse:
    """Open, pause or archive the league."""
    if name not in DEEDS:
        raise Http404
    title = str(DEEDS[name].title)
    page = Page(
        subject=league.name,
        back=reverse("league:organise-league", args=[league.slug]),
        context={"league": league, "breadcrumb": organise_crumbs(league, (title, ""))},
        obstacle=obstacles.of_league(league).get(name),
    )
    return carry_out(request, DEEDS[name], page, league=league, actor=person(request))


@for_role(Act.RUN_ROUNDS)
@require_http_methods(["GET", "POST"])
def invitation(request: HttpRequest, league: League) -> HttpResponse:
    """Draw another invitation."""
    page = Page(
        subject=league.name,
        back=reverse("league:organise-league", args=[league.slug]),
        context={"league": league, "breadcrumb": organise_crumbs(league, (str(_RENEW.title), ""))},
    )
    return carry_out(request, _RENEW, page, league=league, actor=person(request))
