"""Reading matches as lists: which a person is shown, narrowed by player, league, tournament, round."""

from collections.abc import Iterable

from django.db.models import Q, QuerySet

from games.models import Match, MatchMode, Player, Seat, Visibility
from games.selectors.visibility import Viewer, visible_matches
from league.models import League, PairingMatch, Tournament


def shown(viewer: Viewer, *, within: Iterable[League | Tournament] = ()) -> QuerySet[Match]:
    """Matches that a list shows to this viewer: public ones, and private ones of his own leagues.

    Inside leagues or tournaments (`within`; the caller found them for this viewer) the unlisted ones of theirs as well.
    Practice and tests are on no list.
    """
    rows = visible_matches(viewer, Match.objects.exclude(mode__in=(MatchMode.TEST, MatchMode.PRACTICE)))
    places = list(within)
    if not places:
        return rows.exclude(visibility=Visibility.UNLISTED)
    for place in places:
        rows = rows.filter(pk__in=_of(place))
    return rows


def _of(place: League | Tournament) -> QuerySet:
    inside = (
        Q(pairing__stage__tournament__league=place)
        if isinstance(place, League)
        else Q(pairing__stage__tournament=place)
    )
    return PairingMatch.objects.filter(inside).values("match")


def of_player(rows: QuerySet[Match], player: Player) -> QuerySet[Match]:
    """Those in which the player has a seat."""
    return rows.filter(pk__in=Seat.objects.filter(player=player).values("match"))
