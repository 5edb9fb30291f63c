"""API tokens: stored hashed, with scopes."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _
from knox.models import AbstractAuthToken


class ApiToken(AbstractAuthToken):
    """A token of a user for the API; the token itself is shown once, only its digest is kept."""

    class Scope(models.TextChoices):
        READ = "read", _("Read")
        UPLOAD = "upload", _("Upload bots")
        PLAY = "play", _("Play and enter leagues")

    name = models.CharField(_("name"), max_length=60, blank=True)
    scopes = ArrayField(models.CharField(max_length=10, choices=Scope), verbose_name=_("scopes"), default=list)
    last_used_at = models.DateTimeField(_("last used"), null=True, blank=True)

    class Meta(AbstractAuthToken.Meta):
        abstract = False
        verbose_name = _("API token")
        verbose_name_plural = _("API tokens")

    def __str__(self) -> str:
        return f"{self.name or self.token_key}"

    @property
    def scope_labels(self) -> list[str]:
        """What the token may do, in words."""
        return [str(self.Scope(scope).label) for scope in self.scopes]
