"""A match: deals until a side reaches what the rules ask for."""

from typing import TYPE_CHECKING

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.foundation import Transitions
from games.engine import Rules

if TYPE_CHECKING:
    from django.db.models.fields.related_descriptors import RelatedManager

    from games.models.deal import Deal
    from games.models.seat import Seat


class MatchMode(models.TextChoices):
    """What a match is for."""

    PRACTICE = "practice", _("Practice")
    CASUAL = "casual", _("Casual")
    RATED = "rated", _("Rated")
    LEAGUE = "league", _("League")
    TEST = "test", _("Test")


class Visibility(models.TextChoices):
    """Who may see a league, an invitation, a match."""

    PUBLIC = "public", _("Public")
    UNLISTED = "unlisted", _("Unlisted: with the link")
    PRIVATE = "private", _("Private: members only")


class MatchState(models.TextChoices):
    """Where a match stands."""

    PLANNED = "planned", _("Planned")
    QUEUED = "queued", _("Queued")
    PLAYING = "playing", _("In play")
    FINISHED = "finished", pgettext_lazy("match", "Finished")
    VOID = "void", pgettext_lazy("match", "Void")


#: Bots: planned -> queued -> playing -> finished; back when a lease is lost, the rest is returned or the
#: tournament pauses.
MATCH_TRANSITIONS: Transitions = {
    MatchState.PLANNED: frozenset({MatchState.QUEUED, MatchState.PLAYING, MatchState.VOID}),
    MatchState.QUEUED: frozenset({MatchState.PLANNED, MatchState.PLAYING, MatchState.VOID}),
    MatchState.PLAYING: frozenset({MatchState.QUEUED, MatchState.FINISHED, MatchState.VOID}),
    MatchState.FINISHED: frozenset(),
    MatchState.VOID: frozenset(),
}


class MatchOutcome(models.TextChoices):
    """How a match that is over came out."""

    WON = "won", _("Won")
    DRAWN = "drawn", _("Drawn")


class MatchEnd(models.TextChoices):
    """What ended a match."""

    NORMAL = "normal", _("Played to the end")
    FAULT = "fault", _("Lost by faults")
    RESIGN = "resign", _("Resigned")
    ABSENT = "absent", _("Nobody left")
    FORFEIT = "forfeit", _("Forfeit")
    RULED = "ruled", _("Decided by the organisers")
    VOID = "void", pgettext_lazy("match", "Void")


class Pause(models.TextChoices):
    """Why no clock runs at a table of people."""

    PARKED = "parked", _("Parked: nobody is there")
    SILENT = "silent", _("A bot does not answer")


class MatchQuerySet(models.QuerySet["Match"]):
    """Adjectives of matches."""

    def finished(self) -> "MatchQuerySet":
        """With a result."""
        return self.filter(state=MatchState.FINISHED)

    def over(self) -> "MatchQuerySet":
        """Finished or void."""
        return self.filter(state__in=(MatchState.FINISHED, MatchState.VOID))

    def listed(self) -> "MatchQuerySet":
        """Those that lists, records and exports may show to everybody."""
        return self.filter(visibility=Visibility.PUBLIC).exclude(mode__in=(MatchMode.TEST, MatchMode.PRACTICE))


