"""Practice: what would a bot play?"""

from typing import Any

from games.models import Match
from games.services import practice
from games.views.seated import Body, posted


@posted(status=202, deal=int, ply=int)
def hint(match: Match, seat: int, body: Body) -> dict[str, Any]:
    """The answer comes as the event `hint`."""
    return practice.ask_hint(match=match, seat=seat, deal=body["deal"], ply=body["ply"])
