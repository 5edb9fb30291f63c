"""What pages of bots say of the guide for authors."""

from django import template
from django.urls import reverse

from bots.house import HOUSE
from bots.models import Bot

register = template.Library()
_FILES = {shown: name for name, shown in HOUSE.items()}


@register.simple_tag
def house_source_url(bot: Bot) -> str:
    """Where a house bot's source can be read; empty for any other bot."""
    name = _FILES.get(bot.player.name) if bot.is_house else None
    return reverse("bots:learn-source", args=[name]) if name else ""
