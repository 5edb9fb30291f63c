"""Bots, versions, runs and faults for operators. What would show hands of a match in play is held back."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from accounts.foundation.admin import ReadOnlyAdmin
from bots.models import (
    Activation,
    Bot,
    BotMate,
    BotSeat,
    BotVersion,
    DealLog,
    Fault,
    MatchRun,
    MoveRun,
    QualifyGame,
    QualifyRun,
    QualifyState,
    TestGame,
)
from games.selectors.visibility import can_see_seed


@admin.register(Bot)
class BotAdmin(ReadOnlyAdmin):
    """A bot and its owner."""

    list_display = ("player", "owner", "active_version", "is_house", "created_at")
    list_select_related = ("player", "owner", "active_version__bot__player")
    list_filter = ("is_house", "language", "created_at")
    search_fields = ("player__name", "owner__email")
    ordering = ("-id",)


@admin.register(BotVersion)
class BotVersionAdmin(ReadOnlyAdmin):
    """A version and its checks. Its code is on its page."""

    hidden = ("archive",)
    list_display = ("bot", "number", "state", "size", "filename", "created_at", "checked_at")
    list_select_related = ("bot__player",)
    list_filter = ("state", "created_at")
    search_fields = ("bot__player__name", "bot__owner__email", "sha256")
    ordering = ("-id",)


@admin.register(Activation)
class ActivationAdmin(ReadOnlyAdmin):
    """Which version played from when on."""

    list_display = ("version", "bot", "by", "created_at")
    list_select_related = ("version__bot__player", "bot__player", "by")
    search_fields = ("bot__player__name",)
    ordering = ("-id",)


@admin.register(BotSeat)
class BotSeatAdmin(ReadOnlyAdmin):
    """Which version plays a seat."""

    list_display = ("seat", "version")
    list_select_related = ("seat", "version__bot__player")
    search_fields = ("seat__match__code", "version__bot__player__name")
    ordering = ("-id",)


@admin.register(MoveRun)
class MoveRunAdmin(ReadOnlyAdmin):
    """A question for one card at a table of people; what the bot said of it is in the log of the match."""

    hidden = ("nonce", "note", "log")
    list_display = (
        "match",
        "deal",
        "ply",
        "seat",
        "purpose",
        "attempt",
        "state",
        "wall_us",
        "worker",
        "reason",
        "sent_at",
    )
    list_select_related = ("match",)
    list_filter = ("state", "purpose", "sent_at")
    search_fields = ("match__code", "run_id", "worker")
    ordering = ("-id",)


@admin.register(MatchRun)
class MatchRunAdmin(ReadOnlyAdmin):
    """An attempt of the arena at a match; its nonce, which reports must carry, is hidden."""

    hidden = ("nonce",)
    list_display = (
        "match",
        "attempt",
        "state",
        "worker",
        "tier",
        "speed",
        "next_seq",
        "started_at",
        "ended_at",
        "reason",
    )
    list_select_related = ("match",)
    list_filter = ("state", "tier", "created_at")
    search_fields = ("match__code", "run_id", "worker")
    ordering = ("-id",)


@admin.register(Fault)
class FaultAdmin(ReadOnlyAdmin):
    """A fault; what the bot said and was asked shows cards and appears when the match, or its mirrored set, is over."""

    hidden = ("request", "answer", "detail", "stderr_tail")
    list_display = ("version", "kind", "match", "number", "seat", "created_at")
    list_select_related = ("version__bot__player", "match")
    list_filter = ("kind", "created_at")
    search_fields = ("version__bot__player__name", "match__code")
    ordering = ("-id",)
    readonly_fields = ("detail_when_public", "request_when_public", "answer_when_public", "log_when_public")

    @admin.display(description=_("detail"))
    def detail_when_public(self, fault: Fault) -> str:
        """The last line of a traceback and the like, or a dash."""
        return fault.detail if can_see_seed(fault.match, None) else "—"

    @admin.display(description=_("request"))
    def request_when_public(self, fault: Fault) -> str:
        """The request, or a dash."""
        return fault.request if can_see_seed(fault.match, None) else "—"

    @admin.display(description=_("answer"))
    def answer_when_public(self, fault: Fault) -> str:
        """The answer, or a dash."""
        return fault.answer if can_see_seed(fault.match, None) else "—"

    @admin.display(description=_("end of the log"))
    def log_when_public(self, fault: Fault) -> str:
        """The end of the log, or a dash."""
        return fault.stderr_tail if can_see_seed(fault.match, None) else "—"


@admin.register(QualifyRun)
class QualifyRunAdmin(ReadOnlyAdmin):
    """A check of a version."""

    hidden = ("nonce", "seed")
    list_display = ("version", "state", "worker", "tier", "speed", "next_seq", "started_at", "ended_at", "reason")
    list_select_related = ("version__bot__player",)
    list_filter = ("state", "created_at")
    search_fields = ("version__bot__player__name", "run_id")
    ordering = ("-id",)


@admin.register(QualifyGame)
class QualifyGameAdmin(ReadOnlyAdmin):
    """A deal of a check; its cards appear when the check is done."""

    hidden = ("deck", "plays")
    list_display = ("run", "step", "number", "opponent", "seat", "points", "termination")
    list_select_related = ("run__version__bot__player",)
    list_filter = ("step", "termination")
    search_fields = ("run__version__bot__player__name",)
    ordering = ("-id",)
    readonly_fields = ("deck_when_done", "plays_when_done")

    @admin.display(description=_("deck"))
    def deck_when_done(self, game: QualifyGame) -> str:
        """The deck, or a dash."""
        return game.deck if game.run.state == QualifyState.DONE else "—"

    @admin.display(description=_("plays"))
    def plays_when_done(self, game: QualifyGame) -> str:
        """The plays, or a dash."""
        return game.plays if game.run.state == QualifyState.DONE else "—"


@admin.register(DealLog)
class DealLogAdmin(ReadOnlyAdmin):
    """Times and texts of a deal: that they are there; what stands in them is on the page of the log."""

    hidden = ("notes", "logs")
    list_display = ("deal", "created_at")
    list_select_related = ("deal",)
    list_filter = ("created_at",)
    search_fields = ("deal__match__code",)
    ordering = ("-pk",)


@admin.register(BotMate)
class BotMateAdmin(ReadOnlyAdmin):
    """Who runs a bot together with its owner."""

    list_display = ("bot", "user", "created_at", "accepted_at")
    list_select_related = ("bot__player", "user")
    search_fields = ("bot__player__name", "user__name")


@admin.register(TestGame)
class TestGameAdmin(ReadOnlyAdmin):
    """Test games on demand."""

    list_display = ("version", "opponent", "by", "pairs", "created_at", "cancelled_at")
    list_select_related = ("version__bot__player", "opponent__bot__player", "by")
    search_fields = ("version__bot__player__name", "opponent__bot__player__name")
