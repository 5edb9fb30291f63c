"""Logs, faults and test games of one's bots."""

from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.permissions import HasScope
from accounts.api.views import ApiList, ApiView, answer, read
from bots.api import platform_serializers as shapes
from bots.api.finding import find_bot, find_version
from bots.models import Bot, BotVersion, Fault, TestGame
from bots.selectors import logs, wire_log
from bots.selectors import test_games as selectors
from bots.selectors.permissions import can_run
from bots.services import test_games
from games.models import Match
from games.selectors.visibility import can_see_match, can_see_seed


class Logs(ApiView):
    """What went over the pipes of your bots in a match, once it and its mirrored set are over."""

    permission_classes = (IsAuthenticated, HasScope("read"))

    @extend_schema(responses=shapes.Logs, operation_id="match_logs")
    def get(self, request: Request, code: str) -> Response:
        """Seat by seat, in order; 403 for who runs no bot of the match, 404 before its end."""
        match = Match.objects.filter(code=code.upper()).first()
        if match is None or not can_see_match(match, request.user):
            raise Http404
        seats = logs.seats_run_by(match, request.user)
        if not seats:
            raise PermissionDenied(_("Logs are shown to who runs the bot."))
        if not can_see_seed(match, request.user):
            raise Http404
        return answer(shapes.Logs, {"match": match.code, "lines": wire_log.lines(match, seats)})


def own_bot(slug: str, request: Request) -> Bot:
    """The bot of that address, for who runs it. Raises Http404."""
    bot = find_bot(slug)
    if not can_run(bot, request.user):
        raise Http404
    return bot


class Faults(ApiList):
    """What your bot did wrong in matches that are over, the newest first."""

    permission_classes = (IsAuthenticated, HasScope("read"))
    serializer_class = shapes.FaultInList
    queryset = Fault.objects.none()

    def get_queryset(self) -> QuerySet[Fault]:
        """Those of the bot of this address."""
        return logs.faults_of(own_bot(self.kwargs["slug"], self.request).pk)

    @extend_schema(operation_id="bot_faults")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)


class TestGames(ApiList):
    """Test games of your bot: unrated, in mirrored pairs."""

    permission_classes = (IsAuthenticated, HasScope("upload"))
    serializer_class = shapes.TestGameInList
    queryset = TestGame.objects.none()

    def get_queryset(self) -> QuerySet[TestGame]:
        """Those of the bot of this address."""
        return selectors.of_bot(own_bot(self.kwargs["slug"], self.request))

    @extend_schema(operation_id="test_games")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)

    @extend_schema(request=shapes.NewTestGame, responses={201: shapes.TestGame}, operation_id="test_game_create")
    def post(self, request: Request, slug: str) -> Response:
        """Start one: `version` (default: the active one) against `opponent`, a bot that allows it."""
        wanted = read(shapes.NewTestGame, request.data)
        bot = own_bot(slug, request)
        game = test_games.start(
            version=_version(bot, wanted.get("version")),
            opponent=_version(find_bot(wanted["opponent"]), wanted.get("opponent_version")),
            pairs=wanted["pairs"],
            actor=request.user,
        )
        (page,) = selectors.pages([game])
        return answer(shapes.TestGame, page, status=201)


def _version(bot: Bot, number: int | None) -> BotVersion:
    """A version by its number, else the active one. Raises Http404."""
    number = number if number is not None else bot.active_version.number if bot.active_version else 0
    return find_version(bot.player.slug, number)


class OneTestGame(ApiView):
    """One test game, match by match."""

    permission_classes = (IsAuthenticated, HasScope("upload"))

    def _find(self, request: Request, slug: str, game_id: int) -> TestGame:
        found = selectors.of_bot(own_bot(slug, request)).filter(pk=game_id).first()
        if found is None:
            raise Http404
        return found

    @extend_schema(responses=shapes.TestGame, operation_id="test_game")
    def get(self, request: Request, slug: str, game_id: int) -> Response:
        (page,) = selectors.pages([self._find(request, slug, game_id)])
        return answer(shapes.TestGame, page)

    @extend_schema(request=None, responses=shapes.TestGame, operation_id="test_game_cancel")
    def delete(self, request: Request, slug: str, game_id: int) -> Response:
        """Cancel what is not over; the matches that are over stay."""
        game = test_games.cancel(game=self._find(request, slug, game_id), actor=request.user)
        (page,) = selectors.pages([selectors.of_bot(game.version.bot).get(pk=game.pk)])
        return answer(shapes.TestGame, page)
