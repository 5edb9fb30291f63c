"""Who runs a bot together with its owner."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from bots.models.bot import Bot


class BotMate(models.Model):
    """A person who was asked to run a bot together with its owner; a mate once `accepted_at` is set.

    Mates see code and logs, upload, choose the version that plays and start test games. Owning it, its team and its end
    stay with the owner.
    """

    bot = models.ForeignKey(Bot, models.CASCADE, related_name="mates", verbose_name=_("bot"))
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="mate_of", verbose_name=_("team mate")
    )
    accepted_at = models.DateTimeField(_("accepted at"), null=True, blank=True)
    created_at = models.DateTimeField(_("asked at"), auto_now_add=True)

    class Meta:
        verbose_name = _("team mate of a bot")
        verbose_name_plural = _("team mates of bots")
        ordering = ["pk"]
        constraints = [models.UniqueConstraint("bot", "user", name="mate_once_a_bot")]

    def __str__(self) -> str:
        return f"{self.bot_id}: {self.user_id}"
