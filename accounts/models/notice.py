"""The inbox: what the site tells a user."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class Notice(models.Model):
    """One message to one user: `kind` names the sentence (a table of translatable texts), `params` fills it."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="notices", verbose_name=_("user"))
    kind = models.CharField(_("kind"), max_length=40)
    params = models.JSONField(_("parameters"), default=dict, blank=True)
    url = models.CharField(_("page"), max_length=200, blank=True)
    created_at = models.DateTimeField(_("at"), auto_now_add=True)
    read_at = models.DateTimeField(_("read at"), null=True, blank=True)

    class Meta:
        verbose_name = _("notice")
        verbose_name_plural = _("notices")
        indexes = [models.Index(fields=["user", "-id"], name="notice_inbox")]

    def __str__(self) -> str:
        return f"{self.kind} → {self.user_id}"
