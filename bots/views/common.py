"""What the pages of this app share."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

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


def manage_page(bot: Bot, current: str, more: dict[str, Any]) -> dict[str, Any]:
    """The context of a page of the bot's people: tabs and the way back. `current`: versions tests faults settings."""
    tabs = (
        ("versions", _("Versions"), "bots:manage"),
        ("tests", _("Test games"), "bots:tests"),
        ("faults", _("Faults"), "bots:faults"),
        ("settings", _("Settings"), "bots:settings"),
    )
    crumbs = [(_("My bots"), reverse("bots:mine")), (bot.player.name, reverse("bots:manage", args=[bot.player.slug]))]
    return {
        "bot": bot,
        "section": "mine",
        "tabs": [
            {"label": label, "url": reverse(name, args=[bot.player.slug]), "current": key == current, "count": None}
            for key, label, name in tabs
        ],
        "breadcrumb": [*crumbs, *((label, "") for key, label, _name in tabs[1:] if key == current)],
        **more,
    }
