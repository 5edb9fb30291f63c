"""A run: one attempt of the arena at a match."""

import uuid

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.foundation import Transitions
from games.models import Match


class RunState(models.TextChoices):
    """Where a run stands; at most one queued or playing run a match."""

    QUEUED = "queued", _("Queued")
    PLAYING = "playing", _("In play")
    DONE = "done", _("Done")
    LOST = "lost", _("Lease lost")
    REFUSED = "refused", _("Refused")
    STOPPED = "stopped", _("Stopped")


RUN_TRANSITIONS: Transitions = {
    RunState.QUEUED: frozenset({RunState.PLAYING, RunState.LOST, RunState.REFUSED, RunState.STOPPED}),
    RunState.PLAYING: frozenset({RunState.DONE, RunState.LOST, RunState.REFUSED, RunState.STOPPED}),
    RunState.DONE: frozenset(),
    RunState.LOST: frozenset(),
    RunState.REFUSED: frozenset(),
    RunState.STOPPED: frozenset(),
}

OPEN_RUNS = (RunState.QUEUED, RunState.PLAYING)


class MatchRun(models.Model):
    """The match is worked under this run alone: a report of any other run is stale.

    `attempt` counts losses at the same deal, 0 again after each reported deal. `nonce` (of the first report) binds the
    run to one delivery of its job; `next_seq` is the number that its next report must carry.
    """

    run_id = models.UUIDField(_("run"), default=uuid.uuid4, unique=True, editable=False)
    match = models.ForeignKey(Match, models.CASCADE, related_name="runs", verbose_name=_("match"))
    attempt = models.PositiveSmallIntegerField(_("attempt"), default=0)
    state = models.CharField(_("state"), max_length=8, choices=RunState, default=RunState.QUEUED)
    nonce = models.CharField(_("nonce"), max_length=64, blank=True, default="")
    worker = models.CharField(_("worker"), max_length=120, blank=True, default="")
    tier = models.CharField(_("sandbox tier"), max_length=20, blank=True, default="")
    policy = models.CharField(_("sandbox policy"), max_length=64, blank=True, default="")
    kernel = models.CharField(_("kernel"), max_length=80, blank=True, default="")
    speed = models.PositiveIntegerField(_("speed of the machine, loops a ms"), null=True, blank=True)
    next_seq = models.PositiveIntegerField(_("next report"), default=0)
    rung_at = models.DateTimeField(_("job sent at"), null=True, blank=True)
    created_at = models.DateTimeField(_("made at"), auto_now_add=True)
    started_at = models.DateTimeField(_("started at"), null=True, blank=True)
    ended_at = models.DateTimeField(_("ended at"), null=True, blank=True)
    reason = models.CharField(_("reason"), max_length=300, blank=True, default="")

    class Meta:
        verbose_name = _("match run")
        verbose_name_plural = _("match runs")
        constraints = [
            models.UniqueConstraint("match", name="run_one_open_a_match", condition=Q(state__in=OPEN_RUNS)),
        ]
        indexes = [models.Index(fields=["state"], name="run_open", condition=Q(state__in=OPEN_RUNS))]

    def __str__(self) -> str:
        return f"{self.match} #{self.attempt} {self.state}"
