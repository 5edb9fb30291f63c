"""Reading for the home page: what is on now, what has just ended, what is mine."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from django.db.models import Q, QuerySet

from accounts.models import User
from bots.models import Bot
from bots.selectors.bots import owned
from games.models import Match, Player
from league.models import LIVE_ENTRIES, EntryMember, RatingCurrent, Tournament, TournamentState
from league.permissions import Viewer
from league.selectors import tournaments
from league.selectors.ratings import ranking

#: Rows of each list.
SHOWN = 6
TOP = 5
RESULTS = 3
_POOL = "bot-1v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class TopRow:
    """A row of the ranking: who, which version, milli-Elo."""

    player: Player
    version: str
    rating_m: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Top:
    """The first of the ranking; provisional ones while nobody is established."""

    rows: tuple[TopRow, ...]
    is_provisional: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Mine:
    """What concerns the person: bots, and the tournaments they are in that are not over."""

    bots: tuple[Bot, ...]
    entries: tuple[EntryMember, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """How much has happened here."""

    bots: int
    tournaments: int
    matches: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Boards:
    """The tournaments on the home page: in play, open to enter, ended last."""

    live: list[tournaments.Row]
    open: list[tournaments.Row]
    results: list[tournaments.Row]


def live(viewer: Viewer) -> list[tournaments.Row]:
    """Tournaments in play, those that are paused last, then the newest first."""
    return tournaments.rows(_live(viewer))


def boards(viewer: Viewer) -> Boards:
    """The tournaments of the home page, their progress counted together; eight queries."""
    listed = tournaments.listed(viewer)
    parts = (
        list(_live(viewer)),
        list(listed.filter(state=TournamentState.REGISTRATION).order_by("-pk")[:SHOWN]),
        list(listed.filter(state=TournamentState.FINISHED).order_by("-finished_at", "-pk")[:RESULTS]),
    )
    rows = {row.tournament.pk: row for row in tournaments.rows(chain(*parts))}
    in_play, to_enter, ended = ([rows[tournament.pk] for tournament in part] for part in parts)
    return Boards(live=in_play, open=to_enter, results=ended)


def _live(viewer: Viewer) -> QuerySet[Tournament]:
    states = (TournamentState.RUNNING, TournamentState.SUSPENDED)
    return tournaments.listed(viewer).filter(state__in=states).order_by("state", "-started_at", "-pk")[:SHOWN]


def latest_matches() -> Sequence[Match]:
    """Public matches that ended last, with their seats; two queries."""
    found = Match.objects.listed().finished().order_by("-finished_at", "-pk")
    return list(found.prefetch_related("seats__player")[:SHOWN])


def top() -> Top:
    """The first of the ranking of bots."""
    established = list(ranking(_POOL)[:TOP])
    found = established or list(ranking(_POOL, provisional=True)[:TOP])
    return Top(rows=tuple(_top_row(row) for row in found), is_provisional=not established)


def _top_row(row: RatingCurrent) -> TopRow:
    version = row.version
    if version is None:
        raise ValueError(f"{row.subject} of the pool of bots is no version")
    return TopRow(player=version.bot.player, version=version.label, rating_m=row.rating_m)


def figures() -> Figures:
    """Bots that can play, tournaments that have been played, matches finished."""
    return Figures(
        bots=Bot.objects.filter(active_version__isnull=False).count(),
        tournaments=Tournament.objects.filter(state=TournamentState.FINISHED).count(),
        matches=Match.objects.listed().finished().count(),
    )


def mine(user: User) -> Mine:
    """What concerns the person; two queries."""
    standing = EntryMember.objects.filter(
        Q(player__user=user) | Q(player__bot__owner=user),
        until__isnull=True,
        entry__state__in=(*LIVE_ENTRIES, "waiting_list"),
    ).exclude(tournament__state__in=(TournamentState.FINISHED, TournamentState.CANCELLED))
    entries = standing.select_related("tournament__league", "player", "entry").order_by("-pk")[:SHOWN]
    return Mine(bots=tuple(owned(user)), entries=tuple(entries))
