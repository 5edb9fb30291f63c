"""Tournaments: list, detail, standings, rounds, entries; entering and withdrawing with a bot."""

from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.permissions import HasScope
from accounts.api.views import ApiList, ApiView, answer, read
from league.api.finding import find_tournament, my_bot, named
from league.api.leagues import eligibility
from league.api.serializers import leagues as league_shapes
from league.api.serializers import tournaments as shapes
from league.models import Entry as EntryRow
from league.models import Round as RoundRow
from league.models import Stage, TournamentState
from league.models import Tournament as TournamentRow
from league.selectors import fixtures, leagues, standing_values
from league.selectors import tournaments as selectors
from league.services import entries as verbs


def _stage(tournament: TournamentRow) -> Stage:
    return tournament.stages.get()


class Tournaments(ApiList):
    """The tournaments of public leagues and of your own, the newest first. Of one `league` the unlisted as well."""

    serializer_class = shapes.TournamentInList
    query_class = shapes.TournamentQuery
    queryset = TournamentRow.objects.none()

    def get_queryset(self) -> QuerySet[TournamentRow]:
        """Those that this reader may find, narrowed."""
        asked, viewer = self.asked(), self.request.user
        if asked["league"]:
            rows = selectors.visible(viewer).filter(
                league=named(leagues.visible(viewer), "league", slug=asked["league"])
            )
        else:
            rows = selectors.listed(viewer)
        if asked["q"]:
            rows = rows.filter(name__icontains=asked["q"])
        return rows.filter(state__in=selectors.GROUPS[asked["group"]]) if asked["group"] else rows

    @extend_schema(operation_id="tournaments")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        rows = selectors.rows(self.paginate_queryset(self.get_queryset()))
        return self.get_paginated_response(self.get_serializer(rows, many=True).data)


class Tournament(ApiView):
    """A tournament: how it is played, how far it is, the commitments and, once it is finished, the seeds."""

    @extend_schema(responses=shapes.TournamentDetail, operation_id="tournament")
    def get(self, request: Request, code: str) -> Response:
        found = find_tournament(request, code)
        is_draft, is_over = found.state == TournamentState.DRAFT, found.state == TournamentState.FINISHED
        seen = {
            "tournament": found,
            "progress": selectors.progress([found])[found.pk],
            "stage": _stage(found),
            "seed_commitment": None if is_draft else found.seed_commitment,
            "deal_seed_commitment": None if is_draft else found.deal_seed_commitment,
            "seed": bytes(found.seed).hex() if is_over else None,
            "deal_seed": bytes(found.deal_seed).hex() if is_over else None,
        }
        return answer(shapes.TournamentDetail, seen)


class Standings(ApiView):
    """The standings with every tie-break, after a round or the latest."""

    query_class = shapes.StandingsQuery

    @extend_schema(responses=shapes.Standings, operation_id="tournament_standings")
    def get(self, request: Request, code: str) -> Response:
        found = find_tournament(request, code)
        return answer(shapes.Standings, standing_values.values(_stage(found), after=self.asked()["after"]))


class Rounds(ApiList):
    """The rounds of a tournament, in order."""

    serializer_class = shapes.RoundInList
    queryset = RoundRow.objects.none()
    ordering = ("number",)

    def get_queryset(self) -> QuerySet[RoundRow]:
        """Those of the tournament of this address."""
        return fixtures.shown(_stage(find_tournament(self.request, self.kwargs["code"])))

    @extend_schema(operation_id="tournament_rounds")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)


class Round(ApiView):
    """A round with every pairing, played or not, and the codes of its matches."""

    @extend_schema(responses=shapes.Round, operation_id="tournament_round")
    def get(self, request: Request, code: str, number: int) -> Response:
        found = fixtures.shown(_stage(find_tournament(request, code))).filter(number=number).first()
        if found is None:
            raise Http404
        head = shapes.RoundInList(found).data
        return Response({**head, "pairings": shapes.Pairing(fixtures.meetings(found), many=True).data})


class Entries(ApiList):
    """Who takes part, in the order in which they came; those that were taken back as well."""

    permission_classes = (HasScope("play"),)
    serializer_class = shapes.Entry
    queryset = EntryRow.objects.none()
    ordering = ("pk",)

    def get_queryset(self) -> QuerySet[EntryRow]:
        """Those of the tournament of this address."""
        return _with_players(find_tournament(self.request, self.kwargs["code"]).entries.all())

    @extend_schema(operation_id="tournament_entries")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)

    @extend_schema(request=league_shapes.ByBot, responses={201: shapes.Entry}, operation_id="tournament_enter")
    def post(self, request: Request, code: str) -> Response:
        """Enter one of your bots; on the waiting list when all places are taken."""
        tournament = find_tournament(request, code)
        player = my_bot(request, read(league_shapes.ByBot, request.data)["bot"])
        entry = verbs.enter(tournament=tournament, player=player, actor=request.user)
        return answer(shapes.Entry, _with_players(EntryRow.objects.filter(pk=entry.pk)).get(), status=201)


class Entry(ApiView):
    """One of your entries."""

    permission_classes = (HasScope("play"),)

    @extend_schema(responses={204: None}, operation_id="tournament_withdraw")
    def delete(self, request: Request, code: str, entry: int) -> Response:
        """Take it back while the registration is open; the first of the waiting list moves up."""
        found = find_tournament(request, code).entries.filter(pk=entry, members__until__isnull=True).first()
        if found is None:
            raise Http404
        verbs.withdraw(entry=found, actor=request.user)
        return Response(status=204)


def _with_players(rows: QuerySet[EntryRow]) -> QuerySet[EntryRow]:
    return rows.select_related("version").defer("version__report").prefetch_related("members__player")


class TournamentEligibility(ApiView):
    """Whether one of your bots can enter now, and every reason why not."""

    permission_classes = (IsAuthenticated, HasScope("read"))
    query_class = league_shapes.ByBot

    @extend_schema(responses=league_shapes.Eligibility, operation_id="tournament_eligibility")
    def get(self, request: Request, code: str) -> Response:
        tournament = find_tournament(request, code)
        player = my_bot(request, self.asked()["bot"])
        return eligibility(player.slug, verbs.why_not(tournament=tournament, player=player))
