"""What an arbiter decides about a match."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from games.models import MatchState
from league.models import PairingMatch
from league.permissions import Act, acts_of
from league.selectors import fixtures, leagues, organise
from league.services import rulings
from league.views.common import organise_tournament_crumbs, person
from league.views.deeds import Deed, Page, carry_out

_RERUN = Deed(
    title=_("Declare void and play again"),
    label=_("Declare void and play again"),
    done=_("The match is played again."),
    verb=rulings.void_and_rerun,
    asks="reason",
    is_grave=True,
)


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def rerun(request: HttpRequest, code: str) -> HttpResponse:
    """Void a match, with its mirrored twin, and have it played again; shows first what that does."""
    place = _find(request, code)
    tournament = place.pairing.stage.tournament
    title = str(_RERUN.title)
    page = Page(
        subject=gettext("Match %(code)s") % {"code": place.match.code},
        back=reverse("league:organise-tournament", args=[tournament.league.slug, tournament.code]),
        context={
            "league": tournament.league,
            "tournament": tournament,
            "touched": _touched(place),
            "breadcrumb": organise_tournament_crumbs(tournament, (title, "")),
        },
        obstacle=rulings.why_no_rerun(place=place, actor=person(request)),
    )
    return carry_out(request, _RERUN, page, match=place.match, actor=person(request))


def _find(request: HttpRequest, code: str) -> PairingMatch:
    """The match's place in its tournament, for who may rule there. Raises Http404, PermissionDenied."""
    found = (
        PairingMatch.objects.filter(
            match__code=code.upper(), pairing__stage__tournament__league__in=leagues.visible(request.user)
        )
        .select_related("match", "pairing__round", "pairing__stage__tournament__league")
        .first()
    )
    if found is None:
        raise Http404
    if Act.RULE not in acts_of(request.user, found.pairing.stage.tournament.league):
        raise PermissionDenied
    return found


def _touched(place: PairingMatch) -> list[dict[str, Any]]:
    """The matches that would be replaced, with what becomes of each."""
    return [
        {"place": one, "seats": fixtures.seated(one.match), "was_played": one.match.state == MatchState.FINISHED}
        for one in organise.same_set(place)
    ]
