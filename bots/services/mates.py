"""Running a bot together: the owner asks, the other one accepts, either may end it."""

from typing import Final

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.foundation import lock_one
from accounts.models import User
from accounts.services import notices, rates
from bots.errors import BotsError
from bots.models import Bot, BotMate
from bots.selectors.permissions import require_owner
from games.models import Player, PlayerKind

#: Mates of a bot, those who were asked included.
MOST: Final = 5
#: Invitations of one owner in a day.
DAILY: Final = 20


def ask(*, bot: Bot, name: str, actor: User) -> BotMate:
    """Ask a person to run the bot too; asked or a mate already: nothing changes.

    `name` is the shown name, or the last part of the address of the player's page. Raises BotsError `bot.not_yours`,
    `mate.unknown`, `mate.ambiguous`, `mate.owner`, `mate.too_many`, and AccountsError `too_often`.
    """
    require_owner(bot, actor)
    user = _person(name)
    with transaction.atomic():
        bot = lock_one(Bot.objects.filter(pk=bot.pk))
        require_owner(bot, actor)
        if user.pk == bot.owner_id:
            raise BotsError("mate.owner", _("The owner runs the bot already: name somebody else."))
        if (found := bot.mates.filter(user=user).first()) is not None:
            return found
        if bot.mates.count() >= MOST:
            raise BotsError("mate.too_many", _("A bot has %(count)d team mates at most: remove one first."), count=MOST)
        rates.spend(what="mate", who=actor.pk, limit=DAILY, seconds=86_400)  # each one is a notice to somebody
        mate = BotMate.objects.create(bot=bot, user=user)
        _tell([user], "mate_asked", bot, url="/my/bots/", name=bot.owner.name)
    return mate


def accept(*, bot: Bot, actor: User) -> BotMate:
    """Become a mate; raises BotsError `mate.not_asked`. A mate already: nothing changes."""
    with transaction.atomic():
        bot = lock_one(Bot.objects.filter(pk=bot.pk))
        mate = bot.mates.filter(user=actor).first()
        if mate is None:
            raise BotsError("mate.not_asked", _("Nobody asks you to run this bot: the invitation was taken back."))
        if mate.accepted_at is None:
            mate.accepted_at = timezone.now()
            mate.save(update_fields=["accepted_at"])
            _tell([bot.owner], "mate_accepted", bot, url=f"/my/bots/{bot.player.slug}/", name=actor.name)
    return mate


def end(*, bot: Bot, user: User, actor: User) -> bool:
    """Take an invitation back, decline it, leave, or send a mate away; False when there was nothing to end.

    Raises BotsError `bot.not_yours` when it is neither the mate himself nor the owner who acts.
    """
    if actor.pk != user.pk:
        require_owner(bot, actor)
    with transaction.atomic():
        bot = lock_one(Bot.objects.filter(pk=bot.pk))
        mate = bot.mates.filter(user=user).first()
        if mate is None:
            return False
        was_mate = mate.accepted_at is not None
        mate.delete()
        if actor.pk == user.pk:
            kind = "mate_left" if was_mate else "mate_declined"
            _tell([bot.owner], kind, bot, url=f"/my/bots/{bot.player.slug}/", name=user.name)
        elif was_mate:
            _tell([user], "mate_removed", bot, url="/my/bots/", name=actor.name)
    return True


def _person(name: str) -> User:
    people = Player.objects.filter(kind=PlayerKind.HUMAN, user__is_active=True)
    wanted = name.strip()
    if (by_address := people.filter(slug=wanted.casefold()).first()) is not None and by_address.user is not None:
        return by_address.user
    found = [player.user for player in people.filter(name__iexact=wanted).select_related("user")[:2]]
    if len(found) > 1:
        raise BotsError(
            "mate.ambiguous",
            _("Several players are called %(name)s: write the last part of the address of the right one's page."),
            name=wanted,
        )
    if not found or found[0] is None:
        raise BotsError("mate.unknown", _("No player is called “%(name)s”."), status=404, name=wanted[:40])
    return found[0]


def _tell(users: list[User], kind: str, bot: Bot, *, url: str, name: str) -> None:
    notices.notify(users=users, kind=kind, url=url, bot=bot.player.name, name=name)
