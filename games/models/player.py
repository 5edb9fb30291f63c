"""Who can sit down at a table."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class PlayerKind(models.TextChoices):
    """A person with an account, an uploaded bot, or a guest (practice only)."""

    HUMAN = "human", _("Human")
    BOT = "bot", _("Bot")
    GUEST = "guest", _("Guest")


class Player(models.Model):
    """Somebody with a seat, a history and, unless a guest, a page: `/players/<slug>/` or `/bots/<slug>/`."""

    kind = models.CharField(_("kind"), max_length=5, choices=PlayerKind)
    name = models.CharField(_("name"), max_length=40)
    slug = models.SlugField(_("address"), max_length=60, unique=True)
    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="player",
        verbose_name=_("user"),
    )
    guest_key = models.CharField(_("guest key"), max_length=64, null=True, blank=True, unique=True, editable=False)
    created_at = models.DateTimeField(_("since"), auto_now_add=True)

    class Meta:
        verbose_name = _("player")
        verbose_name_plural = _("players")
        constraints = [
            models.CheckConstraint(
                name="player_user_only_human", condition=Q(user__isnull=True) | Q(kind=PlayerKind.HUMAN)
            ),
            models.CheckConstraint(
                name="player_guest_has_key",
                condition=Q(kind=PlayerKind.GUEST, guest_key__isnull=False)
                | (~Q(kind=PlayerKind.GUEST) & Q(guest_key__isnull=True)),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        """The player's page."""
        return f"/{'bots' if self.kind == PlayerKind.BOT else 'players'}/{self.slug}/"
