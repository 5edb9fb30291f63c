"""Reading bots for everybody: the list, and all that the page of one shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Count, F, IntegerField, Max, OuterRef, Q, QuerySet, Subquery

from bots.models import Bot, BotVersion, Fault, FaultKind
from bots.selectors.logs import ThinkTimes, think_times
from bots.selectors.versions import Summary, summary
from games.models import Match, MatchState, Player, Seat
from league.models import HeadToHead, League, Membership, MembershipState, RatingCurrent
from league.permissions import Viewer
from league.selectors import leagues
from league.selectors.keyset import Column, Kind
from league.selectors.matches import MatchRow, row_of, with_lines
from league.selectors.queue import Ahead, VersionRecord, ahead, records
from league.selectors.ratings import ESTABLISHED, HistoryPoint, history

POOL: Final = "bot-1v1"
LATEST: Final = 10
_OVER: Final = (MatchState.FINISHED, MatchState.VOID)
ORDER: Final = (Column("slug", kind=Kind.SLUG),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """Where a version stands: milli-Elo, rated matches, best since it was established, rank None while provisional."""

    rating_m: int
    n: int
    peak_m: int | None
    rank: int | None
    of: int

    @property
    def is_provisional(self) -> bool:
        """Too few rated matches."""
        return self.n < ESTABLISHED


@dataclass(frozen=True, slots=True, kw_only=True)
class Against:
    """The record against one opponent."""

    opponent: Player
    won: int
    drawn: int
    lost: int

    @property
    def played(self) -> int:
        """Rated matches in all."""
        return self.won + self.drawn + self.lost


@dataclass(frozen=True, slots=True, kw_only=True)
class BotPage:
    """All that the page of a bot shows."""

    bot: Bot
    rating: Rating | None
    history: tuple[HistoryPoint, ...]
    versions: tuple[BotVersion, ...]
    opponents: tuple[Against, ...]
    latest: tuple[MatchRow, ...]
    form: str
    faults: tuple[tuple[str, int], ...]
    played: int
    summary: Summary | None
    times: ThinkTimes | None
    records: tuple[VersionRecord, ...]
    ahead: Ahead | None
    leagues: tuple[League, ...]

    @property
    def labels(self) -> dict[int, str]:
        """Labels of versions by primary key."""
        return {version.pk: version.label for version in self.versions}

    @property
    def won(self) -> int:
        """Rated matches won, against everybody."""
        return sum(one.won for one in self.opponents)


def listed(*, name: str = "", league: League | None = None) -> QuerySet[Bot]:
    """Bots that can play, with author, version, rating (`slug`, `rating_m`, `n`), to be ordered by ORDER; one query."""
    current = RatingCurrent.objects.filter(pool__code=POOL, version=OuterRef("active_version"))
    rows = Bot.objects.filter(active_version__isnull=False)
    if name:
        rows = rows.filter(Q(player__name__icontains=name) | Q(owner__name__icontains=name))
    if league is not None:
        active = Membership.objects.filter(league=league, state=MembershipState.ACTIVE)
        rows = rows.filter(player__in=active.values("player"))
    return (
        rows.annotate(
            slug=F("player__slug"),
            rating_m=Subquery(current.values("rating_m")[:1], output_field=IntegerField()),
            n=Subquery(current.values("n")[:1], output_field=IntegerField()),
        )
        .select_related("player", "owner__player", "active_version")
        .defer("active_version__report")
    )


def find(slug: str) -> Bot | None:
    """The bot at an address; one query."""
    rows = Bot.objects.select_related("player", "owner__player", "active_version")
    return rows.filter(player__slug=slug).first()


def page_of(bot: Bot, viewer: Viewer) -> BotPage:
    """Everything for the page of a bot; twenty-one queries, whatever it has played."""
    versions = tuple(bot.versions.select_related("bot__player").defer("report").order_by("-number"))
    latest = latest_matches(bot.player)
    faults = dict(
        Fault.objects.filter(version__bot=bot, match__in=Match.objects.listed().filter(state__in=_OVER))
        .order_by()
        .values_list("kind")
        .annotate(count=Count("pk"))
    )
    return BotPage(
        bot=bot,
        rating=rating_of(bot.active_version) if bot.active_version else None,
        history=tuple(history(POOL, [f"v:{version.pk}" for version in versions])),
        versions=versions,
        opponents=opponents(bot.player),
        latest=latest,
        form="".join(reversed([_letter(row.match, bot.player) for row in latest][:5])),
        faults=tuple((str(kind.label), faults[kind]) for kind in FaultKind if kind in faults),
        played=Seat.objects.filter(player=bot.player, match__in=Match.objects.listed().finished()).count(),
        summary=summary(bot.active_version) if bot.active_version else None,
        times=think_times(bot.active_version) if bot.active_version else None,
        records=records(versions),
        ahead=ahead(bot.player),
        leagues=leagues_of(bot.player, viewer),
    )


def rating_of(version: BotVersion) -> Rating | None:
    """Where a version stands in the site's pool of bots, and among how many established ones; two queries."""
    own = RatingCurrent.objects.filter(pool__code=POOL, version=version).first()
    if own is None:
        return None
    board = RatingCurrent.objects.filter(
        pool=own.pool_id, n__gte=ESTABLISHED, version__bot__active_version=F("version")
    )
    better = Q(rating_m__gt=own.rating_m) | Q(rating_m=own.rating_m, pk__lt=own.pk)
    found = board.aggregate(of=Count("pk"), better=Count("pk", filter=better))
    rank = None if own.n < ESTABLISHED else found["better"] + 1
    return Rating(rating_m=own.rating_m, n=own.n, peak_m=own.peak_m, rank=rank, of=found["of"])


def opponents(player: Player) -> tuple[Against, ...]:
    """The record against everybody whom the player met in rated matches, the most frequent first; one query."""
    rows = HeadToHead.objects.filter(Q(a=player) | Q(b=player), pool__code=POOL).select_related("a", "b")
    found = [
        Against(opponent=row.b, won=row.won_a, drawn=row.drawn, lost=row.won_b)
        if row.a_id == player.pk
        else Against(opponent=row.a, won=row.won_b, drawn=row.drawn, lost=row.won_a)
        for row in rows
    ]
    return tuple(sorted(found, key=lambda one: (-one.played, one.opponent.name)))


def latest_matches(player: Player) -> tuple[MatchRow, ...]:
    """The public matches of a player that ended last; two queries."""
    mine = Match.objects.listed().finished().filter(seats__player=player)
    return tuple(row_of(match) for match in with_lines(mine).order_by("-finished_at", "-pk")[:LATEST])


def _letter(match: Match, player: Player) -> str:
    side = next(seat.side for seat in match.seats.all() if seat.player_id == player.pk)
    return "D" if match.winner_side is None else "W" if match.winner_side == side else "L"


def leagues_of(player: Player, viewer: Viewer) -> tuple[League, ...]:
    """The leagues, of those that the viewer may find, in which a player, or a bot of his, is active; one query."""
    own = Q(player=player) | Q(player__bot__owner=player.user_id) if player.user_id else Q(player=player)
    active = Membership.objects.filter(own, state=MembershipState.ACTIVE)
    return tuple(leagues.listed(viewer).filter(pk__in=active.values("league")).order_by("name"))


def of_owner(user_id: int) -> Sequence[Bot]:
    """The bots of a person that can play, by name, with their ratings; one query."""
    return list(
        listed().filter(owner=user_id).annotate(versions_count=Max("versions__number")).order_by("player__name")
    )
