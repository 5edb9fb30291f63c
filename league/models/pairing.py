"""Who meets whom, and the matches of the encounter."""

from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.foundation import Transitions
from games.models import Match
from league.models.entry import Entry
from league.models.stage import Round, Stage

if TYPE_CHECKING:
    from django.db.models.fields.related_descriptors import RelatedManager


class PairingState(models.TextChoices):
    """Where a pairing stands; the last five are ends."""

    PLANNED = "planned", _("Planned")
    LIVE = "live", _("In play")
    FINAL = "final", _("Final")
    BYE = "bye", _("Bye")
    FORFEIT = "forfeit", _("Forfeit")
    DOUBLE_FORFEIT = "double_forfeit", _("Double forfeit")
    VOID = "void", _("Void")


_ENDS = frozenset({PairingState.FINAL, PairingState.FORFEIT, PairingState.DOUBLE_FORFEIT, PairingState.VOID})
#: final -> live: a match was voided and is played again.
PAIRING_TRANSITIONS: Transitions = {
    PairingState.PLANNED: _ENDS | {PairingState.LIVE},
    PairingState.LIVE: _ENDS,
    PairingState.FINAL: frozenset({PairingState.LIVE, PairingState.FINAL}),
    PairingState.BYE: frozenset(),
    PairingState.FORFEIT: frozenset({PairingState.LIVE}),
    PairingState.DOUBLE_FORFEIT: frozenset({PairingState.LIVE}),
    PairingState.VOID: frozenset({PairingState.LIVE}),
}


class Pairing(models.Model):
    """A meeting of two entries (or an entry and a bye). `reason` holds why they meet, as data for a sentence."""

    stage = models.ForeignKey(Stage, models.CASCADE, related_name="pairings", verbose_name=_("stage"))
    round = models.ForeignKey(
        Round, models.CASCADE, null=True, blank=True, related_name="pairings", verbose_name=_("round")
    )
    board = models.PositiveSmallIntegerField(_("board"), default=0)
    state = models.CharField(_("state"), max_length=14, choices=PairingState, default=PairingState.PLANNED)
    reason = models.JSONField(_("reason"), default=dict, blank=True)
    manual = models.BooleanField(_("changed by hand"), default=False)
    finished_at = models.DateTimeField(_("over at"), null=True, blank=True)

    if TYPE_CHECKING:
        slots: RelatedManager["PairingSlot"]
        pairing_matches: RelatedManager["PairingMatch"]

    class Meta:
        verbose_name = _("pairing")
        verbose_name_plural = _("pairings")
        ordering = ["round", "board"]
        constraints = [models.UniqueConstraint("round", "board", name="pairing_board_once")]

    def __str__(self) -> str:
        return f"{self.round} / {self.board}"


class PairingSlot(models.Model):
    """Side 0 or 1 of a pairing. Points in half-points; null while the pairing is open. `entry` is null for a bye."""

    pairing = models.ForeignKey(Pairing, models.CASCADE, related_name="slots", verbose_name=_("pairing"))
    round = models.ForeignKey(Round, models.CASCADE, null=True, blank=True, related_name="+", verbose_name=_("round"))
    index = models.PositiveSmallIntegerField(_("side"))
    entry = models.ForeignKey(
        Entry, models.CASCADE, null=True, blank=True, related_name="slots", verbose_name=_("entry")
    )
    points_h = models.PositiveSmallIntegerField(_("half-points"), null=True, blank=True)
    match_points_h = models.PositiveSmallIntegerField(_("half-points of the matches"), null=True, blank=True)
    wins = models.PositiveSmallIntegerField(_("matches won"), default=0)
    deals_won = models.PositiveIntegerField(_("deals won"), default=0)
    card_points = models.PositiveIntegerField(_("card points"), default=0)

    class Meta:
        verbose_name = _("side of a pairing")
        verbose_name_plural = _("sides of pairings")
        ordering = ["pairing", "index"]
        constraints = [
            models.UniqueConstraint("pairing", "index", name="slot_once"),
            models.UniqueConstraint(
                "round", "entry", name="slot_entry_once_a_round", condition=Q(round__isnull=False, entry__isnull=False)
            ),
            models.CheckConstraint(name="slot_index", condition=Q(index__in=(0, 1))),
        ]

    def __str__(self) -> str:
        return f"{self.pairing_id}:{self.index}"


class PairingMatch(models.Model):
    """Match `number` (from 1) of an encounter. `replaced` matches were voided and played again; they count for
    nothing."""

    pairing = models.ForeignKey(Pairing, models.CASCADE, related_name="pairing_matches", verbose_name=_("pairing"))
    match = models.OneToOneField(Match, models.PROTECT, related_name="pairing_match", verbose_name=_("match"))
    number = models.PositiveSmallIntegerField(_("number"))
    replaced = models.BooleanField(_("played again"), default=False)
    applied_at = models.DateTimeField(_("counted at"), null=True, blank=True)

    class Meta:
        verbose_name = _("match of a pairing")
        verbose_name_plural = _("matches of pairings")
        ordering = ["pairing", "number", "id"]
        constraints = [
            models.UniqueConstraint("pairing", "number", name="pairing_match_once", condition=Q(replaced=False))
        ]

    def __str__(self) -> str:
        return f"{self.pairing_id}.{self.number}"
