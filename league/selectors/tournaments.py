"""Reading tournaments: which a person may see, lists with progress, entries."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, F, Q, QuerySet

from accounts.models import User
from games.models import MatchState
from league.models import (
    LIVE_ENTRIES,
    Entry,
    EntryMember,
    EntryState,
    Membership,
    MembershipState,
    Pairing,
    PairingMatch,
    PairingState,
    Role,
    Round,
    RoundState,
    Standing,
    Tournament,
    TournamentState,
)
from league.permissions import Viewer
from league.selectors.leagues import listed as listed_leagues
from league.selectors.leagues import visible as visible_leagues

#: What a list can be narrowed to: word in the address -> states.
GROUPS = {
    "open": (TournamentState.REGISTRATION,),
    "live": (TournamentState.READY, TournamentState.RUNNING, TournamentState.SUSPENDED),
    "over": (TournamentState.FINISHED, TournamentState.CANCELLED),
}
_OVER = (MatchState.FINISHED, MatchState.VOID)


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a tournament is: matches and rounds that are over, of all; entries that take part."""

    entries: int = 0
    matches: int = 0
    matches_over: int = 0
    rounds: int = 0
    rounds_over: int = 0

    @property
    def percent(self) -> int:
        """Matches that are over, in per cent, rounded down."""
        return 100 * self.matches_over // self.matches if self.matches else 0


@dataclass(frozen=True, slots=True)
class Row:
    """A tournament of a list; `leader` is the name of the first of its latest standings, empty before them."""

    tournament: Tournament
    progress: Progress
    leader: str = ""


def visible(viewer: Viewer) -> QuerySet[Tournament]:
    """The tournaments whose pages this viewer may open: those of leagues he may see, drafts for organisers."""
    rows = Tournament.objects.filter(league__in=visible_leagues(viewer)).select_related("league")
    if viewer.is_authenticated and viewer.acts_as_staff:
        return rows
    published = ~Q(state=TournamentState.DRAFT)
    if viewer.is_authenticated:
        published |= Q(league__in=_organised(viewer))
    return rows.filter(published)


def _organised(user: User) -> QuerySet:
    roles = (Role.ARBITER, Role.ORGANISER, Role.OWNER)
    mine = Membership.objects.filter(player__user=user, state=MembershipState.ACTIVE, role__in=roles)
    return mine.values("league")


def listed(viewer: Viewer) -> QuerySet[Tournament]:
    """Those of `visible` that lists of the whole site show: drafts and unlisted leagues are left out."""
    return visible(viewer).filter(league__in=listed_leagues(viewer).values("pk")).exclude(state=TournamentState.DRAFT)


def rows(tournaments: Iterable[Tournament]) -> list[Row]:
    """Tournaments with their progress and leader; five queries for any number."""
    found = list(tournaments)
    known, first = progress(found), leaders(found)
    return [Row(tournament, known[tournament.pk], first.get(tournament.pk, "")) for tournament in found]


def leaders(tournaments: Iterable[Tournament]) -> dict[int, str]:
    """The name of the first of the latest standings, by primary key; one query."""
    ids = [tournament.pk for tournament in tournaments]
    if not ids:
        return {}
    latest = Standing.objects.filter(stage__tournament__in=ids, rank=1).order_by(
        "stage__tournament", "-after_round", "entry__number"
    )
    return dict(latest.distinct("stage__tournament").values_list("stage__tournament", "entry__name"))


def progress(tournaments: Iterable[Tournament]) -> dict[int, Progress]:
    """How far each is, by primary key."""
    ids = [tournament.pk for tournament in tournaments]
    if not ids:
        return {}
    meetings = Pairing.objects.filter(stage__tournament__in=ids).exclude(state=PairingState.BYE)
    matches = {
        pk: count * encounter
        for pk, encounter, count in meetings.order_by()
        .values_list("stage__tournament", "stage__encounter")
        .annotate(count=Count("pk"))
    }
    played = PairingMatch.objects.filter(pairing__stage__tournament__in=ids, replaced=False, match__state__in=_OVER)
    over = dict(_counted(played, "pairing__stage__tournament"))
    shown = Round.objects.filter(stage__tournament__in=ids).exclude(state=RoundState.DISCARDED)
    rounds = {
        pk: (count, finished)
        for pk, count, finished in shown.order_by()
        .values_list("stage__tournament")
        .annotate(count=Count("pk"), finished=Count("pk", filter=Q(state=RoundState.FINISHED)))
    }
    entries = dict(_counted(Entry.objects.filter(tournament__in=ids, state__in=LIVE_ENTRIES), "tournament"))
    return {
        pk: Progress(
            entries=entries.get(pk, 0),
            matches=matches.get(pk, 0),
            matches_over=over.get(pk, 0),
            rounds=rounds.get(pk, (0, 0))[0],
            rounds_over=rounds.get(pk, (0, 0))[1],
        )
        for pk in ids
    }


def mark(tournament: Tournament, known: Progress) -> str:
    """Changes whenever a page about the tournament would: a match began or ended, a round or the whole moved on."""
    playing = PairingMatch.objects.filter(
        pairing__stage__tournament=tournament, match__state__in=(MatchState.PLAYING, MatchState.QUEUED)
    )
    return f"{tournament.state}-{known.matches_over}-{known.rounds_over}-{playing.count()}"


def _counted(rows: QuerySet, key: str) -> list[tuple[int, int]]:
    return list(rows.order_by().values_list(key).annotate(count=Count("pk")))


def entries(tournament: Tournament) -> list[Entry]:
    """All entries with player, author and version: by number, then as they came; two queries."""
    found = (
        tournament.entries.select_related("version__bot")
        .prefetch_related("members__player__bot__owner__player", "members__player__bot__active_version")
        .order_by(F("number").asc(nulls_last=True), "pk")
    )
    order = (*LIVE_ENTRIES, EntryState.PENDING, EntryState.WAITING_LIST)
    return sorted(found, key=lambda entry: (entry.state not in order, entry.state not in LIVE_ENTRIES))


def my_entries(tournament: Tournament, user: User) -> list[EntryMember]:
    """The entries of a person and of his bots that still stand; one query."""
    mine = Q(player__user=user) | Q(player__bot__owner=user)
    standing = EntryMember.objects.filter(mine, tournament=tournament, until__isnull=True)
    return list(standing.select_related("entry", "player").order_by("player__name"))


def my_entry_ids(tournament: Tournament, viewer: Viewer) -> frozenset[int]:
    """Primary keys of `my_entries`, to mark them in tables; no query for who is not signed in."""
    if not viewer.is_authenticated:
        return frozenset()
    return frozenset(member.entry_id for member in my_entries(tournament, viewer))
