"""Standings: a snapshot after each round, always recomputable."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from league.models.entry import Entry
from league.models.stage import Stage


class Standing(models.Model):
    """An entry's row after round `after_round` (0 = none) of a stage. Points in half-points.

    `tie_breaks` is a list of {code, value, parts}: exact values and the parts of their explanation.
    """

    stage = models.ForeignKey(Stage, models.CASCADE, related_name="standings", verbose_name=_("stage"))
    after_round = models.PositiveSmallIntegerField(_("after round"))
    entry = models.ForeignKey(Entry, models.CASCADE, related_name="standings", verbose_name=_("entry"))
    rank = models.PositiveSmallIntegerField(_("rank"))
    points_h = models.PositiveIntegerField(_("half-points"))
    played = models.PositiveSmallIntegerField(_("played"))
    won = models.PositiveSmallIntegerField(_("won"))
    drawn = models.PositiveSmallIntegerField(_("drawn"))
    lost = models.PositiveSmallIntegerField(_("lost"))
    deals_won = models.PositiveIntegerField(_("deals won"))
    deals_lost = models.PositiveIntegerField(_("deals lost"))
    card_points_for = models.PositiveIntegerField(_("card points made"))
    card_points_against = models.PositiveIntegerField(_("card points given"))
    tie_breaks = models.JSONField(_("tie-breaks"), default=list, blank=True)
    form = models.CharField(_("form"), max_length=5, blank=True, default="")

    class Meta:
        verbose_name = _("standing")
        verbose_name_plural = _("standings")
        ordering = ["stage", "after_round", "rank"]
        constraints = [models.UniqueConstraint("stage", "after_round", "entry", name="standing_once")]

    def __str__(self) -> str:
        return f"{self.rank}. {self.entry_id}"
