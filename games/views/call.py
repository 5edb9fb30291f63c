"""A seat calls the deal with more than 60 points."""

from typing import Any

from games.models import Match
from games.services import play
from games.views.seated import Body, posted


@posted(deal=int, ply=int)
def call(match: Match, seat: int, body: Body) -> dict[str, Any]:
    """Where the rules let a side stop at 61."""
    return play.call(match=match, seat=seat, deal=body["deal"], ply=body["ply"])
