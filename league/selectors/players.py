"""Reading people: their bots, their leagues, what they run."""

from collections.abc import Sequence
from dataclasses import dataclass

from bots.models import Bot
from games.models import Player, PlayerKind
from league.models import League, Membership, MembershipState, Role
from league.permissions import Viewer
from league.selectors import bots, leagues
from league.selectors.matches import MatchRow


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerPage:
    """All that the page of a person shows. `runs` are the leagues with a role above member."""

    player: Player
    bots: Sequence[Bot]
    leagues: tuple[League, ...]
    runs: tuple[Membership, ...]
    latest: tuple[MatchRow, ...]


def find(slug: str) -> Player | None:
    """The person or bot at an address, guests excepted; one query."""
    rows = Player.objects.exclude(kind=PlayerKind.GUEST).select_related("user")
    return rows.filter(slug=slug).first()


def page_of(player: Player, viewer: Viewer) -> PlayerPage:
    """Everything for the page of a person; seven queries at most."""
    seen = leagues.listed(viewer)
    mine = Membership.objects.filter(player=player, state=MembershipState.ACTIVE).exclude(role=Role.MEMBER)
    return PlayerPage(
        player=player,
        bots=bots.of_owner(player.user_id) if player.user_id else (),
        leagues=bots.leagues_of(player, viewer),
        runs=tuple(mine.filter(league__in=seen.values("pk")).select_related("league").order_by("league__name")),
        latest=bots.latest_matches(player),
    )
