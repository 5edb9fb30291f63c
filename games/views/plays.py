"""A seat plays a card."""

from typing import Any

from django.utils import timezone

from games.models import Match
from games.services import play
from games.views.seated import Body, posted


@posted(deal=int, ply=int, card=str)
def plays(match: Match, seat: int, body: Body) -> dict[str, Any]:
    """`{seq, deal, ply, card, clock}`; the same card sent again gets the same answer."""
    return play.play(match=match, seat=seat, deal=body["deal"], ply=body["ply"], card=body["card"], at=timezone.now())
