"""The Django application `league`."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class LeagueConfig(AppConfig):
    """Settings of the app."""

    name = "league"
    verbose_name = _("Leagues and ratings")

    def ready(self) -> None:
        """Check the table of expected scores; listen to what happens to matches."""
        from league.listeners import listen
        from league.rating import check_tables

        check_tables()
        listen()
