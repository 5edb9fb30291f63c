"""The Django application `league`."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from accounts import notice_kinds
from league import notices


class LeagueConfig(AppConfig):
    """Settings of the app."""

    name = "league"
    verbose_name = _("Leagues and ratings")

    def ready(self) -> None:
        """Check the table of expected scores; name the notices of this app; listen to what happens to matches."""
        notice_kinds.register(notices.SENTENCES)
        from league.listeners import listen
        from league.rating import check_tables

        check_tables()
        listen()
