"""What the pages of this app share."""

from django.contrib import messages
from django.http import Http404, HttpRequest

from accounts.foundation import DomainError
from bots.models import Bot, BotVersion
from bots.selectors.permissions import can_see_code


def find_bot(slug: str) -> Bot:
    """The bot at an address. Raises Http404."""
    found = Bot.objects.select_related("player", "active_version", "owner").filter(player__slug=slug).first()
    if found is None:
        raise Http404
    return found


def find_version(slug: str, number: int) -> BotVersion:
    """The version at an address. Raises Http404."""
    found = (
        BotVersion.objects.select_related("bot__player", "bot__owner", "bot__active_version")
        .filter(bot__player__slug=slug, number=number)
        .first()
    )
    if found is None:
        raise Http404
    return found


def own(bot: Bot, request: HttpRequest) -> None:
    """Leave only the owner and staff; for others the page does not exist. Raises Http404."""
    if not can_see_code(bot, request.user):
        raise Http404


def refused(request: HttpRequest, error: DomainError) -> None:
    """Show why an action was refused on the next page."""
    messages.error(request, str(error))