class Match(models.Model):
    """One match. `seed` (32 bytes) decides every deck; its SHA-256, `commitment`, is public from the start.

    The matches of a mirrored set share `mirror_set`, seed and salt; `mirror_index` r shifts the players by r seats.
    `group` names who asked for the match (`t:<tournament id>`): the dispatcher is fair over groups and leaves
    matches `on_hold` alone. `live_seq` counts published changes; `finish_seq` (a database sequence) orders finished
    matches that wait to be rated.

    Of a table where people play: `ready` are seats that wait for the first deal; `aids` (undo hint hands) were used in
    practice; `open_hands` shows the other hands; while `paused_at` is set no clock runs. The first `origin_ply` cards
    of the first deal were copied from `origin_deal`.
    """

    code = models.CharField(_("code"), max_length=12, unique=True)
    rules = models.CharField(_("rules"), max_length=400)
    mode = models.CharField(_("mode"), max_length=8, choices=MatchMode)
    visibility = models.CharField(_("visibility"), max_length=8, choices=Visibility, default=Visibility.PUBLIC)
    state = models.CharField(_("state"), max_length=8, choices=MatchState, default=MatchState.PLANNED)
    clock = models.CharField(_("clock"), max_length=20, default="none")
    shuffle = models.CharField(_("shuffle"), max_length=20, default="bella-1")
    commitment = models.CharField(_("commitment"), max_length=64)
    seed = models.BinaryField(_("seed"), max_length=32, editable=False)
    salt = models.CharField(_("salt"), max_length=64, blank=True, default="")
    first_dealer = models.PositiveSmallIntegerField(_("first dealer"))
    mirror_set = models.UUIDField(_("mirrored set"), null=True, blank=True, db_index=True)
    mirror_index = models.PositiveSmallIntegerField(_("number in the set"), default=0)
    rerun = models.PositiveSmallIntegerField(_("re-run"), default=0)
    live_seq = models.PositiveIntegerField(_("changes published"), default=0)
    finish_seq = models.BigIntegerField(_("order of finishing"), null=True, blank=True, unique=True)
    group = models.CharField(_("work group"), max_length=40, blank=True, default="", db_index=True)
    on_hold = models.BooleanField(_("on hold"), default=False)
    has_people = models.BooleanField(_("people sit at it"), default=False, editable=False)
    wake_at = models.DateTimeField(_("look again at"), null=True, blank=True)
    ready = ArrayField(models.PositiveSmallIntegerField(), verbose_name=_("seats ready"), default=list, blank=True)
    paused_at = models.DateTimeField(_("paused since"), null=True, blank=True)
    pause = models.CharField(_("why paused"), max_length=8, choices=Pause, blank=True, default="")
    open_hands = models.BooleanField(_("hands are shown"), default=False)
    aids = ArrayField(models.CharField(max_length=5), verbose_name=_("aids"), default=list, blank=True)
    origin_deal = models.ForeignKey(
        "games.Deal",
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="continuations",
        verbose_name=_("continues the deal"),
    )
    origin_ply = models.PositiveSmallIntegerField(_("after so many cards"), null=True, blank=True)
    score = ArrayField(
        models.PositiveSmallIntegerField(), verbose_name=_("deals won by side"), default=list, blank=True
    )
    winner_side = models.PositiveSmallIntegerField(_("winning side"), null=True, blank=True)
    outcome = models.CharField(_("outcome"), max_length=5, choices=MatchOutcome, blank=True, default="")
    termination = models.CharField(_("ended by"), max_length=8, choices=MatchEnd, blank=True, default="")
    void_reason = models.CharField(_("why void"), max_length=500, blank=True, default="")
    created_at = models.DateTimeField(_("made at"), auto_now_add=True)
    started_at = models.DateTimeField(_("started at"), null=True, blank=True)
    finished_at = models.DateTimeField(_("over at"), null=True, blank=True)

    objects = MatchQuerySet.as_manager()

    if TYPE_CHECKING:
        seats: RelatedManager["Seat"]
        deals: RelatedManager["Deal"]

    class Meta:
        verbose_name = _("match")
        verbose_name_plural = _("matches")
        constraints = [
            models.CheckConstraint(
                name="match_finished_has_outcome",
                condition=(
                    Q(state=MatchState.FINISHED, outcome=MatchOutcome.WON, winner_side__isnull=False)
                    | Q(state=MatchState.FINISHED, outcome=MatchOutcome.DRAWN, winner_side__isnull=True)
                    | (~Q(state=MatchState.FINISHED) & Q(outcome="", winner_side__isnull=True))
                ),
            ),
            models.CheckConstraint(
                name="match_over_has_time",
                condition=Q(state__in=(MatchState.FINISHED, MatchState.VOID), finished_at__isnull=False)
                | (~Q(state__in=(MatchState.FINISHED, MatchState.VOID)) & Q(finished_at__isnull=True)),
            ),
            models.CheckConstraint(
                name="match_finished_has_order",
                condition=Q(state=MatchState.FINISHED, finish_seq__isnull=False)
                | (~Q(state=MatchState.FINISHED) & Q(finish_seq__isnull=True)),
            ),
            models.CheckConstraint(
                name="match_aids_only_in_practice",
                condition=Q(mode=MatchMode.PRACTICE) | Q(aids=[], open_hands=False),
            ),
            models.CheckConstraint(
                name="match_pause_has_reason",
                condition=Q(paused_at__isnull=True, pause="") | (Q(paused_at__isnull=False) & ~Q(pause="")),
            ),
            models.UniqueConstraint("mirror_set", "mirror_index", "rerun", name="match_once_in_its_set"),
        ]
        indexes = [
            models.Index(fields=["state", "id"], name="match_state"),
            models.Index(fields=["-finished_at", "-id"], name="match_history"),
            models.Index(fields=["wake_at"], name="match_wake", condition=Q(state=MatchState.PLAYING)),
            models.Index(
                fields=["group", "id"],
                name="match_for_the_arena",
                condition=Q(state=MatchState.PLANNED, on_hold=False, has_people=False),
            ),
        ]

    def __str__(self) -> str:
        return self.code

    def get_absolute_url(self) -> str:
        """The match's page."""
        return f"/matches/{self.code}/"

    @property
    def parsed_rules(self) -> Rules:
        """`rules` as the engine's object."""
        return Rules.parse(self.rules)

    @property
    def is_over(self) -> bool:
        """Finished or void."""
        return self.state in (MatchState.FINISHED, MatchState.VOID)
