"""What `games` does when another app tells something; runs inside the transaction of the teller."""

from accounts.events import NoticesChanged, SignedUp
from accounts.models import User
from accounts.selectors import notices
from games import live
from games.services import players


def seat_new_user(event: SignedUp) -> None:
    """Every user plays as somebody."""
    players.create_human(user=User.objects.get(pk=event.user_id))


def tell_inbox(event: NoticesChanged) -> None:
    """The number beside the bell changes on every page that is open."""
    counts = notices.unread_counts(event.user_ids)
    live.publish_to_users("inbox", {user_id: {"count": count} for user_id, count in counts.items()})
