"""Ratings: pools, periods, the append-only ledger and its caches. Rows are explained in docs/ratings.md."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from bots.models import BotVersion
from games.models import Match, Player
from league.models.league import League


class RatingPool(models.Model):
    """Who is rated together: `<population>-<format>`, a league's own `<slug>:<population>-<format>`.

    `next_seq` and `last_hash` are the head of the ledger of `current_revision`; `next_period` the next period's seq.
    """

    class Population(models.TextChoices):
        HUMAN = "human", _("Humans")
        BOT = "bot", _("Bots")
        OPEN = "open", _("Humans and bots")

    code = models.CharField(_("code"), max_length=80, unique=True)
    population = models.CharField(_("population"), max_length=5, choices=Population)
    format = models.CharField(_("format"), max_length=10, default="1v1")
    league = models.ForeignKey(
        League, models.PROTECT, null=True, blank=True, related_name="pools", verbose_name=_("league")
    )
    params = models.JSONField(_("parameters"), default=dict, blank=True)
    algo_version = models.CharField(_("algorithm"), max_length=20, default="bella-elo-1")
    current_revision = models.PositiveIntegerField(_("revision"), default=1)
    next_period = models.PositiveIntegerField(_("next period"), default=1)
    next_seq = models.PositiveIntegerField(_("next row"), default=1)
    last_hash = models.CharField(_("last hash"), max_length=64, default="0" * 64)

    class Meta:
        verbose_name = _("rating pool")
        verbose_name_plural = _("rating pools")

    def __str__(self) -> str:
        return self.code


class PeriodKind(models.TextChoices):
    """What a period holds."""

    MATCH = "match", _("Match")
    ROUND = "round", _("Round")
    BATCH = "batch", _("Batch")
    BLOCK = "block", _("Block")
    ANCHOR = "anchor", _("Anchor")
    RESET = "reset", _("Reset")


class RatingPeriod(models.Model):
    """Matches rated together from the state before them. `seq`, given under the pool's lock, is the order for ever."""

    class State(models.TextChoices):
        OPEN = "open", _("Open")
        CLOSED = "closed", _("Closed")

    pool = models.ForeignKey(RatingPool, models.PROTECT, related_name="periods", verbose_name=_("pool"))
    seq = models.PositiveIntegerField(_("order"), null=True, blank=True)
    kind = models.CharField(_("kind"), max_length=6, choices=PeriodKind)
    ref = models.CharField(_("of"), max_length=60)
    state = models.CharField(_("state"), max_length=6, choices=State, default=State.OPEN)
    day = models.DateField(_("day"), null=True, blank=True)
    opened_at = models.DateTimeField(_("opened at"), auto_now_add=True)
    closed_at = models.DateTimeField(_("closed at"), null=True, blank=True)

    class Meta:
        verbose_name = _("rating period")
        verbose_name_plural = _("rating periods")
        constraints = [
            models.UniqueConstraint("pool", "seq", name="period_seq_once"),
            models.UniqueConstraint("pool", "kind", "ref", name="period_ref_once"),
            models.CheckConstraint(
                name="period_closed_has_order",
                condition=Q(state="closed", seq__isnull=False, day__isnull=False)
                | Q(state="open", seq__isnull=True, closed_at__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.pool}#{self.seq or '–'} {self.ref}"


class RatedState(models.TextChoices):
    """Whether a match counts for Elo."""

    PENDING = "pending", _("To be rated")
    RATED = "rated", _("Rated")
    UNRATED = "unrated", _("Not rated")


class UnratedReason(models.TextChoices):
    """Why a match does not count for Elo."""

    FORFEIT = "forfeit", _("forfeit")
    VOID = "void", _("void")
    PAIR_LIMIT = "pair_limit", _("daily limit against the same opponent")
    RULES = "rules", _("rules not valid for Elo")
    FRIENDLY = "friendly", _("friendly match")
    SAME_OWNER = "same_owner", _("same author")
    SINGLE_DEAL = "single_deal", _("single deal")
    SUSPENDED = "suspended", _("player suspended")
    ANNULLED = "annulled", _("annulled by the organisers")
    RULED = "ruled", _("decided by the organisers")
    OPEN_HANDS = "open_hands", _("played with open cards")
    NO_POOL = "no_pool", _("no ranking for this format")


class RatedMatch(models.Model):
    """Made with the match: to be rated in `pool` within `period`, or not, for a `reason`."""

    match = models.OneToOneField(Match, models.PROTECT, related_name="rated_match", verbose_name=_("match"))
    pool = models.ForeignKey(
        RatingPool, models.PROTECT, null=True, blank=True, related_name="rated_matches", verbose_name=_("pool")
    )
    period = models.ForeignKey(
        RatingPeriod, models.PROTECT, null=True, blank=True, related_name="rated_matches", verbose_name=_("period")
    )
    state = models.CharField(_("state"), max_length=7, choices=RatedState, default=RatedState.PENDING)
    reason = models.CharField(_("reason"), max_length=12, choices=UnratedReason, blank=True, default="")

    class Meta:
        verbose_name = _("rated match")
        verbose_name_plural = _("rated matches")
        constraints = [
            models.CheckConstraint(
                name="rated_match_reason",
                condition=(Q(state=RatedState.UNRATED) & ~Q(reason=""))
                | (~Q(state=RatedState.UNRATED) & Q(reason="", pool__isnull=False)),
            )
        ]
        indexes = [models.Index(fields=["period", "state"], name="rated_period")]

    def __str__(self) -> str:
        return f"{self.match_id} {self.state}"


class RatingEvent(models.Model):
    """A row of the ledger: append-only (a trigger refuses UPDATE, DELETE, TRUNCATE), chained by hash, milli-Elo
    and ppm.

    `match` is the match's code, empty for anchor and reset; `seq` counts the rows of a pool's revision from 1.
    """

    pool = models.ForeignKey(RatingPool, models.PROTECT, related_name="events", verbose_name=_("pool"))
    revision = models.PositiveIntegerField(_("revision"))
    seq = models.PositiveIntegerField(_("order"))
    period = models.ForeignKey(RatingPeriod, models.PROTECT, related_name="events", verbose_name=_("period"))
    kind = models.CharField(_("kind"), max_length=6)
    match = models.CharField(_("match"), max_length=12, blank=True)
    subject = models.CharField(_("subject"), max_length=40)
    opp = models.CharField(_("opponent"), max_length=200, blank=True)
    score = models.IntegerField(_("result, ppm"))
    before = models.IntegerField(_("before"))
    n = models.PositiveIntegerField(_("matches before"))
    k = models.PositiveIntegerField("K")
    e = models.IntegerField(_("expected, ppm"))
    delta = models.IntegerField(_("change"))
    floor = models.IntegerField(_("added by the floor"), default=0)
    after = models.IntegerField(_("after"))
    reason = models.CharField(_("reason"), max_length=40, blank=True)
    v = models.PositiveSmallIntegerField(_("row version"), default=1)
    prev_hash = models.CharField(_("hash before"), max_length=64)
    hash = models.CharField(_("hash"), max_length=64)
    created_at = models.DateTimeField(_("written at"), auto_now_add=True)

    class Meta:
        verbose_name = _("rating event")
        verbose_name_plural = _("rating events")
        constraints = [
            models.UniqueConstraint("pool", "revision", "period", "match", "subject", name="event_once"),
            models.UniqueConstraint("pool", "revision", "seq", name="event_seq_once"),
        ]
        indexes = [
            models.Index(fields=["pool", "revision", "subject", "seq"], name="event_subject"),
            models.Index(fields=["match"], name="event_match"),
        ]

    def __str__(self) -> str:
        return f"{self.pool}/{self.revision}/{self.seq}"


class RatingCurrent(models.Model):
    """Cache: where a subject stands now. `p:<id>` human, `v:<id>` bot version; milli-Elo."""

    pool = models.ForeignKey(RatingPool, models.CASCADE, related_name="current", verbose_name=_("pool"))
    subject = models.CharField(_("subject"), max_length=40)
    player = models.ForeignKey(
        Player, models.CASCADE, null=True, blank=True, related_name="ratings", verbose_name=_("player")
    )
    version = models.ForeignKey(
        BotVersion, models.CASCADE, null=True, blank=True, related_name="ratings", verbose_name=_("version")
    )
    rating_m = models.IntegerField(_("milli-Elo"), default=1_500_000)
    n = models.PositiveIntegerField(_("rated matches"), default=0)
    peak_m = models.IntegerField(_("peak"), null=True, blank=True)
    last_seq = models.PositiveIntegerField(_("last row"), default=0)
    last_day = models.DateField(_("last day"), null=True, blank=True)

    class Meta:
        verbose_name = _("current rating")
        verbose_name_plural = _("current ratings")
        constraints = [models.UniqueConstraint("pool", "subject", name="current_once")]
        indexes = [models.Index(fields=["pool", "-rating_m", "id"], name="current_rank")]

    def __str__(self) -> str:
        return f"{self.subject}: {self.rating_m}"


class MatchAmendment(models.Model):
    """A correction of a rated result; append-only, the last one of a match counts.

    `outcome`: winning side, -1 = drawn.
    """

    class Kind(models.TextChoices):
        OVERTURN = "overturn", _("New result")
        ANNUL = "annul", _("Annulled")

    match = models.ForeignKey(Match, models.PROTECT, related_name="amendments", verbose_name=_("match"))
    kind = models.CharField(_("kind"), max_length=8, choices=Kind)
    outcome = models.SmallIntegerField(_("new outcome"), null=True, blank=True)
    reason = models.CharField(_("reason"), max_length=500)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+", verbose_name=_("actor")
    )
    changes = models.JSONField(_("what changed"), default=list, blank=True)
    created_at = models.DateTimeField(_("at"), auto_now_add=True)

    class Meta:
        verbose_name = _("amendment")
        verbose_name_plural = _("amendments")
        constraints = [
            models.CheckConstraint(
                name="amendment_outcome",
                condition=Q(kind="annul", outcome__isnull=True) | Q(kind="overturn", outcome__isnull=False),
            )
        ]

    def __str__(self) -> str:
        return f"{self.match_id} {self.kind}"


class HeadToHead(models.Model):
    """Cache, rebuilt by the apply step: rated results of a pair of players in a pool, a before b."""

    pool = models.ForeignKey(RatingPool, models.CASCADE, related_name="+", verbose_name=_("pool"))
    a = models.ForeignKey(Player, models.CASCADE, related_name="+", verbose_name=_("first"))
    b = models.ForeignKey(Player, models.CASCADE, related_name="+", verbose_name=_("second"))
    won_a = models.PositiveIntegerField(_("won by the first"), default=0)
    won_b = models.PositiveIntegerField(_("won by the second"), default=0)
    drawn = models.PositiveIntegerField(_("drawn"), default=0)

    class Meta:
        verbose_name = _("head to head")
        verbose_name_plural = _("heads to head")
        constraints = [
            models.UniqueConstraint("pool", "a", "b", name="head_to_head_once"),
            models.CheckConstraint(name="head_to_head_order", condition=Q(a__lt=F("b"))),
        ]

    def __str__(self) -> str:
        return f"{self.a_id}:{self.b_id}"
