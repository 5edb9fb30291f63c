"""The public log of a league: who did what, when, why."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from league.models.league import League
from league.models.tournament import Tournament


class AuditEntry(models.Model):
    """One act. `action` is a stable code (`tournament.start`); `target` what it was done to; `actor` null = the
    system."""

    league = models.ForeignKey(
        League, models.CASCADE, null=True, blank=True, related_name="audit", verbose_name=_("league")
    )
    tournament = models.ForeignKey(
        Tournament, models.CASCADE, null=True, blank=True, related_name="audit", verbose_name=_("tournament")
    )
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+", verbose_name=_("actor")
    )
    action = models.CharField(_("action"), max_length=40)
    target = models.CharField(_("target"), max_length=120, blank=True, default="")
    before = models.JSONField(_("before"), default=dict, blank=True)
    after = models.JSONField(_("after"), default=dict, blank=True)
    reason = models.CharField(_("reason"), max_length=500, blank=True, default="")
    at = models.DateTimeField(_("at"), auto_now_add=True)

    class Meta:
        verbose_name = _("log entry")
        verbose_name_plural = _("log entries")
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["tournament", "-id"], name="audit_tournament"),
            models.Index(fields=["league", "-id"], name="audit_league"),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.target}"
