"""The Django application `games`."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class GamesConfig(AppConfig):
    """Settings of the app."""

    name = "games"
    verbose_name = _("Games")
