"""What `games` does when another app tells something; runs inside the transaction of the teller."""

from accounts.events import SignedUp
from accounts.models import User
from games.services import players


def seat_new_user(event: SignedUp) -> None:
    """Every user plays as somebody."""
    players.create_human(user=User.objects.get(pk=event.user_id))
