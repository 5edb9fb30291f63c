"""How often two people may meet for Elo: so many rated matches in a rolling day, then they play on unrated."""

from datetime import datetime, timedelta
from typing import Final

from django.db.models import QuerySet
from django.utils import timezone

from games.models import MatchState, Player, Seat
from league.models import RatedMatch, RatedState

MOST: Final = 6
WINDOW: Final = timedelta(hours=24)


def is_reached(first: Player, second: Player, *, now: datetime | None = None) -> bool:
    """Whether the next match of this pair would not count; one query.

    Binding only while the pool's row is locked; before that it is what a page tells.
    """
    since = (now or timezone.now()) - WINDOW
    counting = RatedMatch.objects.filter(match__created_at__gt=since, pool__isnull=False)
    counting = counting.exclude(state=RatedState.UNRATED).exclude(match__state=MatchState.VOID)
    both = counting.filter(match__in=_seated(first)).filter(match__in=_seated(second))
    return both.count() >= MOST


def _seated(player: Player) -> QuerySet[Seat, int]:
    return Seat.objects.filter(player=player).values_list("match_id", flat=True)
