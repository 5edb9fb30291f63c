"""A seat waits for the next deal, or for the first one."""

from typing import Any

from games.models import Match
from games.services import play
from games.views.seated import Body, posted


@posted(deal=int)
def ready(match: Match, seat: int, body: Body) -> dict[str, Any]:
    """Deal number `deal` may begin."""
    return play.ready(match=match, seat=seat, deal=body["deal"])
