"""A place at the table."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from games.models.match import Match
from games.models.player import Player


class Seat(models.Model):
    """Seat `index` (0.. in playing order) of a match; its points go to `side`.

    `shown` is what was known of the player when the match was made: rating, interval, provisional, version (label).
    """

    match = models.ForeignKey(Match, models.CASCADE, related_name="seats", verbose_name=_("match"))
    index = models.PositiveSmallIntegerField(_("seat"))
    side = models.PositiveSmallIntegerField(_("side"))
    player = models.ForeignKey(Player, models.PROTECT, related_name="seats", verbose_name=_("player"))
    shown = models.JSONField(_("shown"), default=dict, blank=True)

    class Meta:
        verbose_name = _("seat")
        verbose_name_plural = _("seats")
        constraints = [models.UniqueConstraint("match", "index", name="seat_once_a_match")]
        indexes = [models.Index(fields=["player", "-match"], name="seat_history")]
        ordering = ["match", "index"]

    def __str__(self) -> str:
        return f"{self.match_id}:{self.index}"
