"""Which version plays a seat."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from bots.models.version import BotVersion
from games.models import Seat


class BotSeat(models.Model):
    """The version that plays a seat; fixed when the match is made."""

    seat = models.OneToOneField(Seat, models.CASCADE, related_name="bot_seat", verbose_name=_("seat"))
    version = models.ForeignKey(BotVersion, models.PROTECT, related_name="seats", verbose_name=_("version"))

    class Meta:
        verbose_name = _("bot's seat")
        verbose_name_plural = _("bots' seats")

    def __str__(self) -> str:
        return f"{self.seat_id}: {self.version_id}"
