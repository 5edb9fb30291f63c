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
from games.api.serializers import MatchAnalysis, MatchRecord, Me
from games.models import Match
from games.selectors import records
from games.selectors.analysis import RETRY_AFTER_S, made_by_deal
from games.selectors.visibility import can_see_match
from games.services import analysis

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
            "is_staff": user.acts_as_staff,
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


class Analysis(ApiView):
    """Luck of the draw and best cards of each deal, once the match, and its mirrored set, is over.

    Made when it is first asked for: 202 with `Retry-After` until then.
    """

    @extend_schema(responses={200: MatchAnalysis, 202: MatchAnalysis}, operation_id="match_analysis")
    def get(self, request: Request, code: str) -> Response:
        match = _match(code)
        if not can_see_match(match, request.user):
            raise Http404
        is_made = analysis.want(match=match)
        deals = [{"number": number} | made for number, made in made_by_deal(match).items()] if is_made else []
        found = answer(MatchAnalysis, {"deals": deals})
        if not is_made:
            found.status_code = 202
            found.headers["Retry-After"] = str(RETRY_AFTER_S)
        return found


def _saved_as(response: ResponseT, name: str) -> ResponseT:
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
