"""Players and bots with their ratings, rankings, the history of a rating."""

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.views import ApiList, ApiView, answer
from bots.api.finding import find_bot
from bots.api.uploads import NewBots
from bots.models import Bot as BotRow
from games.models import Player as PlayerRow
from games.models import PlayerKind
from league.api.finding import find_player, named
from league.api.serializers import players as shapes
from league.models import RatingCurrent, RatingPool
from league.selectors import profiles, rankings
from league.selectors.ratings import history

#: Points of a history in one answer.
POINTS = 500


def _shown(rows: list[PlayerRow], shape: Any, request: Request) -> list[Mapping[str, Any]]:
    """Players with the ratings that the reader may see."""
    ratings = profiles.ratings(rows, request.user)
    return [{**shape(row).data, "ratings": shapes.Rating(ratings.get(row.pk, ()), many=True).data} for row in rows]


class Players(ApiList):
    """People and bots, the newest first."""

    serializer_class = shapes.PlayerShown
    query_class = shapes.PlayerQuery
    queryset = PlayerRow.objects.none()

    def get_queryset(self) -> QuerySet[PlayerRow]:
        """All, narrowed."""
        asked, rows = self.asked(), profiles.players()
        if asked["q"]:
            rows = rows.filter(name__icontains=asked["q"])
        return rows.filter(kind=asked["kind"]) if asked["kind"] else rows

    @extend_schema(operation_id="players")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        rows = self.paginate_queryset(self.get_queryset())
        return self.get_paginated_response(_shown(rows, shapes.PlayerHead, request))


class Player(ApiView):
    """A person or a bot, with ratings."""

    @extend_schema(responses=shapes.PlayerShown, operation_id="player")
    def get(self, request: Request, slug: str) -> Response:
        return Response(_shown([find_player(slug)], shapes.PlayerHead, request)[0])


def _bots(rows: list[BotRow], request: Request) -> list[Mapping[str, Any]]:
    ratings = profiles.ratings([row.player for row in rows], request.user)
    return [
        {**shapes.BotHead(row).data, "ratings": shapes.Rating(ratings.get(row.player_id, ()), many=True).data}
        for row in rows
    ]


class Bots(NewBots, ApiList):
    """Bots."""

    serializer_class = shapes.Bot
    query_class = shapes.BotQuery
    queryset = BotRow.objects.none()

    def get_queryset(self) -> QuerySet[BotRow]:
        """All, narrowed. Raises NotAuthenticated for `mine` of nobody."""
        asked, rows = self.asked(), profiles.bots()
        if asked["q"]:
            rows = rows.filter(player__name__icontains=asked["q"])
        if asked["owner"]:
            rows = rows.filter(owner__player=named(profiles.players(), "owner", slug=asked["owner"]))
        if asked["mine"]:
            if not self.request.user.is_authenticated:
                raise NotAuthenticated
            rows = rows.filter(owner=self.request.user)
        return rows

    @extend_schema(operation_id="bots")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """All bots, the newest first."""
        rows = self.paginate_queryset(self.get_queryset())
        return self.get_paginated_response(_bots(rows, request))


class Bot(ApiView):
    """A bot, with ratings."""

    @extend_schema(responses=shapes.Bot, operation_id="bot")
    def get(self, request: Request, slug: str) -> Response:
        return Response(_bots([profiles.bots().get(pk=find_bot(slug).pk)], request)[0])


class History(ApiView):
    """How the rating of a player moved: one point a period, oldest first; of a bot for each of its versions."""

    query_class = shapes.HistoryQuery

    @extend_schema(responses=shapes.History, operation_id="player_history")
    def get(self, request: Request, slug: str) -> Response:
        asked, player = self.asked(), find_player(slug)
        population = "human" if player.kind == PlayerKind.HUMAN else "bot"
        pool = asked["pool"] or f"{population}-1v1"
        if asked["pool"]:
            named(profiles.pools(request.user), "pool", code=pool)
        versions = profiles.versions_of(player)
        points = history(pool, profiles.subjects(player, versions), after=asked["after"], limit=POINTS + 1)
        shown = [{"point": point, "version": versions.get(point.version)} for point in _whole_periods(points)]
        following = shown[-1]["point"].seq if len(points) > POINTS else None
        return answer(shapes.History, {"pool": pool, "next": following, "results": shown})


def _whole_periods(points: list[Any]) -> list[Any]:
    """At most POINTS of them, without a period that is cut in two."""
    if len(points) <= POINTS:
        return points
    last = points[POINTS].seq
    return [point for point in points[:POINTS] if point.seq < last]


class Rankings(ApiList):
    """The pools that have a ranking: the site's, and those of private leagues of yours."""

    serializer_class = shapes.Pool
    queryset = RatingPool.objects.none()
    ordering = ("pk",)

    def get_queryset(self) -> QuerySet[RatingPool]:
        """Those that this reader may see."""
        return profiles.pools(self.request.user).select_related("league")

    @extend_schema(operation_id="rankings")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)


class Ranking(ApiList):
    """Who stands where in a pool by Elo: the established ones with their rank, then the provisional ones."""

    serializer_class = shapes.RankRow
    queryset = RatingCurrent.objects.none()
    ordering = ("is_provisional", "-rating_m", "pk")

    @extend_schema(operation_id="ranking")
    def get(self, request: Request, pool: str) -> Response:
        found = profiles.pools(request.user).filter(code=pool).first()
        if found is None:
            raise Http404
        ranking = rankings.ranking(found, today=timezone.localdate())
        rows = self.paginate_queryset(ranking)
        lines = rankings.lines(rows, first=rankings.first_rank(ranking, rows[0]) if rows else 1)
        return self.get_paginated_response(self.get_serializer(lines, many=True).data)
