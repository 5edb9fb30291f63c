"""Leagues, tournaments and ratings for operators: looked at here, changed by the organisers' pages and their log."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from accounts.foundation.admin import ReadOnlyAdmin
from league.audit_texts import act
from league.models import (
    AuditEntry,
    Entry,
    EntryMember,
    HeadToHead,
    Invitation,
    InvitationSeat,
    League,
    MatchAmendment,
    Membership,
    Pairing,
    PairingMatch,
    PairingSlot,
    RatedMatch,
    RatingCurrent,
    RatingEvent,
    RatingPeriod,
    RatingPool,
    Round,
    Stage,
    Standing,
    Tournament,
    TournamentState,
)


@admin.register(League)
class LeagueAdmin(ReadOnlyAdmin):
    """A league."""

    hidden = ("invitation_code",)
    list_display = ("name", "state", "audience", "joining", "visibility", "created_at")
    list_filter = ("state", "audience", "visibility")
    search_fields = ("name", "slug")
    ordering = ("name",)


@admin.register(Membership)
class MembershipAdmin(ReadOnlyAdmin):
    """Who belongs to a league, in which role."""

    list_display = ("player", "league", "role", "state", "since")
    list_select_related = ("player", "league")
    list_filter = ("role", "state")
    search_fields = ("player__name", "league__name")
    ordering = ("-id",)


class StageInline(admin.TabularInline):
    """How a tournament is played."""

    model = Stage
    extra = 0
    can_delete = False


@admin.register(Tournament)
class TournamentAdmin(ReadOnlyAdmin):
    """A tournament; its seeds are shown once it is finished."""

    hidden = ("seed", "deal_seed")
    list_display = ("name", "code", "league", "state", "rated", "control", "started_at", "finished_at")
    list_select_related = ("league",)
    list_filter = ("state", "rated", "control")
    search_fields = ("name", "code", "league__name")
    ordering = ("-id",)
    readonly_fields = ("seeds_when_finished",)
    inlines = (StageInline,)

    @admin.display(description=_("seeds of draws and decks"))
    def seeds_when_finished(self, tournament: Tournament) -> str:
        """Both seeds in hex, or a dash while they decide what is to come."""
        if tournament.state != TournamentState.FINISHED:
            return "—"
        return f"{bytes(tournament.seed).hex()} {bytes(tournament.deal_seed).hex()}"


@admin.register(Stage)
class StageAdmin(ReadOnlyAdmin):
    """A format of a tournament."""

    list_display = ("tournament", "order", "format", "encounter", "mirrored", "best_of", "state")
    list_select_related = ("tournament",)
    list_filter = ("format", "state")
    search_fields = ("tournament__name", "tournament__code")
    ordering = ("-id",)


@admin.register(Entry)
class EntryAdmin(ReadOnlyAdmin):
    """Who takes part."""

    list_display = ("name", "tournament", "number", "state", "version", "created_at")
    list_select_related = ("tournament", "version__bot__player")
    list_filter = ("state",)
    search_fields = ("name", "tournament__code")
    ordering = ("-id",)


@admin.register(EntryMember)
class EntryMemberAdmin(ReadOnlyAdmin):
    """The players of an entry."""

    list_display = ("player", "entry", "tournament", "since", "until")
    list_select_related = ("player", "entry", "tournament")
    search_fields = ("player__name", "tournament__code")
    ordering = ("-id",)


@admin.register(Round)
class RoundAdmin(ReadOnlyAdmin):
    """A round."""

    list_display = ("stage", "number", "state", "released_at", "finished_at")
    list_select_related = ("stage__tournament",)
    list_filter = ("state",)
    search_fields = ("stage__tournament__code",)
    ordering = ("-id",)


@admin.register(Pairing)
class PairingAdmin(ReadOnlyAdmin):
    """Who meets whom."""

    list_display = ("round", "board", "state", "manual", "finished_at")
    list_select_related = ("round__stage__tournament",)
    list_filter = ("state", "manual")
    search_fields = ("stage__tournament__code",)
    ordering = ("-id",)


@admin.register(PairingSlot)
class PairingSlotAdmin(ReadOnlyAdmin):
    """A side of a pairing."""

    list_display = ("pairing", "index", "entry", "points_h", "match_points_h", "deals_won", "card_points")
    list_select_related = ("pairing__round__stage__tournament", "entry")
    search_fields = ("entry__name",)
    ordering = ("-id",)


@admin.register(PairingMatch)
class PairingMatchAdmin(ReadOnlyAdmin):
    """A match of a pairing."""

    list_display = ("pairing", "number", "match", "replaced", "applied_at")
    list_select_related = ("pairing__round__stage__tournament", "match")
    list_filter = ("replaced",)
    search_fields = ("match__code",)
    ordering = ("-id",)


@admin.register(Standing)
class StandingAdmin(ReadOnlyAdmin):
    """A row of the standings."""

    list_display = ("stage", "after_round", "rank", "entry", "points_h", "won", "drawn", "lost")
    list_select_related = ("stage__tournament", "entry")
    search_fields = ("stage__tournament__code", "entry__name")
    ordering = ("-id",)


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    """A line of the public log."""

    list_display = ("at", "sentence", "league", "tournament", "why")
    list_select_related = ("actor__player", "league", "tournament")
    list_filter = ("action", "at")
    search_fields = ("target", "reason", "actor__email", "tournament__code")
    ordering = ("-id",)

    @admin.display(description=_("act"))
    def sentence(self, entry: AuditEntry) -> str:
        """As in the public log."""
        return act(entry).sentence

    @admin.display(description=_("reason"))
    def why(self, entry: AuditEntry) -> str:
        """As in the public log."""
        return act(entry).reason


@admin.register(RatingPool)
class RatingPoolAdmin(ReadOnlyAdmin):
    """A pool and the head of its ledger."""

    list_display = ("code", "population", "format", "league", "current_revision", "next_seq", "last_hash")
    list_select_related = ("league",)
    list_filter = ("population",)
    search_fields = ("code",)
    ordering = ("code",)


@admin.register(RatingPeriod)
class RatingPeriodAdmin(ReadOnlyAdmin):
    """Matches that are rated together."""

    list_display = ("pool", "seq", "kind", "ref", "state", "day", "closed_at")
    list_select_related = ("pool",)
    list_filter = ("state", "kind", "pool")
    search_fields = ("ref",)
    ordering = ("-id",)


@admin.register(RatedMatch)
class RatedMatchAdmin(ReadOnlyAdmin):
    """Whether a match counts for Elo."""

    list_display = ("match", "pool", "period", "state", "reason")
    list_select_related = ("match", "pool", "period__pool")
    list_filter = ("state", "reason", "pool")
    search_fields = ("match__code",)
    ordering = ("-id",)


@admin.register(RatingEvent)
class RatingEventAdmin(ReadOnlyAdmin):
    """A row of the ledger."""

    list_display = ("pool", "revision", "seq", "match", "subject", "before", "delta", "after", "k", "e", "n")
    list_select_related = ("pool",)
    list_filter = ("pool", "revision", "kind")
    search_fields = ("match", "subject")
    ordering = ("-id",)


@admin.register(RatingCurrent)
class RatingCurrentAdmin(ReadOnlyAdmin):
    """Where a subject stands."""

    list_display = ("subject", "pool", "version", "player", "rating_m", "n", "peak_m", "last_day")
    list_select_related = ("pool", "version__bot__player", "player")
    list_filter = ("pool",)
    search_fields = ("subject", "player__name", "version__bot__player__name")
    ordering = ("-rating_m",)


@admin.register(MatchAmendment)
class MatchAmendmentAdmin(ReadOnlyAdmin):
    """A correction of a result."""

    list_display = ("match", "kind", "outcome", "actor", "reason", "created_at")
    list_select_related = ("match", "actor")
    list_filter = ("kind", "created_at")
    search_fields = ("match__code", "reason")
    ordering = ("-id",)


@admin.register(HeadToHead)
class HeadToHeadAdmin(ReadOnlyAdmin):
    """Rated results of two players."""

    list_display = ("a", "b", "pool", "won_a", "won_b", "drawn")
    list_select_related = ("a", "b", "pool")
    search_fields = ("a__name", "b__name")
    ordering = ("-id",)


@admin.register(Invitation)
class InvitationAdmin(ReadOnlyAdmin):
    """An offer to play; who has its code may answer it."""

    hidden = ("code",)
    list_display = ("id", "kind", "by", "mode", "state", "created_at", "expires_at", "match")
    list_select_related = ("by", "match")
    list_filter = ("kind", "state", "mode")
    search_fields = ("by__name", "match__code")
    ordering = ("-id",)


@admin.register(InvitationSeat)
class InvitationSeatAdmin(ReadOnlyAdmin):
    """Who was asked for a seat."""

    list_display = ("invitation", "index", "player", "version", "state")
    list_select_related = ("invitation", "player", "version__bot__player")
    list_filter = ("state",)
    search_fields = ("player__name",)
    ordering = ("-id",)
