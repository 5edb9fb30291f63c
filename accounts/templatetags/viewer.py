"""Template tags about the person who looks at the page: language, theme, deck and felt."""

from dataclasses import dataclass
from typing import Any

from django import template
from django.utils.translation import get_language

from accounts.models import Deck, Felt, Language, Theme

register = template.Library()


@dataclass(frozen=True, slots=True)
class Viewer:
    """What a page needs to know before it draws anything; every value is one of the model's choices."""

    language: str
    theme: str
    deck: str
    felt: str


@register.simple_tag(takes_context=True)
def viewer(context: dict[str, Any]) -> Viewer:
    """The viewer's preferences: from the account, else from the cookies of the same names, else the defaults.

    Works without a request (the page for an internal error has none). A value that is no choice is ignored.
    """
    request = context.get("request")
    user = getattr(request, "user", None)
    if user is not None and user.is_authenticated:
        theme, deck, felt = user.theme, user.deck, user.felt
    else:
        cookies = getattr(request, "COOKIES", {})
        theme, deck, felt = (cookies.get(name, "") for name in ("theme", "deck", "felt"))
    language = (get_language() or Language.ITALIAN).split("-")[0]
    return Viewer(
        language=language,
        theme=theme if theme in Theme.values else Theme.AUTO.value,
        deck=deck if deck in Deck.values else Deck.NAPOLETANE.value,
        felt=felt if felt in Felt.values else Felt.GREEN.value,
    )
