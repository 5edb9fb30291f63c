"""A seat wins the deal because the seat on turn is away."""

from typing import Any

from games.models import Match
from games.services import absence
from games.views.seated import Body, posted


@posted(deal=int, ply=int)
def claim_absence(match: Match, seat: int, body: Body) -> dict[str, Any]:
    """409 `not_claimable` with `left_s` while the time of the absent seat is not over."""
    return absence.claim(match=match, seat=seat, deal=body["deal"], ply=body["ply"])
