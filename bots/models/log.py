"""What bots said and spent in a deal: for the owners of the bots alone, once the match is over."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from games.models import Deal


class DealLog(models.Model):
    """Times, notes and logs of a finished deal of bots; kept for LOG_DAYS (bots.services.logs).

    `cpu_us` and `wall_us` hold one number a play, `bank_left_us` one a seat, us. `notes` = one text or null a play, or
    empty; `logs` = by seat a list of [ply or null, text], what the bot wrote before the answer of that ply, or empty.
    """

    deal = models.OneToOneField(Deal, models.CASCADE, primary_key=True, related_name="log", verbose_name=_("deal"))
    cpu_us = ArrayField(models.BigIntegerField(), verbose_name=_("CPU time, us"))
    wall_us = ArrayField(models.BigIntegerField(), verbose_name=_("time, us"))
    bank_left_us = ArrayField(models.BigIntegerField(), verbose_name=_("bank left, us"))
    notes = models.JSONField(_("notes"), default=list, blank=True)
    logs = models.JSONField(_("logs"), default=list, blank=True)
    created_at = models.DateTimeField(_("at"), auto_now_add=True, db_index=True)

    class Meta:
        verbose_name = _("log of a deal")
        verbose_name_plural = _("logs of deals")

    def __str__(self) -> str:
        return f"log of {self.deal_id}"
