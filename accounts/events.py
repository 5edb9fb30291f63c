"""What happens to users, told to the apps above."""

from dataclasses import dataclass

from accounts.foundation.events import publish, subscribe

__all__ = ["SignedUp", "publish", "subscribe"]


@dataclass(frozen=True, slots=True)
class SignedUp:
    """A user was made."""

    user_id: int
