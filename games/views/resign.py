"""A seat gives up the deal or the match."""

from typing import Any

from games.models import Match
from games.services import play
from games.views.seated import Body, posted


@posted(deal=int, scope=str)
def resign(match: Match, seat: int, body: Body) -> dict[str, Any]:
    """`scope` is deal or match; `is_offer`: a person as partner has to agree."""
    return play.resign(match=match, seat=seat, deal=body["deal"], scope=body["scope"])
