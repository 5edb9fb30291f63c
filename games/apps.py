"""The Django application `games`."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class GamesConfig(AppConfig):
    """Settings of the app."""

    name = "games"
    verbose_name = _("Games")

    def ready(self) -> None:
        """Listen to what the apps below tell."""
        from accounts.events import NoticesChanged, SignedUp, subscribe
        from games.services.listeners import seat_new_user, tell_inbox

        subscribe(SignedUp, function=seat_new_user)
        subscribe(NoticesChanged, function=tell_inbox)
