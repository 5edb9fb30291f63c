"""Template tags about the person who looks at the page: language, theme and deck."""

from dataclasses import dataclass
from typing import Any

from django import template
from django.utils.translation import get_language

from accounts.models import Deck, Language, Theme

register = template.Library()


@dataclass(frozen=True, slots=True)
class Viewer:
    """What a page needs to know before it draws anything; every value is one of the model's choices."""

    language: str
    theme: str
    deck: str


@register.simple_tag(takes_context=True)
def viewer(context: dict[str, Any]) -> Viewer:
    """The viewer's preferences: from the account, else from the cookies `theme` and `deck`, else the defaults.

    Works without a request (the page for an internal error has none). A value that is no choice is ignored.
    """
    request = context.get("request")
    user = getattr(request, "user", None)
    if user is not None and user.is_authenticated:
        theme, deck = user.theme, user.deck
    else:
        cookies = getattr(request, "COOKIES", {})
        theme, deck = cookies.get("theme", ""), cookies.get("deck", "")
    language = (get_language() or Language.ITALIAN).split("-")[0]
    return Viewer(
        language=language,
        theme=theme if theme in Theme.values else Theme.AUTO.value,
        deck=deck if deck in Deck.values else Deck.NAPOLETANE.value,
    )
