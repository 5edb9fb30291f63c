"""What an owner decides about a bot as a whole: what is said of it, who reads its code, its end."""

import secrets
from functools import partial
from typing import Final

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.foundation import advance, lock, lock_one
from accounts.models import User
from accounts.services import users
from bots.errors import BotsError
from bots.events import BotDeleted, publish
from bots.models import VERSION_TRANSITIONS, Bot, BotVersion, Fault, QualifyRun, TestGame, VersionState
from bots.selectors.permissions import require_owner
from bots.services import qualifying_runs, uploads_store
from games.models import Match, MatchMode, MatchState, Player
from games.services.results import Progress

MAX_ABOUT: Final = 300
#: Owns the bots that were deleted. Nobody can sign in to it: it has no password, and the domain does not exist.
NOBODY_EMAIL: Final = "nobody@bella.invalid"
NOBODY_NAME: Final = "Nessuno"
_OPEN: Final = (MatchState.PLANNED, MatchState.QUEUED, MatchState.PLAYING)


def change(*, bot: Bot, actor: User, about: str, is_source_public: bool, allows_tests: bool) -> Bot:
    """Set what is said of the bot, whether everybody reads its code, whether others test against it.

    Raises BotsError `bot.not_yours`, `bot.about`.
    """
    require_owner(bot, actor)
    about = about.strip()
    if len(about) > MAX_ABOUT or "\0" in about:
        raise BotsError("bot.about", _("The text has at most %(most)d characters."), status=422, most=MAX_ABOUT)
    with transaction.atomic():
        bot = lock_one(Bot.objects.filter(pk=bot.pk))
        require_owner(bot, actor)
        bot.about, bot.is_source_public, bot.allows_tests = about, is_source_public, allows_tests
        bot.save(update_fields=["about", "is_source_public", "allows_tests"])
    return bot


def delete(*, bot: Bot, actor: User, confirmed: str) -> Bot:
    """Take a bot out for good: name, author and code go, its matches and their results stay under a number.

    `confirmed` is the bot's name, typed. Raises BotsError `bot.not_yours`, `bot.house`, `bot.not_confirmed`,
    `bot.plays`, and the reason of a league that cannot let it go: then nothing has changed.
    """
    require_owner(bot, actor)
    if bot.is_house:
        raise BotsError("bot.house", _("The active version of a house bot stays: the others are measured by it."))
    if confirmed.strip() != bot.player.name:
        raise BotsError(
            "bot.not_confirmed", _("Nothing was done: type %(name)s to delete the bot."), name=bot.player.name
        )
    nobody = _nobody()
    with transaction.atomic():
        bot = lock_one(Bot.objects.filter(pk=bot.pk))
        require_owner(bot, actor)
        publish(BotDeleted(player_id=bot.player_id, actor_id=actor.pk))
        TestGame.objects.filter(version__bot=bot).update(by=None)  # before its matches, as `test_games.cancel` locks
        _end_matches(bot)
        versions = list(lock(bot.versions.all()))
        for version in versions:
            version.bot = bot
            _empty(version)
        bot.active_version, bot.owner, bot.about = None, nobody, ""
        bot.is_source_public = bot.allows_tests = False
        bot.deleted_at = timezone.now()
        bot.save()
        bot.mates.all().delete()
        bot.activations.update(by=None)
        Fault.objects.filter(version__in=versions).update(request="", answer="", detail="", stderr_tail="")
        name = f"bot-{bot.pk}"
        slug = f"{name}-{secrets.token_hex(4)}"  # an address that nobody has taken to keep the bot from going
        Player.objects.filter(pk=bot.player_id).update(name=name, slug=slug)
        for sha256 in {version.sha256 for version in versions}:
            transaction.on_commit(partial(uploads_store.discard, sha256=sha256), robust=True)
    bot.player.refresh_from_db()
    return bot


def _end_matches(bot: Bot) -> None:
    """Test games end; of others the bot cannot be taken out. Raises BotsError `bot.plays`."""
    matches = Match.objects.filter(seats__player=bot.player_id, state__in=_OPEN).distinct()
    if matches.exclude(mode=MatchMode.TEST).exists():
        raise BotsError("bot.plays", _("It has matches to play: it can be deleted when they are over."))
    progress = Progress()
    for match in lock(Match.objects.filter(pk__in=list(matches.values_list("pk", flat=True)), state__in=_OPEN)):
        progress.void(match, "cancelled")
    progress.save()


def _empty(version: BotVersion) -> None:
    """Leave of a version what its matches name; precondition: bot and version are locked."""
    qualifying_runs.cancel(version, reason="deleted")
    QualifyRun.objects.filter(version=version).delete()
    version.refresh_from_db(fields=["state"])
    if version.state != VersionState.RETIRED:
        advance(version, VersionState.RETIRED, table=VERSION_TRANSITIONS)
    version.notes, version.filename, version.report, version.by = "", "bot.py", [], None
    version.save(update_fields=["state", "notes", "filename", "report", "by"])


def _nobody() -> User:
    found = User.objects.filter(email=NOBODY_EMAIL).first()
    return found or users.create(email=NOBODY_EMAIL, name=NOBODY_NAME, password=None, is_confirmed=True)
