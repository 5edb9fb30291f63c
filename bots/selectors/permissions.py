"""Who sees what of a bot, and who runs it."""

from typing import TYPE_CHECKING

from accounts.models import User
from bots.models import Bot, BotVersion, VersionState

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser

    Viewer = User | AnonymousUser


def can_run(bot: Bot, user: "Viewer") -> bool:
    """Who uploads, chooses the version that plays, starts test games: the owner, his team mates, staff."""
    if not user.is_authenticated:
        return False
    return bot.owner_id == user.pk or user.acts_as_staff or is_mate(bot, user)


def is_mate(bot: Bot, user: User) -> bool:
    """Whether the owner's invitation was accepted; one query."""
    return bot.mates.filter(user=user, accepted_at__isnull=False).exists()


def can_see_code(bot: Bot, user: "Viewer") -> bool:
    """Checks with their logs, games of checks, what a fault was asked and answered: who runs it."""
    return can_run(bot, user)


def can_see_source(version: BotVersion, user: "Viewer") -> bool:
    """The code of a version: who runs it; everybody where it is public and has qualified."""
    bot = version.bot
    is_open = bot.is_source_public or bot.is_house
    return (is_open and version.state in (VersionState.QUALIFIED, VersionState.RETIRED)) or can_run(bot, user)


def people(bot: Bot) -> list[User]:
    """The owner and his team mates: who is told what happens to the bot."""
    return [bot.owner, *User.objects.filter(mate_of__bot=bot, mate_of__accepted_at__isnull=False).order_by("pk")]
