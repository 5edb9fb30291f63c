"""What happens to bots, told to the apps above."""

from dataclasses import dataclass

from accounts.foundation.events import publish, subscribe

__all__ = ["BotDeleted", "BotSilent", "publish", "subscribe"]


@dataclass(frozen=True, slots=True)
class BotDeleted:
    """A bot is about to be deleted by its owner. A listener that cannot let it go raises the reason (DomainError)."""

    player_id: int
    actor_id: int


@dataclass(frozen=True, slots=True)
class BotSilent:
    """A bot has not answered at a table of people for ten minutes, by the site's fault; told once a card."""

    match_id: int
    seat: int
