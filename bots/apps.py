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
        from bots.services import listeners
        from games.events import MatchesHeld, MatchesReleased, MatchesVoided, subscribe
        from games.selectors.visibility import private_viewers

        subscribe(MatchesVoided, function=listeners.matches_voided)
        subscribe(MatchesHeld, function=listeners.matches_held)
        subscribe(MatchesReleased, function=listeners.matches_released)
        if listeners.seated_by not in private_viewers:
            private_viewers.append(listeners.seated_by)
