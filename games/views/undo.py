"""Practice: the own last card is taken back."""

from typing import Any

from games.models import Match
from games.services import practice
from games.views.seated import Body, posted


@posted(deal=int, ply=int)
def undo(match: Match, seat: int, body: Body) -> dict[str, Any]:
    """With everything that came after it."""
    return practice.undo(match=match, seat=seat, deal=body["deal"], ply=body["ply"])
