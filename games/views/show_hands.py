"""Practice: the other hands are shown."""

from typing import Any

from games.models import Match
from games.services import practice
from games.views.seated import Body, posted


@posted(on=bool)
def show_hands(match: Match, seat: int, body: Body) -> dict[str, Any]:
    """Or hidden again."""
    return practice.show_hands(match=match, seat=seat, on=body["on"])
