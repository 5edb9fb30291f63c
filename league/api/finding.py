"""What an address, a query string or a body names, for who may see it."""

from typing import Any, TypeVar

from django.db.models import Model, QuerySet
from django.http import Http404
from django.utils.translation import gettext_lazy as _
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from games.models import Match, Player, PlayerKind
from games.selectors.visibility import visible_matches
from league.models import League, Tournament
from league.selectors import leagues, profiles, tournaments
from league.services import memberships

RowT = TypeVar("RowT", bound=Model)


def find_league(request: Request, slug: str) -> League:
    """The league at an address. Raises Http404."""
    return _one(leagues.visible(request.user).filter(slug=slug))


def league_to_join(request: Request, slug: str, *, code: str = "") -> League:
    """The same for joining and leaving: a private one also for who holds its invitation or stands in it."""
    hidden = League.objects.filter(slug=slug).first()
    if hidden is not None and (memberships.is_invitation(hidden, code) or leagues.my_memberships(hidden, request.user)):
        return hidden
    return find_league(request, slug)


def find_tournament(request: Request, code: str) -> Tournament:
    """The tournament at an address, with its league. Raises Http404."""
    return _one(tournaments.visible(request.user).filter(code=code.lower()))


def find_match(request: Request, code: str) -> Match:
    """The match at an address, whatever the case of its letters. Raises Http404."""
    return _one(visible_matches(request.user, Match.objects.filter(code=code.upper())))


def find_player(slug: str) -> Player:
    """The player at an address, with bot and owner. Raises Http404."""
    return _one(profiles.players().filter(slug=slug))


def my_bot(request: Request, slug: str) -> Player:
    """The bot that somebody names as his. Raises ValidationError for no bot, NotAllowed for another's."""
    found = profiles.players().filter(kind=PlayerKind.BOT, slug=slug).first()
    if found is None:
        raise ValidationError({"bot": [_("There is no bot of this name.")]})
    memberships.require_mine(found, request.user)
    return found


def named(rows: QuerySet, field: str, **wanted: str) -> Any:
    """What a filter names; an unknown one is refused. Raises ValidationError for that field."""
    found = rows.filter(**wanted).first()
    if found is None:
        raise ValidationError({field: [_("There is nothing of this name.")]})
    return found


def _one(rows: QuerySet[RowT]) -> RowT:
    found = rows.first()
    if found is None:
        raise Http404
    return found
