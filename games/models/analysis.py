"""What was computed of a finished deal, for its replay."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from games.models.deal import Deal


class AnalysisQuerySet(models.QuerySet["Analysis"]):
    """Adjectives of analyses."""

    def wanted(self) -> "AnalysisQuerySet":
        """Asked for and not made yet."""
        return self.filter(made_at__isnull=True)


class Analysis(models.Model):
    """The analysis of a deal: wanted until `made_at` is set, then never changed.

    `method` names the table of the luck and how far the solver looked. `luck` holds tenths of a point by seat, null
    where it has no meaning. `plays` = [{ply, seat, card, best, lost, values, is_exact}] (`games.engine.PlayValue`).
    """

    deal = models.OneToOneField(Deal, models.CASCADE, related_name="analysis", verbose_name=_("deal"))
    wanted_at = models.DateTimeField(_("wanted since"), auto_now_add=True)
    made_at = models.DateTimeField(_("made at"), null=True, blank=True)
    method = models.CharField(_("method"), max_length=40, blank=True, default="")
    luck = ArrayField(models.IntegerField(), verbose_name=_("luck, tenths of a point"), null=True, blank=True)
    plays = models.JSONField(_("values of the plays"), default=list, blank=True)

    objects = AnalysisQuerySet.as_manager()

    class Meta:
        verbose_name = _("analysis")
        verbose_name_plural = _("analyses")
        indexes = [models.Index(fields=["id"], name="analysis_wanted", condition=models.Q(made_at__isnull=True))]
        constraints = [
            models.CheckConstraint(
                name="analysis_made_by_a_method",
                condition=models.Q(made_at__isnull=True, method="")
                | (models.Q(made_at__isnull=False) & ~models.Q(method="")),
            )
        ]

    def __str__(self) -> str:
        return f"analysis of {self.deal}"
