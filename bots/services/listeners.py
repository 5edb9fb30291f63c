"""What `bots` does when games tells something; runs inside the transaction of the teller."""

from django.db.models import Q

from accounts.foundation import lock
from accounts.models import User
from bots.models import Bot
from bots.selectors.bots import run_by
from bots.services import ringing
from bots.services.runs.stopping import stop_locked
from games.events import MatchesHeld, MatchesReleased, MatchesVoided
from games.models import Match, Seat


def matches_voided(event: MatchesVoided) -> None:
    """Nobody plays a void match."""
    stop_locked(matches=lock(Match.objects.filter(pk__in=event.match_ids)), reason="void")


def matches_held(event: MatchesHeld) -> None:
    """Held matches leave the arena: at once when they wait, after their deal when they are in play."""
    stop_locked(matches=lock(Match.objects.filter(pk__in=event.match_ids)), reason="hold", only_waiting=True)


def matches_released(_event: MatchesReleased) -> None:
    """There may be work again."""
    ringing.ask_dispatch()


def seated_by(user: User) -> Q:
    """Private matches that who runs a bot may see: those in which the bot sits."""
    bots = Bot.objects.filter(run_by(user))
    return Q(pk__in=Seat.objects.filter(bot_seat__version__bot__in=bots).values("match_id"))
