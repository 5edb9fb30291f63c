"""Setting a tournament up: prepare it, change it while that is possible, see its schedule before it is drawn."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.foundation import DomainError
from accounts.services.users import is_confirmed
from league.forms.tournaments import TournamentForm, TournamentSettingsForm
from league.models import League
from league.permissions import Act
from league.services import tournaments as verbs
from league.services.checks import new_in_league
from league.services.setting_up import no_change
from league.views.common import (
    find_own_tournament,
    for_role,
    organise_crumbs,
    organise_tournament_crumbs,
    person,
    refuse,
    status_of,
)


@for_role(Act.MANAGE_TOURNAMENTS)
@require_http_methods(["GET", "POST"])
def new(request: HttpRequest, league: League) -> HttpResponse:
    """Prepare a tournament; it stays a draft until its registration is opened."""
    form = TournamentForm(request.POST or None, initial=TournamentForm.initial_of(league.rules))
    status = status_of(form)
    if request.method == "POST" and form.is_valid():
        try:
            made = verbs.create(league=league, actor=person(request), **form.order())
            return redirect("league:organise-tournament", league.slug, made.code)
        except DomainError as error:
            status = refuse(form, error, TournamentForm.FIELDS)
    context = {
        "league": league,
        "form": form,
        "is_confirmed": is_confirmed(request.user),
        "refusal": new_in_league(league),
        "section": "organise",
        "breadcrumb": organise_crumbs(league, (gettext("New tournament"), "")),
    }
    return render(request, "league/organise_tournament_new.html", context, status=status)


@for_role(Act.MANAGE_TOURNAMENTS)
@never_cache
@require_http_methods(["GET", "POST"])
def settings(request: HttpRequest, league: League, code: str) -> HttpResponse:
    """Change a tournament: all of it in draft, what its registration has not fixed until that is closed."""
    found = find_own_tournament(league, code)
    form = TournamentSettingsForm(request.POST or None, tournament=found, stage=found.stages.get())
    status = status_of(form)
    if request.method == "POST" and form.is_valid():
        try:
            form.require_fresh()
            verbs.update(tournament=found, actor=person(request), **form.order())
            return redirect("league:organise-tournament", league.slug, found.code)
        except DomainError as error:
            status = refuse(form, error, TournamentForm.FIELDS)
    context = {
        "league": league,
        "tournament": found,
        "form": form,
        "refusal": no_change(found),
        "section": "organise",
        "breadcrumb": organise_tournament_crumbs(found, (gettext("Settings"), "")),
    }
    return render(request, "league/organise_tournament_settings.html", context, status=status)


@for_role(Act.RULE)
@never_cache
@require_safe
def preview(request: HttpRequest, league: League, code: str) -> HttpResponse:
    """The schedule as it would be if the registration closed now; nothing is written."""
    found = find_own_tournament(league, code)
    schedule = refusal = None
    try:
        schedule = verbs.preview(tournament=found)
    except DomainError as error:
        refusal = error
    context = {
        "league": league,
        "tournament": found,
        "schedule": schedule,
        "names": {number: entry.name for number, entry in enumerate(schedule.entries, start=1)} if schedule else {},
        "refusal": refusal,
        "section": "organise",
        "breadcrumb": organise_tournament_crumbs(found, (gettext("Preview"), "")),
    }
    return render(request, "league/organise_preview.html", context, status=refusal.status if refusal else 200)
