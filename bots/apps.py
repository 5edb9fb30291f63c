"""The Django application `bots`."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class BotsConfig(AppConfig):
    """Settings of the app."""

    name = "bots"
    verbose_name = _("Bots")
