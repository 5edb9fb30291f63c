"""Tournaments from the organisers' side: what they run and how far it is. `organise_setup` has how they are set up."""

from collections.abc import Mapping

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from games.rules_texts import facts
from league.errors import LeagueError
from league.models import Entry, League, RoundState, Tournament, TournamentState
from league.permissions import Act, acts_of
from league.rules_texts import format_facts
from league.selectors import fixtures, tournaments
from league.services import entries, obstacles, rounds
from league.services import tournaments as verbs
from league.services.setting_up import OPEN_STATES
from league.views.common import find_own_tournament, for_role, organise_tournament_crumbs, person
from league.views.deeds import Deed, Offer, Page, carry_out, offers

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


@for_role(Act.RULE)
@never_cache
@require_safe
def control(request: HttpRequest, league: League, code: str) -> HttpResponse:
    """State, what can be done next, rounds, entries."""
    found = find_own_tournament(league, code)
    acts = acts_of(request.user, league)
    blocked = obstacles.of_tournament(found)
    stage = found.stages.get()
    all_rounds = fixtures.rounds(stage)
    context = {
        "league": league,
        "tournament": found,
        "acts": acts,
        "progress": tournaments.progress([found])[found.pk],
        "offers": _offers(found, blocked) if Act.RUN_ROUNDS in acts else [],
        "no_release": blocked.get("release"),
        "has_preview": found.state in (TournamentState.REGISTRATION, TournamentState.READY)
        and "preview" not in blocked,
        "has_settings": Act.MANAGE_TOURNAMENTS in acts and found.state in OPEN_STATES,
        "format": [*format_facts(stage), *facts(found.rules)],
        "rounds": all_rounds,
        "next_round": next((one.number for one in all_rounds if one.state == RoundState.CONFIRMED), None),
        "entries": tournaments.entries(found),
        "section": "organise",
        "breadcrumb": organise_tournament_crumbs(found),
    }
    return render(request, "league/organise_tournament.html", context)


def _offers(tournament: Tournament, blocked: Mapping[str, LeagueError]) -> list[Offer]:
    def address(name: str) -> str:
        return reverse("league:organise-tournament-deed", args=[tournament.league.slug, tournament.code, name])

    return offers(DEEDS, OFFERED.get(tournament.state, ()), address, blocked)


def _page(tournament: Tournament, subject: str, title: str, obstacle: LeagueError | None = None) -> Page:
    address = reverse("league:organise-tournament", args=[tournament.league.slug, tournament.code])
    context = {
        "league": tournament.league,
        "tournament": tournament,
        "breadcrumb": organise_tournament_crumbs(tournament, (title, "")),
    }
    return Page(subject=subject, back=address, context=context, obstacle=obstacle)


@for_role(Act.RUN_ROUNDS)
@require_http_methods(["GET", "POST"])
def deed(request: HttpRequest, league: League, code: str, name: str) -> HttpResponse:
    """Open, close, start, pause, resume or cancel."""
    if name not in DEEDS:
        raise Http404
    found = find_own_tournament(league, code)
    page = _page(found, found.name, str(DEEDS[name].title), obstacles.of_tournament(found).get(name))
    return carry_out(request, DEEDS[name], page, tournament=found, actor=person(request))


@for_role(Act.RUN_ROUNDS)
@require_http_methods(["GET", "POST"])
def release(request: HttpRequest, league: League, code: str, number: int) -> HttpResponse:
    """Release a round by hand."""
    found = find_own_tournament(league, code)
    round_ = next((one for one in fixtures.rounds(found.stages.get()) if one.number == number), None)
    if round_ is None:
        raise Http404
    subject = gettext("Round %(number)d") % {"number": number}
    page = _page(found, subject, str(_RELEASE.title), obstacles.of_tournament(found).get("release"))
    return carry_out(request, _RELEASE, page, round_=round_, actor=person(request))


@for_role(Act.RUN_ROUNDS)
@require_http_methods(["GET", "POST"])
def refuse_entry(request: HttpRequest, league: League, code: str, entry: int) -> HttpResponse:
    """Take somebody's entry out before the start."""
    found = find_own_tournament(league, code)
    member = Entry.objects.filter(pk=entry, tournament=found).first()
    if member is None:
        raise Http404
    return carry_out(
        request, _REFUSE, _page(found, member.name, str(_REFUSE.title)), entry=member, actor=person(request)
    )
