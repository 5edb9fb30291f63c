"""The page to play from: the new-game panels, running games, open seeks, challenges; practice, with or without an
account, and what becomes of a guest's games.
"""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from rest_framework.throttling import BaseThrottle

from accounts.cookies import remember
from accounts.foundation import DomainError
from accounts.models import User
from accounts.services import preferences
from accounts.templatetags.viewer import viewer
from bots.house import HOUSE
from games.models import Match, Player
from games.views import guests
from league.forms.play import InvitationForm, PracticeForm, order_of
from league.selectors import play as selectors
from league.services import practice as verbs
from league.services.practice import PracticeOrder
from league.views.common import person, words

#: Name of a house bot -> its level.
_LEVELS = {HOUSE[level]: level for level in selectors.LEVELS}


def me(request: HttpRequest) -> Player | None:
    """Who plays in this browser: the player of the user, else its guest."""
    if isinstance(request.user, User) and request.user.is_authenticated:
        return request.user.player
    return guests.guest_of(request) if guests.COOKIE in request.COOKIES else None


def client_address(request: HttpRequest) -> str:
    """Where the request comes from, proxies of ours left out."""
    return str(BaseThrottle().get_ident(request))


def last_order(player: Player | None) -> PracticeOrder:
    """What this player ordered last; the usual game where there is none."""
    match = selectors.last_practice(player)
    return PracticeOrder() if match is None else order_of(match.rules, match.clock, _level_of(match))


def _level_of(match: Match) -> str:
    names = [seat.player.name for seat in match.seats.all()]
    return next((_LEVELS[name] for name in names if name in _LEVELS), "medio")


@never_cache
@require_safe
def play(request: HttpRequest) -> HttpResponse:
    """The page; `?with=<player>` names an opponent."""
    return page(request)


def page(
    request: HttpRequest,
    *,
    practice: PracticeForm | None = None,
    invite: InvitationForm | None = None,
    refusal: DomainError | None = None,
    status: int = 200,
) -> HttpResponse:
    """The page with the forms as they were sent."""
    player = me(request)
    deck = viewer({"request": request}).deck
    asks = refusal if refusal is not None and refusal.code == "practice_open" else None
    context = {
        "practice": practice or PracticeForm(initial=PracticeForm.initial_of(last_order(player)) | {"deck": deck}),
        "invite": (invite or invitation_form(request)) if request.user.is_authenticated else None,
        "levels": selectors.levels(),
        "refusal": None if asks else refusal,
        "asks": asks,
        "sent": [(name, value) for name, value in request.POST.items() if name != "csrfmiddlewaretoken"],
        "section": "play",
        "breadcrumb": [(_("Play"), "")],
        **lists(player),
    }
    return render(request, "league/play.html", context, status=status)


def invitation_form(request: HttpRequest, data: Any = None) -> InvitationForm:
    """The panel for a match with others; opened at the opponent whom the address names."""
    initial: dict[str, Any] = {"deck": viewer({"request": request}).deck}
    bots = list(selectors.published_bots())
    wanted = words(request, "with")
    if any(bot.player.slug == wanted for bot in bots):
        initial |= {"how": "bot", "bot": wanted}
    elif wanted:
        initial |= {"how": "name", "names": wanted}
    return InvitationForm(data, initial=initial, bots=bots)


def lists(player: Player | None) -> dict[str, Any]:
    """What changes by itself: my games, what I am asked and have offered, seeks of others."""
    is_human = player is not None and player.user_id is not None
    seeks = [one for one in selectors.open_seeks() if player is None or one.by_id != player.pk]
    return {
        "running": selectors.running(player),
        "challenges": list(selectors.challenges(player)) if is_human and player else [],
        "offered": list(selectors.made_by(player)) if is_human and player else [],
        "seeks": seeks,
        "ratings": selectors.ratings_of(seeks),
    }


@never_cache
@require_safe
def open_now(request: HttpRequest) -> HttpResponse:
    """The part of the page that changes by itself."""
    return render(request, "league/_play_open.html", lists(me(request)))


@require_POST
def practice(request: HttpRequest) -> HttpResponse:
    """Begin a game of practice; without any choice, the one that was played last. Answers 303 to the table."""
    player = me(request)
    is_quick = "level" not in request.POST
    form = PracticeForm(PracticeForm.initial_of(last_order(player)) if is_quick else request.POST)
    if not form.is_valid():
        return page(request, practice=form, status=422)
    leaves = request.POST.get("leaves") == "on"
    try:
        match, key = _begin(request, player, form.order(), leaves=leaves)
    except DomainError as error:
        refused = page(request, practice=form, refusal=error, status=error.status)
        if "retry_after" in error.params:
            refused.headers["Retry-After"] = str(error.params["retry_after"])
        return refused
    response = HttpResponseRedirect(selectors.table_address(match), status=303)
    if not request.user.is_authenticated and (held := key or guests.key_of(request)):
        guests.remember(response, held)
    keep_deck(request, response, form.cleaned_data["deck"])
    return response


def _begin(
    request: HttpRequest, player: Player | None, order: PracticeOrder, *, leaves: bool
) -> tuple[Match, str | None]:
    if request.user.is_authenticated and player is not None:
        return verbs.start(player=player, order=order, leaves=leaves), None
    return verbs.start_as_guest(guest=player, order=order, address=client_address(request), leaves=leaves)


def keep_deck(request: HttpRequest, response: HttpResponse, deck: str) -> None:
    """The deck of the panel is the one of the whole site."""
    if not deck:
        return
    if request.user.is_authenticated and person(request).deck != deck:
        preferences.save(user=person(request), values={"deck": deck})
    remember(response, {"deck": deck})


@login_required
@require_POST
def keep(request: HttpRequest) -> HttpResponse:
    """Answer whether the guest's games of this browser become those of the account (`keep=yes`) or are deleted."""
    response = redirect("league:play")
    guests.forget(response)
    guest = guests.guest_of(request)
    if guest is None:
        return response
    if request.POST.get("keep") == "yes":
        count = verbs.keep(guest=guest, user=person(request))
        said = ngettext("%(count)d game is yours now.", "%(count)d games are yours now.", count)
        messages.success(request, said % {"count": count})
    else:
        verbs.drop(guest=guest)
        messages.success(request, _("The games played without an account are deleted."))
    request.session.cycle_key()
    return response
