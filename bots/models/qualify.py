"""The check of a new version: its run in the arena and the games it played there."""

import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from bots.models.fault import FaultKind
from bots.models.version import BotVersion


class QualifyState(models.TextChoices):
    """Where a check stands."""

    QUEUED = "queued", _("Queued")
    PLAYING = "playing", _("In progress")
    DONE = "done", _("Done")
    LOST = "lost", _("Interrupted: to be repeated")


OPEN_CHECKS = (QualifyState.QUEUED, QualifyState.PLAYING)


class QualifyRun(models.Model):
    """One check of a version in the arena; reports are accepted as for a match run."""

    run_id = models.UUIDField(_("run"), default=uuid.uuid4, unique=True, editable=False)
    version = models.ForeignKey(BotVersion, models.CASCADE, related_name="checks", verbose_name=_("version"))
    seed = models.BinaryField(_("seed"), max_length=32, editable=False)
    state = models.CharField(_("state"), max_length=8, choices=QualifyState, default=QualifyState.QUEUED)
    nonce = models.CharField(_("nonce"), max_length=64, blank=True, default="")
    worker = models.CharField(_("worker"), max_length=120, blank=True, default="")
    tier = models.CharField(_("sandbox tier"), max_length=20, blank=True, default="")
    speed = models.PositiveIntegerField(_("speed of the machine, loops a ms"), null=True, blank=True)
    next_seq = models.PositiveIntegerField(_("next report"), default=0)
    rung_at = models.DateTimeField(_("job sent at"), null=True, blank=True)
    created_at = models.DateTimeField(_("made at"), auto_now_add=True)
    started_at = models.DateTimeField(_("started at"), null=True, blank=True)
    ended_at = models.DateTimeField(_("ended at"), null=True, blank=True)
    reason = models.CharField(_("reason"), max_length=300, blank=True, default="")

    class Meta:
        verbose_name = _("check of a version")
        verbose_name_plural = _("checks of versions")
        constraints = [
            models.UniqueConstraint("version", name="check_one_open_a_version", condition=Q(state__in=OPEN_CHECKS))
        ]

    def __str__(self) -> str:
        return f"{self.version} {self.state}"


class QualifyGame(models.Model):
    """One deal that a version played while it was checked; kept so that its owner can replay it. Cards as text.

    `seat` is null where the version played both seats; `number` counts the deals against `opponent`, two a pair.
    """

    run = models.ForeignKey(QualifyRun, models.CASCADE, related_name="games", verbose_name=_("check"))
    step = models.CharField(_("check"), max_length=30)
    number = models.PositiveSmallIntegerField(_("number"))
    opponent = models.CharField(_("opponent"), max_length=60)
    seat = models.PositiveSmallIntegerField(_("seat of the version"), null=True, blank=True)
    rules = models.CharField(_("rules"), max_length=400, default="n=2")
    dealer = models.PositiveSmallIntegerField(_("dealer"))
    deck = models.CharField(_("deck"), max_length=80)
    plays = models.CharField(_("plays"), max_length=80, blank=True)
    think_ms = ArrayField(models.PositiveIntegerField(), verbose_name=_("thinking, ms"), default=list, blank=True)
    points = ArrayField(models.PositiveSmallIntegerField(), verbose_name=_("points by seat"), default=list)
    winner_side = models.PositiveSmallIntegerField(_("winning side"), null=True, blank=True)
    termination = models.CharField(_("ended by"), max_length=8)
    fault_seat = models.PositiveSmallIntegerField(_("seat at fault"), null=True, blank=True)

    class Meta:
        verbose_name = _("game of a check")
        verbose_name_plural = _("games of checks")
        ordering = ["run", "step", "number"]
        constraints = [models.UniqueConstraint("run", "step", "number", name="check_game_once")]

    def __str__(self) -> str:
        return f"{self.run_id} {self.step} {self.number}"

    @property
    def fault_label(self) -> str:
        """The fault that ended the deal, in words; empty when none did."""
        return "" if self.fault_seat is None else str(FaultKind(self.termination).label)
