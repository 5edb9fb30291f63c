"""What leagues do about the news of the apps below."""

from django.db.models import Q

from accounts.foundation.wake import wake
from accounts.models import User
from bots.events import BotDeleted
from games.events import MatchesVoided, MatchFinished, subscribe
from games.models import MatchMode
from games.selectors.visibility import private_viewers
from league.models import Membership, MembershipState, PairingMatch
from league.services import memberships

APPLY_RESULTS = "league.tasks.apply_results"
APPLY_RATINGS = "league.tasks.apply_ratings"


def listen() -> None:
    """Subscribe; called when the app is ready."""
    subscribe(MatchFinished, function=_match_over)
    subscribe(MatchesVoided, function=_match_over)
    subscribe(BotDeleted, function=_bot_deleted)
    private_viewers.append(_of_my_leagues)


def _match_over(event: MatchFinished | MatchesVoided) -> None:
    wake(APPLY_RESULTS)
    if isinstance(event, MatchFinished) and event.mode == MatchMode.RATED:
        wake(APPLY_RATINGS)  # a match of people is a period of its own: they wait for their Elo


def _bot_deleted(event: BotDeleted) -> None:
    """It leaves its leagues; refused while it is entered in a tournament that is not over."""
    actor = User.objects.get(pk=event.actor_id)
    staying = (MembershipState.LEFT, MembershipState.SUSPENDED, MembershipState.BANNED)
    for row in Membership.objects.filter(player=event.player_id).exclude(state__in=staying).select_related("league"):
        memberships.leave(league=row.league, player=row.player, actor=actor)


def _of_my_leagues(user: User) -> Q:
    """Private matches that a person may see: those of the leagues where the person, or a bot of his, is a member."""
    memberships = "pairing__stage__tournament__league__memberships"
    active = Q(**{f"{memberships}__state": MembershipState.ACTIVE})
    mine = Q(**{f"{memberships}__player__user": user}) | Q(**{f"{memberships}__player__bot__owner": user})
    return Q(pk__in=PairingMatch.objects.filter(active & mine).values("match_id"))
