"""Invitations to play: made, looked at, answered. A visit changes nothing: links are opened by machines too."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.foundation import DomainError
from games.models import Match, Player
from games.rules_texts import facts
from games.views.seated import Body, posted
from league.models import Invitation, InvitationState, SeatAnswer
from league.selectors import play as selectors
from league.services import invitations as verbs
from league.services import rematches
from league.services.ratings import pair_limit
from league.views.common import person, refuse, whole
from league.views.play import client_address, invitation_form, keep_deck, me, page


@login_required
@require_POST
def make(request: HttpRequest) -> HttpResponse:
    """Offer a match: 303 to its page, or to the table when only bots were asked."""
    form = invitation_form(request, request.POST)
    if not form.is_valid():
        return page(request, invite=form, status=422)
    try:
        made = verbs.make(by=person(request).player, order=form.order())
    except DomainError as error:
        return page(request, invite=form, status=refuse(form, error, form.FIELDS))
    target = made.get_absolute_url() if made.match is None else selectors.table_address(made.match)
    response = HttpResponseRedirect(target, status=303)
    keep_deck(request, response, form.cleaned_data["deck"])
    return response


@never_cache
@require_safe
def invitation(request: HttpRequest, code: str) -> HttpResponse:
    """Who offers what, and what can be answered. A request of htmx gets the part that changes."""
    return _page(request, _find(code))


def _find(code: str) -> Invitation:
    found = selectors.find(code)
    if found is None or found.kind == "rematch":
        raise Http404
    return found


def _page(request: HttpRequest, found: Invitation, refusal: DomainError | None = None) -> HttpResponse:
    player = me(request)
    seats = list(found.seats.all())
    mine = next((seat for seat in seats if player is not None and seat.player_id == player.pk), None)
    is_part = bool(request.htmx)  # type: ignore[attr-defined]
    table = selectors.table_address(found.match) if found.match is not None else ""
    if is_part and table and mine is not None:
        return HttpResponse(status=204, headers={"HX-Redirect": table})
    is_open = found.state == InvitationState.OPEN and found.expires_at > timezone.now()
    context: dict[str, Any] = {
        "invitation": found,
        "seats": seats,
        "mine": mine,
        "is_mine": player is not None and found.by_id == player.pk,
        "is_open": is_open,
        "can_take": _can_take(seats, mine, is_open=is_open),
        "is_asked": mine is not None and mine.state == SeatAnswer.ASKED and is_open,
        "will_not_count": is_open and _will_not_count(found, player),
        "table": table,
        "address": request.build_absolute_uri(found.get_absolute_url()),
        "facts": facts(found.rules),
        "rating": selectors.ratings_of([found])[found.by_id],
        "sign_in": f"{reverse('account_login')}?{urlencode({'next': found.get_absolute_url()})}",
        "sign_up": f"{reverse('account_signup')}?{urlencode({'next': found.get_absolute_url()})}",
        "refusal": refusal,
        "section": "play",
        "breadcrumb": [(_("Play"), reverse("league:play")), (_("Invitation"), "")],
    }
    template = "league/_play_invitation.html" if is_part else "league/play_invitation.html"
    return render(request, template, context, status=refusal.status if refusal else 200)


def _can_take(seats: list[Any], mine: Any, *, is_open: bool) -> list[Any]:
    """The seats that the viewer could take: the own one when asked, else those that are free."""
    if not is_open or (mine is not None and mine.state != SeatAnswer.ASKED):
        return []
    return [mine] if mine is not None else [seat for seat in seats if seat.state == SeatAnswer.OPEN]


def _will_not_count(found: Invitation, player: Player | None) -> bool:
    """Whether a rated match of these two would be unrated, by the pair limit."""
    is_other = player is not None and player.user_id is not None and player.pk != found.by_id
    return found.mode == "rated" and is_other and player is not None and pair_limit.is_reached(found.by, player)


def answer(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A POST about an invitation: who is signed out signs in and comes to its page; a refusal is told there."""

    @wraps(view)
    @require_POST
    def answering(request: HttpRequest, code: str) -> HttpResponse:
        found = _find(code)
        if not request.user.is_authenticated:
            return redirect(f"{reverse('account_login')}?{urlencode({'next': found.get_absolute_url()})}")
        try:
            return view(request, found)
        except DomainError as error:
            return _page(request, _find(code), error)

    return answering


@answer
def accept(request: HttpRequest, found: Invitation) -> HttpResponse:
    """Take a seat: 303 to the table when it was the last one."""
    row = verbs.accept(invitation=found, actor=person(request), seat=whole(request.POST.get("seat"), most=99))
    target = found.get_absolute_url() if row.match is None else selectors.table_address(row.match)
    return HttpResponseRedirect(target, status=303)


@answer
def decline(request: HttpRequest, found: Invitation) -> HttpResponse:
    """Say no."""
    verbs.decline(invitation=found, actor=person(request))
    messages.success(request, _("Declined."))
    return HttpResponseRedirect(reverse("league:play"), status=303)


@answer
def withdraw(request: HttpRequest, found: Invitation) -> HttpResponse:
    """Take it back."""
    verbs.withdraw(invitation=found, actor=person(request))
    messages.success(request, _("The invitation is withdrawn."))
    return HttpResponseRedirect(reverse("league:play"), status=303)


def rematch(request: HttpRequest, code: str) -> Any:
    """Ask for a rematch: `{waiting: [seats]}`, or `{code}` of the new match once everybody has asked."""
    address = client_address(request)

    def asked(match: Match, seat: int, _body: Body) -> dict[str, Any]:
        return rematches.ask(match=match, seat=seat, address=address)

    return posted()(asked)(request, code)
