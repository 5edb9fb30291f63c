"""The Django application `bots`."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from accounts import notice_kinds
from bots import notices


class BotsConfig(AppConfig):
    """Settings of the app."""

    name = "bots"
    verbose_name = _("Bots")

    def ready(self) -> None:
        """Name the notices of this app; listen to games; let owners see where their bots sit."""
        notice_kinds.register(notices.SENTENCES)
        from bots.services import listeners, moves
        from games.events import (
            HintWanted,
            MatchesHeld,
            MatchesReleased,
            MatchesVoided,
            TurnGiven,
            TurnTaken,
            subscribe,
        )
        from games.selectors.visibility import private_viewers

        subscribe(MatchesVoided, function=listeners.matches_voided)
        subscribe(MatchesHeld, function=listeners.matches_held)
        subscribe(MatchesReleased, function=listeners.matches_released)
        subscribe(TurnGiven, function=moves.turn_given)
        subscribe(TurnTaken, function=moves.turn_taken)
        subscribe(HintWanted, function=moves.hint_wanted)
        if listeners.seated_by not in private_viewers:
            private_viewers.append(listeners.seated_by)
