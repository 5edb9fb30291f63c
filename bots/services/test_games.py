"""Test games on demand: mirrored, rated never, few at a time, cancelled at will."""

from datetime import timedelta
from typing import Final

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.foundation import lock, lock_one
from accounts.models import User
from bots.errors import BotsError
from bots.models import Bot, BotVersion, TestGame, VersionState
from bots.selectors.permissions import can_run
from bots.selectors.test_games import unfinished
from bots.services import matches as bot_matches
from bots.services.matches import BotMatchSpec
from games.engine import Rules
from games.models import Match, MatchMode, MatchState, Visibility
from games.services.matches import MatchSpec, SeatSpec, mirrored
from games.services.results import Progress

#: Pairs of matches in one test game, test games of one person at a time and in 24 hours.
MOST_PAIRS: Final = 10
MOST_OPEN: Final = 2
DAILY: Final = 30
RULES: Final = Rules()
CANCELLED: Final = "cancelled"
_OPEN: Final = (MatchState.PLANNED, MatchState.QUEUED, MatchState.PLAYING)


def start(*, version: BotVersion, opponent: BotVersion, pairs: int, actor: User) -> TestGame:
    """Have `pairs` mirrored pairs of matches played.

    The opponent may be any version of a bot that one runs, else the active one of a bot that allows it. Raises
    BotsError `bot.not_yours`, `version.not_qualified`, `test.not_allowed`, `test.pairs`, `test.open`, `test.quota`.
    """
    if not 1 <= pairs <= MOST_PAIRS:
        raise BotsError("test.pairs", _("Choose 1 to %(most)d pairs of matches."), status=422, most=MOST_PAIRS)
    with transaction.atomic():
        lock_one(User.objects.filter(pk=actor.pk))  # counts his test games, one after the other
        lock(Bot.objects.filter(pk__in={version.bot_id, opponent.bot_id}))  # neither is deleted meanwhile
        now = BotVersion.objects.select_related("bot__player").in_bulk({version.pk, opponent.pk})
        version, opponent = now[version.pk], now[opponent.pk]
        if not can_run(version.bot, actor):
            raise BotsError("bot.not_yours", _("This bot belongs to somebody else."), status=403)
        _check_opponent(opponent, actor)
        _check_qualified(version, opponent)
        _check_quota(actor)
        game = TestGame.objects.create(version=version, opponent=opponent, by=actor, pairs=pairs)
        bot_matches.create_many(specs=[spec for _number in range(pairs) for spec in _pair(game)])
    return game


def cancel(*, game: TestGame, actor: User) -> TestGame:
    """End the matches that are not over; those that are stay. Raises BotsError `bot.not_yours`, `test.over`."""
    if game.by_id != actor.pk and not can_run(game.version.bot, actor):
        raise BotsError("bot.not_yours", _("This bot belongs to somebody else."), status=403)
    with transaction.atomic():
        game = lock_one(TestGame.objects.filter(pk=game.pk))
        rows = lock(Match.objects.filter(group=game.group, state__in=_OPEN))
        if not rows:
            raise BotsError("test.over", _("This test game is over: there is nothing left to cancel."))
        progress = Progress()
        for match in rows:
            progress.void(match, CANCELLED)
        progress.save()
        game.cancelled_at = timezone.now()
        game.save(update_fields=["cancelled_at"])
    return game


def _check_opponent(opponent: BotVersion, actor: User) -> None:
    bot = opponent.bot
    if can_run(bot, actor):
        return
    if not bot.allows_tests or bot.active_version_id != opponent.pk:
        raise BotsError(
            "test.not_allowed",
            _("%(name)s cannot be met in test games: choose another opponent."),
            name=bot.player.name,
        )


def _check_qualified(*versions: BotVersion) -> None:
    for one in versions:
        if one.state != VersionState.QUALIFIED:
            raise BotsError(
                "version.not_qualified", _("Only a qualified version can play; this one is “%(state)s”."),
                state=one.get_state_display(),
            )  # fmt: skip


def _check_quota(actor: User) -> None:
    if unfinished(actor).count() >= MOST_OPEN:
        raise BotsError(
            "test.open",
            _("You have %(count)d test games in play, the limit: wait for their end, or cancel one."),
            status=429,
            count=MOST_OPEN,
            retry_after=60,
        )
    since = timezone.now() - timedelta(days=1)
    oldest = (
        TestGame.objects.filter(by=actor, created_at__gt=since)
        .order_by("-created_at")
        .values_list("created_at", flat=True)[DAILY - 1 : DAILY]
        .first()
    )
    if oldest is not None:
        wait = int((oldest - since).total_seconds()) + 1
        raise BotsError(
            "test.quota",
            _("You have started %(count)d test games in 24 hours, the limit. Try again in %(minutes)d minutes."),
            status=429,
            count=DAILY,
            minutes=-(-wait // 60),
            retry_after=wait,
        )


def _pair(game: TestGame) -> tuple[BotMatchSpec, ...]:
    """A mirrored pair: the same decks, seats exchanged."""
    versions = game.version, game.opponent
    seats = tuple(SeatSpec(player=one.bot.player, shown={"version": one.label}) for one in versions)
    spec = MatchSpec(rules=RULES, mode=MatchMode.TEST, seats=seats, visibility=Visibility.UNLISTED, group=game.group)
    return tuple(
        BotMatchSpec(one, versions if number % 2 == 0 else versions[::-1]) for number, one in enumerate(mirrored(spec))
    )
