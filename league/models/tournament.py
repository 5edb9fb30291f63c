"""A tournament: one competition of a league."""

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.foundation import Transitions
from league.models.league import League

if TYPE_CHECKING:
    from django.db.models.fields.related_descriptors import RelatedManager

    from league.models.entry import Entry
    from league.models.stage import Stage


class TournamentState(models.TextChoices):
    """Where a tournament stands; suspended = paused while running."""

    DRAFT = "draft", _("Draft")
    REGISTRATION = "registration", _("Registration open")
    READY = "ready", _("Ready to start")
    RUNNING = "running", _("Running")
    SUSPENDED = "suspended", _("Paused")
    FINISHED = "finished", _("Finished")
    CANCELLED = "cancelled", _("Cancelled")


TOURNAMENT_TRANSITIONS: Transitions = {
    TournamentState.DRAFT: frozenset({TournamentState.REGISTRATION, TournamentState.CANCELLED}),
    TournamentState.REGISTRATION: frozenset({TournamentState.READY, TournamentState.CANCELLED}),
    TournamentState.READY: frozenset({TournamentState.RUNNING, TournamentState.CANCELLED}),
    TournamentState.RUNNING: frozenset(
        {TournamentState.SUSPENDED, TournamentState.FINISHED, TournamentState.CANCELLED}
    ),
    TournamentState.SUSPENDED: frozenset({TournamentState.RUNNING, TournamentState.CANCELLED}),
    TournamentState.FINISHED: frozenset(),
    TournamentState.CANCELLED: frozenset(),
}


class Tournament(models.Model):
    """One competition. `seed` decides every draw, `deal_seed` every deck; both commitments are published when
    registration opens, both seeds when it is finished.

    `control`: by hand (an organiser releases each round) or automatic. `release_every_s`: seconds between two releases
    of automatic control (0 = all rounds at once).
    """

    class Control(models.TextChoices):
        HAND = "hand", _("By hand")
        AUTOMATIC = "automatic", _("Automatic")

    league = models.ForeignKey(League, models.PROTECT, related_name="tournaments", verbose_name=_("league"))
    code = models.CharField(_("code"), max_length=12, unique=True)
    name = models.CharField(_("name"), max_length=80)
    about = models.TextField(_("about"), max_length=2000, blank=True, default="")
    state = models.CharField(_("state"), max_length=12, choices=TournamentState, default=TournamentState.DRAFT)
    rules = models.CharField(_("rules"), max_length=400, default="n=2")
    rated = models.BooleanField(_("counts for Elo"), default=True)
    control = models.CharField(_("control"), max_length=9, choices=Control, default=Control.AUTOMATIC)
    release_every_s = models.PositiveIntegerField(_("seconds between rounds"), default=0)
    capacity = models.PositiveSmallIntegerField(_("places"), null=True, blank=True)
    min_entries = models.PositiveSmallIntegerField(_("least entries"), default=2)
    seed = models.BinaryField(_("seed of the draws"), max_length=32, editable=False)
    seed_commitment = models.CharField(_("commitment of the draws"), max_length=64)
    deal_seed = models.BinaryField(_("seed of the decks"), max_length=32, editable=False)
    deal_seed_commitment = models.CharField(_("commitment of the decks"), max_length=64)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+", verbose_name=_("made by")
    )
    created_at = models.DateTimeField(_("made at"), auto_now_add=True)
    started_at = models.DateTimeField(_("started at"), null=True, blank=True)
    finished_at = models.DateTimeField(_("over at"), null=True, blank=True)
    reason = models.CharField(_("reason"), max_length=500, blank=True, default="")

    if TYPE_CHECKING:
        entries: RelatedManager["Entry"]
        stages: RelatedManager["Stage"]

    class Meta:
        verbose_name = _("tournament")
        verbose_name_plural = _("tournaments")
        indexes = [
            models.Index(fields=["state", "-id"], name="tournament_state"),
            models.Index(fields=["league", "-id"], name="tournament_league"),
        ]
        constraints = [
            models.CheckConstraint(
                name="tournament_places",
                condition=Q(min_entries__gte=2) & (Q(capacity__isnull=True) | Q(capacity__gte=models.F("min_entries"))),
            )
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        """The tournament's page."""
        return f"/tournaments/{self.code}/"
