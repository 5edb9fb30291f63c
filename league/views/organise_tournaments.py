"""Tournaments from the organisers' side: set up, preview, run."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.foundation import DomainError
from accounts.services.users import is_confirmed
from league.forms.tournaments import TournamentForm
from league.models import Entry, League, RoundState, Tournament, TournamentState
from league.permissions import Act, acts_of
from league.rules_texts import facts, format_facts
from league.selectors import fixtures, tournaments
from league.services import entries, rounds
from league.services import tournaments as verbs
from league.views.common import Crumbs, for_role, last, person, refuse, status_of
from league.views.deeds import Deed, Page, carry_out
from league.views.organise import crumbs

#: Deeds on a tournament, by the word in the address.
DEEDS = {
    "open": Deed(
        title=_("Open the registration"),
        label=_("Open the registration"),
        done=_("The registration is open."),
        verb=verbs.open_registration,
        consequences=(
            _("Rules and format are fixed from now on."),
            _("The commitments of both seeds are published: nobody can choose cards or pairings afterwards."),
        ),
    ),
    "close": Deed(
        title=_("Close the registration"),
        label=_("Close the registration"),
        done=_("The registration is closed and the starting numbers are drawn."),
        verb=verbs.close_registration,
        consequences=(_("Entries and the versions of the bots are fixed."), _("Starting numbers are drawn.")),
    ),
    "start": Deed(
        title=_("Start the tournament"),
        label=_("Start"),
        done=_("The tournament is running."),
        verb=verbs.start,
        consequences=(_("All rounds are drawn. Under automatic release the first matches are played at once."),),
    ),
    "pause": Deed(
        title=_("Pause the tournament"),
        label=_("Pause"),
        done=_("The tournament is paused."),
        verb=verbs.pause,
        consequences=(_("Matches that wait are held; those in play stop after the deal they are at."),),
        asks="reason",
    ),
    "resume": Deed(
        title=_("Resume the tournament"),
        label=_("Resume"),
        done=_("The tournament goes on."),
        verb=verbs.resume,
        consequences=(_("Matches that were held are played."),),
    ),
    "cancel": Deed(
        title=_("Cancel the tournament"),
        label=_("Cancel it for good"),
        done=_("The tournament is cancelled."),
        verb=verbs.cancel,
        consequences=(
            _("It ends without a result. Matches that are not over become void."),
            _("Matches that are over stay readable and keep their effect on the ratings."),
        ),
        asks="name",
        is_grave=True,
    ),
}
OFFERED: dict[str, tuple[str, ...]] = {
    TournamentState.DRAFT: ("open", "cancel"),
    TournamentState.REGISTRATION: ("close", "cancel"),
    TournamentState.READY: ("start", "cancel"),
    TournamentState.RUNNING: ("pause", "cancel"),
    TournamentState.SUSPENDED: ("resume", "cancel"),
}
_RELEASE = Deed(
    title=_("Release a round"),
    label=_("Release"),
    done=_("The round is released: its matches are played."),
    verb=rounds.release,
    consequences=(_("Its pairings are public already; its matches are made and played."),),
)
_REFUSE = Deed(
    title=_("Take an entry out"),
    label=_("Take it out"),
    done=_("%(name)s is taken out of the tournament."),
    verb=entries.refuse,
    consequences=(_("The place is free for the first of the waiting list."),),
    asks="reason",
    is_grave=True,
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
        "section": "organise",
        "breadcrumb": last(crumbs(league, (gettext("New tournament"), ""))),
    }
    return render(request, "league/organise_tournament_new.html", context, status=status)


def _find(league: League, code: str) -> Tournament:
    found = Tournament.objects.filter(league=league, code=code).select_related("league").first()
    if found is None:
        raise Http404
    return found


def tournament_trail(tournament: Tournament, *more: tuple[str, str]) -> Crumbs:
    """Where an organiser's page of a tournament stands."""
    address = reverse("league:organise-tournament", args=[tournament.league.slug, tournament.code])
    return last(crumbs(tournament.league, (tournament.name, address), *more))


@for_role(Act.RULE)
@never_cache
@require_safe
def control(request: HttpRequest, league: League, code: str) -> HttpResponse:
    """State, what can be done next, rounds, entries."""
    found = _find(league, code)
    acts = acts_of(request.user, league)
    stage = found.stages.get()
    all_rounds = fixtures.rounds(stage)
    context = {
        "league": league,
        "tournament": found,
        "acts": acts,
        "progress": tournaments.progress([found])[found.pk],
        "deeds": [(name, DEEDS[name]) for name in OFFERED.get(found.state, ())] if Act.RUN_ROUNDS in acts else [],
        "has_preview": found.state in (TournamentState.REGISTRATION, TournamentState.READY),
        "format": [*format_facts(stage), *facts(found.rules)],
        "rounds": all_rounds,
        "next_round": next((one.number for one in all_rounds if one.state == RoundState.CONFIRMED), None),
        "entries": tournaments.entries(found),
        "section": "organise",
        "breadcrumb": tournament_trail(found),
    }
    return render(request, "league/organise_tournament.html", context)


@for_role(Act.RULE)
@never_cache
@require_safe
def preview(request: HttpRequest, league: League, code: str) -> HttpResponse:
    """The schedule as it would be if the registration closed now; nothing is written."""
    found = _find(league, code)
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
        "breadcrumb": tournament_trail(found, (gettext("Preview"), "")),
    }
    return render(request, "league/organise_preview.html", context, status=refusal.status if refusal else 200)


def _page(tournament: Tournament, subject: str, title: str) -> Page:
    address = reverse("league:organise-tournament", args=[tournament.league.slug, tournament.code])
    context = {
        "league": tournament.league,
        "tournament": tournament,
        "breadcrumb": tournament_trail(tournament, (title, "")),
    }
    return Page(subject=subject, back=address, context=context)


@for_role(Act.RUN_ROUNDS)
@require_http_methods(["GET", "POST"])
def deed(request: HttpRequest, league: League, code: str, name: str) -> HttpResponse:
    """Open, close, start, pause, resume or cancel."""
    if name not in DEEDS:
        raise Http404
    found = _find(league, code)
    page = _page(found, found.name, str(DEEDS[name].title))
    return carry_out(request, DEEDS[name], page, tournament=found, actor=person(request))


@for_role(Act.RUN_ROUNDS)
@require_http_methods(["GET", "POST"])
def release(request: HttpRequest, league: League, code: str, number: int) -> HttpResponse:
    """Release a round by hand."""
    found = _find(league, code)
    round_ = next((one for one in fixtures.rounds(found.stages.get()) if one.number == number), None)
    if round_ is None:
        raise Http404
    subject = gettext("Round %(number)d") % {"number": number}
    return carry_out(
        request, _RELEASE, _page(found, subject, str(_RELEASE.title)), round_=round_, actor=person(request)
    )


@for_role(Act.RUN_ROUNDS)
@require_http_methods(["GET", "POST"])
def refuse_entry(request: HttpRequest, league: League, code: str, entry: int) -> HttpResponse:
    """Take somebody's entry out before the start."""
    found = _find(league, code)
    member = Entry.objects.filter(pk=entry, tournament=found).first()
    if member is None:
        raise Http404
    return carry_out(
        request, _REFUSE, _page(found, member.name, str(_REFUSE.title)), entry=member, actor=person(request)
    )
