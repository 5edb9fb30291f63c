"""Who asks, and the records of matches."""

from typing import TypeVar

from django.http import Http404, HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.permissions import HasScope
from accounts.api.views import ApiView, answer
from accounts.models import ApiToken
from accounts.services.users import is_confirmed
from games.api.serializers import MatchRecord, Me
from games.models import Match
from games.selectors import records

ResponseT = TypeVar("ResponseT", Response, HttpResponse)


class WhoAmI(ApiView):
    """The person whose token or session this is, and what the request may do."""

    permission_classes = (IsAuthenticated, HasScope("read"))

    @extend_schema(responses=Me, operation_id="me")
    def get(self, request: Request) -> Response:
        user, token = request.user, request.auth if isinstance(request.auth, ApiToken) else None
        seen = {
            "name": user.name,
            "player": user.player,
            "is_confirmed": is_confirmed(user),
            "is_staff": user.is_staff,
            "language": user.language,
            "scopes": token.scopes if token else ApiToken.Scope.values,
            "token": token,
        }
        return answer(Me, seen)


def _match(code: str) -> Match:
    found = Match.objects.filter(code=code.upper()).first()
    if found is None:
        raise Http404
    return found


class Record(ApiView):
    """The record of a match as JSON: rules, commitment, decks and plays, once over the seed as well.

    Save it and verify it yourself: `python -m games.engine verify FILE`. What nobody may see yet is left out, and
    `hidden` says why.
    """

    @extend_schema(responses=MatchRecord, operation_id="match_record")
    def get(self, request: Request, code: str) -> Response:
        bundle = records.bundle(_match(code), request.user)
        if bundle is None:
            raise Http404
        return _saved_as(Response(bundle), f"{code}.json")


class RecordText(ApiView):
    """The deals of a match in Bella's notation, for people and programs."""

    @extend_schema(responses={(200, "text/plain"): OpenApiTypes.STR}, operation_id="match_record_text")
    def get(self, request: Request, code: str) -> HttpResponse:
        text = records.text(_match(code), request.user)
        if text is None:
            raise Http404
        return _saved_as(HttpResponse(text, content_type="text/plain; charset=utf-8"), f"{code}.bella")


def _saved_as(response: ResponseT, name: str) -> ResponseT:
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
