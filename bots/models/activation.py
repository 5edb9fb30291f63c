"""Which version played when: one row each time that the active version changed to another."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from bots.models.bot import Bot
from bots.models.version import BotVersion


class Activation(models.Model):
    """`version` became the active one; `by` is null when it did so by qualifying."""

    bot = models.ForeignKey(Bot, models.CASCADE, related_name="activations", verbose_name=_("bot"))
    version = models.ForeignKey(BotVersion, models.PROTECT, related_name="+", verbose_name=_("version"))
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+", verbose_name=_("by")
    )
    created_at = models.DateTimeField(_("at"), auto_now_add=True)

    class Meta:
        verbose_name = _("activation of a version")
        verbose_name_plural = _("activations of versions")
        indexes = [models.Index(fields=["bot", "-created_at"], name="activation_history")]

    def __str__(self) -> str:
        return f"{self.version} {self.created_at:%Y-%m-%d %H:%M}"
