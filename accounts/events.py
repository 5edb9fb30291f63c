"""What happens to users, told to the apps above."""

from dataclasses import dataclass

from accounts.foundation.events import publish, subscribe

__all__ = ["NoticesChanged", "SignedUp", "publish", "subscribe"]


@dataclass(frozen=True, slots=True)
class SignedUp:
    """A user was made."""

    user_id: int


@dataclass(frozen=True, slots=True)
class NoticesChanged:
    """Notices of these users were written or read."""

    user_ids: tuple[int, ...]
