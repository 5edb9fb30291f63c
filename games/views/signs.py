"""A seat makes a sign to its partner."""

from typing import Any

from games.models import Match
from games.services import play
from games.views.seated import Body, posted


@posted(deal=int, ply=int, code=str)
def signs(match: Match, seat: int, body: Body) -> dict[str, Any]:
    """Where the rules have signs."""
    return play.make_sign(match=match, seat=seat, deal=body["deal"], ply=body["ply"], code=body["code"])
