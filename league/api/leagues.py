"""Leagues, their members; joining and leaving with a bot."""

from collections.abc import Iterable
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.permissions import HasScope
from accounts.api.views import ApiList, ApiView, answer, read
from accounts.foundation import DomainError
from league.api.finding import find_league, league_to_join, my_bot
from league.api.serializers import leagues as shapes
from league.models import League as LeagueRow
from league.models import Membership
from league.selectors import leagues as selectors
from league.services import memberships


class Leagues(ApiList):
    """The public leagues and your own, the newest first."""

    serializer_class = shapes.LeagueInList
    query_class = shapes.LeagueQuery
    queryset = LeagueRow.objects.none()

    def get_queryset(self) -> QuerySet[LeagueRow]:
        """Those that this reader may find, narrowed."""
        asked, rows = self.asked(), selectors.listed(self.request.user)
        if asked["q"]:
            rows = rows.filter(name__icontains=asked["q"])
        return rows.filter(audience=asked["audience"]) if asked["audience"] else rows

    @extend_schema(operation_id="leagues")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)


class League(ApiView):
    """A league: who may play in it, how one joins, what it plays by."""

    @extend_schema(responses=shapes.League, operation_id="league")
    def get(self, request: Request, slug: str) -> Response:
        found = find_league(request, slug)
        return answer(shapes.League, selectors.with_counts(LeagueRow.objects.filter(pk=found.pk)).get())


class Members(ApiList):
    """The active members of a league, in the order in which they came."""

    permission_classes = (HasScope("play"),)
    serializer_class = shapes.Member
    queryset = Membership.objects.none()
    ordering = ("pk",)

    def get_queryset(self) -> QuerySet[Membership]:
        """Those of the league of this address."""
        return selectors.members(find_league(self.request, self.kwargs["slug"]))

    @extend_schema(operation_id="league_members")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)

    @extend_schema(request=shapes.JoinOrder, responses={201: shapes.Member}, operation_id="league_join")
    def post(self, request: Request, slug: str) -> Response:
        """Join with one of your bots; where the league decides about that, ask to join (`state`: `requested`)."""
        order = read(shapes.JoinOrder, request.data)
        league = league_to_join(request, slug, code=order["code"])
        player = my_bot(request, order["bot"])
        membership = memberships.join(league=league, player=player, actor=request.user, code=order["code"])
        return answer(shapes.Member, membership, status=201)


class Member(ApiView):
    """One of your bots in a league."""

    permission_classes = (HasScope("play"),)

    @extend_schema(responses={204: None}, operation_id="league_leave")
    def delete(self, request: Request, slug: str, bot: str) -> Response:
        """Leave the league with this bot."""
        league = league_to_join(request, slug)
        memberships.leave(league=league, player=my_bot(request, bot), actor=request.user)
        return Response(status=204)


def eligibility(slug: str, reasons: Iterable[DomainError]) -> Response:
    """Whether a bot can take part, and every reason why not."""
    why_not = [{"code": one.code, "message": str(one), "params": dict(one.params)} for one in reasons]
    return answer(shapes.Eligibility, {"bot": slug, "is_eligible": not why_not, "reasons": why_not})


class LeagueEligibility(ApiView):
    """Whether one of your bots can join now, and every reason why not. `code` is the invitation."""

    permission_classes = (IsAuthenticated, HasScope("read"))
    query_class = shapes.JoinOrder

    @extend_schema(responses=shapes.Eligibility, operation_id="league_eligibility")
    def get(self, request: Request, slug: str) -> Response:
        asked = self.asked()
        league = league_to_join(request, slug, code=asked["code"])
        player = my_bot(request, asked["bot"])
        return eligibility(player.slug, memberships.why_not(league=league, player=player, code=asked["code"]))
