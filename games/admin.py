"""Players, matches and deals for operators. Seeds, decks and plays appear when everybody may see them, not before."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts.foundation.admin import ReadOnlyAdmin
from games.models import Analysis, Deal, Heartbeat, Match, Player, Seat
from games.selectors.visibility import can_see_cards, can_see_seed


@admin.register(Player)
class PlayerAdmin(ReadOnlyAdmin):
    """Somebody who can sit down."""

    hidden = ("guest_key",)
    list_display = ("name", "kind", "slug", "user", "created_at")
    list_select_related = ("user",)
    list_filter = ("kind", "created_at")
    search_fields = ("name", "slug", "user__email")
    ordering = ("-id",)


class SeatInline(admin.TabularInline):
    """Who sits where."""

    model = Seat
    fields = ("index", "side", "player", "shown")
    extra = 0
    can_delete = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Seat]:
        """With the players' names."""
        return super().get_queryset(request).select_related("player")


@admin.register(Seat)
class SeatAdmin(ReadOnlyAdmin):
    """Who sat where."""

    list_display = ("match", "index", "side", "player", "shown")
    list_select_related = ("match", "player")
    search_fields = ("match__code", "player__name")
    ordering = ("-id",)


@admin.register(Match)
class MatchAdmin(ReadOnlyAdmin):
    """A match; the seed is shown once everybody may see it."""

    hidden = ("seed",)
    list_display = ("code", "state", "mode", "score", "outcome", "termination", "group", "started_at", "finished_at")
    list_filter = ("state", "mode", "visibility", "termination", "on_hold", "created_at")
    search_fields = ("code", "group")
    ordering = ("-id",)
    readonly_fields = ("seed_when_public",)
    inlines = (SeatInline,)

    @admin.display(description=_("seed"))
    def seed_when_public(self, match: Match) -> str:
        """The seed in hex, or a dash while it decides cards to come."""
        return bytes(match.seed).hex() if can_see_seed(match, None) else "—"


@admin.register(Deal)
class DealAdmin(ReadOnlyAdmin):
    """A deal; its cards are shown once everybody may see them."""

    hidden = ("deck", "plays", "turned", "signs")
    list_display = ("match", "number", "dealer", "points", "winner_side", "termination", "fault_seat", "finished_at")
    list_select_related = ("match",)
    list_filter = ("termination", "finished_at")
    search_fields = ("match__code",)
    ordering = ("-id",)
    readonly_fields = ("deck_when_public", "plays_when_public")

    @admin.display(description=_("deck"))
    def deck_when_public(self, deal: Deal) -> str:
        """The deck, or a dash."""
        return deal.deck if can_see_cards(deal.match, deal, None) else "—"

    @admin.display(description=_("plays"))
    def plays_when_public(self, deal: Deal) -> str:
        """The plays, or a dash."""
        return deal.plays if can_see_cards(deal.match, deal, None) else "—"


@admin.register(Analysis)
class AnalysisAdmin(ReadOnlyAdmin):
    """What was computed of a deal that everybody may see."""

    list_display = ("deal", "method", "luck", "wanted_at", "made_at")
    list_select_related = ("deal__match",)
    list_filter = ("method", "made_at")
    search_fields = ("deal__match__code",)
    ordering = ("-id",)


@admin.register(Heartbeat)
class HeartbeatAdmin(ReadOnlyAdmin):
    """When the processes were last seen."""

    list_display = ("role", "name", "at")
    list_filter = ("role",)
    ordering = ("role", "name")
