"""Test games: played on demand, rated never."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from bots.models.version import BotVersion


class TestGame(models.Model):
    """Mirrored matches of `version` against `opponent`, wanted by a person who runs the first one.

    Its matches are those of the work group `group`; where it stands follows from theirs.
    """

    __test__ = False  # no class of tests

    version = models.ForeignKey(BotVersion, models.CASCADE, related_name="test_games", verbose_name=_("version"))
    opponent = models.ForeignKey(BotVersion, models.CASCADE, related_name="+", verbose_name=_("opponent"))
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="test_games", verbose_name=_("wanted by")
    )
    pairs = models.PositiveSmallIntegerField(_("pairs of matches"))
    created_at = models.DateTimeField(_("wanted at"), auto_now_add=True)
    cancelled_at = models.DateTimeField(_("cancelled at"), null=True, blank=True)

    class Meta:
        verbose_name = _("test game")
        verbose_name_plural = _("test games")
        ordering = ["-pk"]
        indexes = [models.Index(fields=["by", "-created_at"], name="test_game_quota")]

    def __str__(self) -> str:
        return f"{self.version} – {self.opponent}"

    def get_absolute_url(self) -> str:
        """Its page."""
        return f"/my/bots/{self.version.bot.player.slug}/tests/{self.pk}/"

    @property
    def group(self) -> str:
        """Under which name the dispatcher knows its matches."""
        return f"x:{self.pk}"
