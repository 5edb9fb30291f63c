"""A deal: one pass through the deck."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q, Value
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy as _

from games.models.match import Match


class DealEnd(models.TextChoices):
    """What ended a deal; all but the first three award it to the other side."""

    NORMAL = "normal", _("Played to the end")
    CLAIM = "claim", _("Claimed")
    AUTO = "auto", _("Stopped at 61")
    TIMEOUT = "timeout", _("Time over")
    CRASH = "crash", _("Crash")
    ILLEGAL = "illegal", _("Illegal card")
    PROTOCOL = "protocol", _("Unreadable answer")
    MEMORY = "memory", _("Out of memory")
    OUTPUT = "output", _("Too much output")
    FLAG = "flag", _("Clock run out")
    RESIGN = "resign", _("Resigned")
    ABSENT = "absent", _("Absent")


#: Ends after which the points on the table say who won the deal.
PLAYED_ENDS = frozenset({DealEnd.NORMAL, DealEnd.CLAIM, DealEnd.AUTO})


class Deal(models.Model):
    """One deal, finished unless `termination` is empty. Cards as text, two characters each.

    `points` holds one number a seat, as banked by play; a 120-0 award follows from `termination`. `think_ms` holds one
    number a play. `turned` are upcards turned back while shuffling.

    Where people play: `turn_at` is when the turn was given; `seqs` (the match's `live_seq`) and `moments_ms` (epoch)
    hold one number a play, so that a card sent again gets its first answer; `ready` are seats that wait for the next
    deal; `offers` are seats that want to give up (seat as text -> deal or match).
    """

    match = models.ForeignKey(Match, models.CASCADE, related_name="deals", verbose_name=_("match"))
    number = models.PositiveSmallIntegerField(_("number"))
    dealer = models.PositiveSmallIntegerField(_("dealer"))
    deck = models.CharField(_("deck"), max_length=80)
    turned = models.CharField(_("turned back"), max_length=80, blank=True, default="")
    plays = models.CharField(_("plays"), max_length=80, blank=True, default="")
    think_ms = ArrayField(models.PositiveIntegerField(), verbose_name=_("thinking, ms"), default=list, blank=True)
    turn_at = models.DateTimeField(_("turn given at"), null=True, blank=True)
    seqs = ArrayField(models.PositiveIntegerField(), verbose_name=_("numbers of changes"), default=list, blank=True)
    moments_ms = ArrayField(models.BigIntegerField(), verbose_name=_("played at"), default=list, blank=True)
    ready = ArrayField(models.PositiveSmallIntegerField(), verbose_name=_("seats ready"), default=list, blank=True)
    points = ArrayField(models.PositiveSmallIntegerField(), verbose_name=_("points by seat"), default=list)
    unplayed = models.PositiveSmallIntegerField(_("points not played"), default=120)
    winner_side = models.PositiveSmallIntegerField(_("winning side"), null=True, blank=True)
    termination = models.CharField(_("ended by"), max_length=8, choices=DealEnd, blank=True, default="")
    fault_seat = models.PositiveSmallIntegerField(_("seat at fault"), null=True, blank=True)
    signs = models.JSONField(_("signs"), default=list, blank=True)
    offers = models.JSONField(_("offers to resign"), default=dict, blank=True)
    finished_at = models.DateTimeField(_("over at"), null=True, blank=True)

    class Meta:
        verbose_name = _("deal")
        verbose_name_plural = _("deals")
        ordering = ["match", "number"]
        constraints = [
            models.UniqueConstraint("match", "number", name="deal_once_a_match"),
            models.CheckConstraint(
                name="deal_has_120_points",
                condition=Q(
                    unplayed=Value(120)
                    - Coalesce(F("points__0"), 0)
                    - Coalesce(F("points__1"), 0)
                    - Coalesce(F("points__2"), 0)
                    - Coalesce(F("points__3"), 0)
                    - Coalesce(F("points__4"), 0)
                    - Coalesce(F("points__5"), 0)
                    - Coalesce(F("points__6"), 0)
                    - Coalesce(F("points__7"), 0)
                ),
            ),
            models.CheckConstraint(
                name="deal_turn_until_over",
                condition=Q(termination="") | Q(turn_at__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.match_id}/{self.number}"

    @property
    def is_over(self) -> bool:
        """Whether the deal has ended."""
        return self.termination != ""
