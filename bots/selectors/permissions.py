"""Who sees what of a bot."""

from typing import TYPE_CHECKING

from bots.models import Bot

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser

    from accounts.models import User


def can_see_code(bot: Bot, user: "User | AnonymousUser") -> bool:
    """Source, checks with their logs, games of checks, what a fault was asked and answered: the owner and staff."""
    return user.is_authenticated and (bot.owner_id == user.pk or user.acts_as_staff)
