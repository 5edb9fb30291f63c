"""Who takes part in a tournament; entering with a bot, and taking it back."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.foundation import DomainError
from games.models import PlayerKind
from league.models import Entry, EntryState, Tournament, TournamentState
from league.selectors import leagues, tournaments
from league.services import entries as verbs
from league.views.common import find_tournament, person
from league.views.joining import my_player
from league.views.tournaments import tournament_page


def _page(request: HttpRequest, tournament: Tournament, refusal: DomainError | None = None) -> HttpResponse:
    """All entries; for a signed-in person who of his could enter, and every reason why not."""
    context: dict[str, Any] = {
        "entries": tournaments.entries(tournament),
        "is_open": tournament.state == TournamentState.REGISTRATION,
        "refusal": refusal,
    }
    if request.user.is_authenticated:
        user = person(request)
        players = [player for player in leagues.my_players(user) if player.kind == PlayerKind.BOT]
        reasons = verbs.why_not_each(tournament=tournament, players=players)
        standing = tournaments.my_entries(tournament, user)
        entered = {member.player_id for member in standing}
        context |= {
            "standing": standing,
            "my_entries": frozenset(member.entry_id for member in standing),
            "choices": [(player, reasons[player.pk]) for player in players if player.pk not in entered],
        }
    status = refusal.status if refusal else 200
    return tournament_page(request, tournament, "tournament-entries", "league/entries.html", context, status)


@never_cache
@require_safe
def entries(request: HttpRequest, code: str) -> HttpResponse:
    """Who takes part."""
    return _page(request, find_tournament(request, code))


@login_required
@require_POST
def enter(request: HttpRequest, code: str) -> HttpResponse:
    """Enter one of my bots."""
    tournament = find_tournament(request, code)
    player = my_player(request, request.POST.get("player", ""))
    try:
        entry = verbs.enter(tournament=tournament, player=player, actor=person(request))
    except DomainError as error:
        return _page(request, tournament, error)
    waits = entry.state == EntryState.WAITING_LIST
    sentence = _("All places are taken: %(name)s is on the waiting list.") if waits else _("%(name)s is entered.")
    messages.success(request, sentence % {"name": entry.name})
    return redirect("league:tournament-entries", tournament.code)


@login_required
@require_POST
def withdraw(request: HttpRequest, code: str, entry: int) -> HttpResponse:
    """Take one of my entries back before the start."""
    tournament = find_tournament(request, code)
    found = Entry.objects.filter(pk=entry, tournament=tournament, members__until__isnull=True).first()
    if found is None:
        raise Http404
    try:
        verbs.withdraw(entry=found, actor=person(request))
    except DomainError as error:
        return _page(request, tournament, error)
    messages.success(request, _("%(name)s is withdrawn.") % {"name": found.name})
    return redirect("league:tournament-entries", tournament.code)
