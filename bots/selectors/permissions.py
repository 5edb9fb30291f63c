"""Who sees what of a bot, and who runs it."""

from typing import TYPE_CHECKING

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from bots.errors import BotsError
from bots.models import Bot, BotVersion, QualifyRun, QualifyState, VersionState

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser

    Viewer = User | AnonymousUser


def can_run(bot: Bot, user: "Viewer") -> bool:
    """Who uploads, chooses the version that plays, starts test games: the owner, his team mates, staff."""
    return user.is_authenticated and (user.acts_as_staff or is_of_team(bot, user))


def is_of_team(bot: Bot, user: User) -> bool:
    """The owner, or a mate who accepted; one query at most."""
    return bot.owner_id == user.pk or bot.mates.filter(user=user, accepted_at__isnull=False).exists()


def can_see_code(bot: Bot, user: "Viewer") -> bool:
    """Checks with their logs, games of checks, what a fault was asked and answered: who runs it."""
    return can_run(bot, user)


def can_see_source(version: BotVersion, user: "Viewer") -> bool:
    """The code of a version: who runs it; everybody where it is public and has qualified."""
    return readable(version.bot, user).filter(pk=version.pk).exists()


def readable(bot: Bot, user: "Viewer") -> QuerySet[BotVersion]:
    """The versions of a bot whose code this person may read. A retired one must have qualified before."""
    if can_run(bot, user):
        return bot.versions.all()
    if not (bot.is_source_public or bot.is_house):
        return bot.versions.none()
    passed = QualifyRun.objects.filter(
        version=OuterRef("pk"), state=QualifyState.DONE, reason=VersionState.QUALIFIED.value
    )
    had_qualified = Q(state=VersionState.RETIRED) & Exists(passed)
    return bot.versions.filter(Q(state=VersionState.QUALIFIED) | had_qualified)


def people(bot: Bot) -> list[User]:
    """The owner and his team mates: who is told what happens to the bot."""
    return [bot.owner, *User.objects.filter(mate_of__bot=bot, mate_of__accepted_at__isnull=False).order_by("pk")]


def require_owner(bot: Bot, user: User) -> None:
    """Refuse (BotsError `bot.not_yours`) unless the bot is the person's own; staff may for anyone."""
    if bot.owner_id != user.pk and not user.acts_as_staff:
        raise BotsError("bot.not_yours", _("This bot belongs to somebody else."), status=403)
