"""A run of one card: the arena is asked what a bot plays at a table of people."""

import uuid

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.foundation import Transitions
from bots.models.version import BotVersion
from games.models import Match


class MoveState(models.TextChoices):
    """Where a question stands; at most one open a position and purpose."""

    OPEN = "open", pgettext_lazy("move", "Asked")
    DONE = "done", pgettext_lazy("move", "Answered")
    LOST = "lost", pgettext_lazy("move", "Without an answer")
    STALE = "stale", pgettext_lazy("move", "No longer wanted")


MOVE_TRANSITIONS: Transitions = {
    MoveState.OPEN: frozenset({MoveState.DONE, MoveState.LOST, MoveState.STALE}),
    MoveState.DONE: frozenset(),
    MoveState.LOST: frozenset(),
    MoveState.STALE: frozenset(),
}


class MovePurpose(models.TextChoices):
    """What an answer is for."""

    CARD = "card", _("A card")
    HINT = "hint", _("A hint")


class MoveRun(models.Model):
    """A question for the card of `seat` after `ply` cards of deal number `deal`; `version` is null for a hint.

    `bank_us` was there when it was asked, `bank_left_us` after the answer: the next question of the seat and deal goes
    on from it. Times in us. `note` and `log` are for the bot's owner, once the match is over.
    """

    run_id = models.UUIDField(_("run"), default=uuid.uuid4, unique=True, editable=False)
    match = models.ForeignKey(Match, models.CASCADE, related_name="moves", verbose_name=_("match"))
    deal = models.PositiveSmallIntegerField(_("number of the deal"))
    ply = models.PositiveSmallIntegerField(_("play"))
    seat = models.PositiveSmallIntegerField(_("seat"))
    purpose = models.CharField(_("purpose"), max_length=4, choices=MovePurpose, default=MovePurpose.CARD)
    version = models.ForeignKey(
        BotVersion, models.PROTECT, null=True, blank=True, related_name="moves", verbose_name=_("version")
    )
    attempt = models.PositiveSmallIntegerField(_("attempt"), default=0)
    state = models.CharField(_("state"), max_length=5, choices=MoveState, default=MoveState.OPEN)
    nonce = models.CharField(_("nonce"), max_length=64, blank=True, default="")
    next_seq = models.PositiveIntegerField(_("next report"), default=0)
    worker = models.CharField(_("worker"), max_length=120, blank=True, default="")
    bank_us = models.PositiveBigIntegerField(_("bank, us"))
    bank_left_us = models.PositiveBigIntegerField(_("bank left, us"), null=True, blank=True)
    cpu_us = models.PositiveBigIntegerField(_("CPU time, us"), default=0)
    wall_us = models.PositiveBigIntegerField(_("time, us"), default=0)
    note = models.CharField(_("note"), max_length=200, blank=True, default="")
    log = models.TextField(_("log"), blank=True, default="")
    reason = models.CharField(_("reason"), max_length=300, blank=True, default="")
    sent_at = models.DateTimeField(_("sent at"))
    ended_at = models.DateTimeField(_("ended at"), null=True, blank=True)

    class Meta:
        verbose_name = _("move run")
        verbose_name_plural = _("move runs")
        constraints = [
            models.UniqueConstraint(
                "match", "deal", "ply", "purpose", name="move_one_open_a_position", condition=Q(state=MoveState.OPEN)
            )
        ]
        indexes = [models.Index(fields=["match", "deal", "ply"], name="move_position")]

    def __str__(self) -> str:
        return f"{self.match} {self.deal}/{self.ply} {self.state}"
