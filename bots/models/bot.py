"""A bot: a player whose cards are chosen by uploaded code."""

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from games.models import Player

if TYPE_CHECKING:
    from django.db.models.fields.related_descriptors import RelatedManager

    from bots.models.mate import BotMate
    from bots.models.version import BotVersion


class Bot(models.Model):
    """The bot of an owner; `active_version` (always a qualified one) plays its next matches."""

    player = models.OneToOneField(Player, models.PROTECT, related_name="bot", verbose_name=_("player"))
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="bots", verbose_name=_("owner"))
    language = models.CharField(_("language"), max_length=12, default="python")
    active_version = models.ForeignKey(
        "bots.BotVersion", models.PROTECT, null=True, blank=True, related_name="+", verbose_name=_("active version")
    )
    is_house = models.BooleanField(_("house bot"), default=False)
    about = models.CharField(_("about"), max_length=300, blank=True, default="")
    is_source_public = models.BooleanField(
        _("source for everybody"), default=False, help_text=_("Everybody may read the code of its qualified versions.")
    )
    allows_tests = models.BooleanField(
        _("test games"), default=True, help_text=_("Authors of other bots may play unrated test games against it.")
    )
    deleted_at = models.DateTimeField(_("deleted at"), null=True, blank=True, editable=False)
    created_at = models.DateTimeField(_("since"), auto_now_add=True)

    if TYPE_CHECKING:
        versions: RelatedManager["BotVersion"]
        mates: RelatedManager["BotMate"]

    class Meta:
        verbose_name = _("bot")
        verbose_name_plural = _("bots")

    def __str__(self) -> str:
        return self.player.name

    def get_absolute_url(self) -> str:
        """The bot's page."""
        return f"/bots/{self.player.slug}/"
