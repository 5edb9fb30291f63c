"""Signs of life of the run-time roles."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Heartbeat(models.Model):
    """When a process of a role last said that it lives; written every 5 s."""

    role = models.CharField(_("role"), max_length=20)
    name = models.CharField(_("process"), max_length=80)
    at = models.DateTimeField(_("last seen"))
    detail = models.JSONField(_("detail"), default=dict, blank=True)

    class Meta:
        verbose_name = _("heartbeat")
        verbose_name_plural = _("heartbeats")
        constraints = [models.UniqueConstraint("role", "name", name="heartbeat_once_a_process")]

    def __str__(self) -> str:
        return f"{self.role} {self.name}"
