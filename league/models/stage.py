"""Stages (a format) and their rounds."""

from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.foundation import Transitions
from league.models.tournament import Tournament

if TYPE_CHECKING:
    from django.db.models.fields.related_descriptors import RelatedManager

    from league.models.pairing import Pairing


class StageFormat(models.TextChoices):
    """How entries meet."""

    ROUND_ROBIN = "round_robin", _("Round robin")


class StageState(models.TextChoices):
    """Where a stage stands."""

    PLANNED = "planned", _("Planned")
    RUNNING = "running", _("Running")
    FINISHED = "finished", _("Finished")


class EncounterScoring(models.TextChoices):
    """Points of a pairing: by its outcome, or its matches' points added up."""

    OUTCOME = "outcome", _("Who wins the encounter")
    SHARE = "share", _("Every match counts")


class Stage(models.Model):
    """A format of a tournament. `encounter` matches a pairing, mirrored two by two when `mirrored`; `best_of`
    deals a match.

    `params` by format; round robin: {"double": bool}.
    """

    tournament = models.ForeignKey(Tournament, models.CASCADE, related_name="stages", verbose_name=_("tournament"))
    order = models.PositiveSmallIntegerField(_("order"), default=1)
    format = models.CharField(_("format"), max_length=20, choices=StageFormat, default=StageFormat.ROUND_ROBIN)
    params = models.JSONField(_("parameters"), default=dict, blank=True)
    best_of = models.PositiveSmallIntegerField(_("best of"), default=3)
    encounter = models.PositiveSmallIntegerField(_("matches per pairing"), default=2)
    mirrored = models.BooleanField(_("mirrored"), default=True)
    encounter_scoring = models.CharField(
        _("encounter scoring"), max_length=7, choices=EncounterScoring, default=EncounterScoring.OUTCOME
    )
    state = models.CharField(_("state"), max_length=8, choices=StageState, default=StageState.PLANNED)

    if TYPE_CHECKING:
        rounds: RelatedManager["Round"]

    class Meta:
        verbose_name = _("stage")
        verbose_name_plural = _("stages")
        constraints = [
            models.UniqueConstraint("tournament", "order", name="stage_order_once"),
            models.CheckConstraint(name="stage_best_of", condition=Q(best_of__in=(1, 3, 5, 7))),
            models.CheckConstraint(name="stage_encounter", condition=Q(encounter__gte=1, encounter__lte=200)),
        ]

    def __str__(self) -> str:
        return f"{self.tournament} / {self.order}"


class RoundState(models.TextChoices):
    """Where a round stands."""

    DRAFT = "draft", _("Draft")
    DISCARDED = "discarded", _("Discarded")
    CONFIRMED = "confirmed", _("Confirmed")
    RELEASED = "released", _("Released")
    RUNNING = "running", _("Running")
    FINISHED = "finished", _("Finished")


#: released -> confirmed (unrelease) only while no match has started: the verb checks it. finished -> running: a match
#: of it is played again.
ROUND_TRANSITIONS: Transitions = {
    RoundState.DRAFT: frozenset({RoundState.CONFIRMED, RoundState.DISCARDED}),
    RoundState.DISCARDED: frozenset(),
    RoundState.CONFIRMED: frozenset({RoundState.DRAFT, RoundState.RELEASED}),
    RoundState.RELEASED: frozenset({RoundState.CONFIRMED, RoundState.RUNNING, RoundState.FINISHED}),
    RoundState.RUNNING: frozenset({RoundState.FINISHED}),
    RoundState.FINISHED: frozenset({RoundState.RUNNING}),
}


class Round(models.Model):
    """A step of a stage: who meets whom. `input_hash` = SHA-256 of the canonical inputs of its draw."""

    stage = models.ForeignKey(Stage, models.CASCADE, related_name="rounds", verbose_name=_("stage"))
    number = models.PositiveSmallIntegerField(_("number"))
    state = models.CharField(_("state"), max_length=9, choices=RoundState, default=RoundState.DRAFT)
    input_hash = models.CharField(_("hash of the inputs"), max_length=64, blank=True, default="")
    released_at = models.DateTimeField(_("released at"), null=True, blank=True)
    finished_at = models.DateTimeField(_("over at"), null=True, blank=True)

    if TYPE_CHECKING:
        pairings: RelatedManager["Pairing"]

    class Meta:
        verbose_name = _("round")
        verbose_name_plural = _("rounds")
        ordering = ["stage", "number"]
        constraints = [
            models.UniqueConstraint(
                "stage", "number", name="round_number_once", condition=~Q(state=RoundState.DISCARDED)
            )
        ]

    def __str__(self) -> str:
        return f"{self.stage} / {self.number}"
