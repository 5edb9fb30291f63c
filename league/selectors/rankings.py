"""Reading rankings: who stands where in a pool, and how that has moved in thirty days."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from django.db.models import BooleanField, Count, Exists, ExpressionWrapper, F, Min, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from bots.models import BotVersion
from games.models import Player
from league.models import League, Membership, MembershipState, RatingCurrent, RatingEvent, RatingPeriod, RatingPool
from league.selectors.keyset import Column, Kind
from league.selectors.ratings import ESTABLISHED, pool_code, whole

#: Populations that have a ranking: word in the address -> code of the site's pool.
POPULATIONS: Final = ("bot", "human")
CHANGE_DAYS: Final = 30
#: Established ones by Elo, then the provisional ones by Elo.
ORDER: Final = (Column("is_provisional", kind=Kind.FLAG), Column("rating_m", is_descending=True), Column("pk"))


@dataclass(frozen=True, slots=True, kw_only=True)
class RankRow:
    """A line of a ranking. `rank` None while provisional; `change` in milli-Elo, None when nothing was played."""

    rank: int | None
    player: Player
    version: BotVersion | None
    author: Player | None
    rating_m: int
    n: int
    change: int | None
    last_day: date | None

    @property
    def is_provisional(self) -> bool:
        """Too few rated matches for a rank."""
        return self.rank is None


def pool_of(population: str, league: League | None) -> RatingPool | None:
    """The pool that a ranking is made of; None before its first match."""
    return RatingPool.objects.filter(code=pool_code(population, league)).first()


def ranking(pool: RatingPool | None, *, league: League | None = None, today: date) -> QuerySet[RatingCurrent]:
    """The rows of a pool with what a line shows, to be ordered by ORDER; of a league, the rows of its members.

    A bot stands with its active version alone. One query to build, one to read; nobody without a pool.
    """
    is_provisional = ExpressionWrapper(Q(n__lt=ESTABLISHED), output_field=BooleanField())
    rows = RatingCurrent.objects.annotate(is_provisional=is_provisional)
    if pool is None:
        return rows.none()
    rows = rows.filter(Q(version__isnull=True) | Q(version__bot__active_version=F("version")), pool=pool)
    if league is not None:
        rows = rows.filter(Exists(_members(league)))
    rows = rows.annotate(was_m=_was(pool, today - timedelta(days=CHANGE_DAYS)))
    return rows.select_related("player", "version__bot__player", "version__bot__owner__player").defer("version__report")


def _members(league: League) -> QuerySet[Membership]:
    active = Membership.objects.filter(league=league, state=MembershipState.ACTIVE)
    return active.filter(Q(player__bot=OuterRef("version__bot")) | Q(player=OuterRef("player")))


def _was(pool: RatingPool, day: date) -> Coalesce:
    """The rating after `day`: of the last row of the ledger before the first period since, else where it began.

    Rows are found by their number, one step of the index a line; periods are numbered in the order of their days.
    """
    events = RatingEvent.objects.filter(pool=pool, revision=pool.current_revision, subject=OuterRef("subject"))
    first = _first_since(pool, day)
    began = Subquery(events.order_by("seq").values("before")[:1])
    if first is None:
        return Coalesce(F("rating_m"), began)
    before = events.filter(seq__lt=first).order_by("-seq")
    return Coalesce(Subquery(before.values("after")[:1]), began, F("rating_m"))


def _first_since(pool: RatingPool, day: date) -> int | None:
    """The number of the first row of the ledger whose period is later than a day; one query."""
    later = RatingPeriod.objects.filter(pool=pool, seq__isnull=False, day__gt=day).order_by("seq").values("pk")[:1]
    rows = RatingEvent.objects.filter(pool=pool, revision=pool.current_revision, period=Subquery(later))
    found: int | None = rows.aggregate(first=Min("seq"))["first"]
    return found


def first_rank(rows: QuerySet[RatingCurrent], first: RatingCurrent) -> int:
    """The place of a row in a ranking, from 1; one query."""
    better = Q(rating_m__gt=first.rating_m) | Q(rating_m=first.rating_m, pk__lt=first.pk)
    counted = rows.order_by().filter(n__gte=ESTABLISHED).filter(better)
    return int(counted.aggregate(count=Count("pk"))["count"]) + 1


def lines(items: Iterable[RatingCurrent], *, first: int) -> list[RankRow]:
    """Rows of a page as lines; the first of them has rank `first`."""
    return [_line(row, first + place) for place, row in enumerate(items)]


def _line(row: RatingCurrent, rank: int) -> RankRow:
    bot = row.version.bot if row.version else None
    player = bot.player if bot else row.player
    assert player is not None
    owner = getattr(bot.owner, "player", None) if bot else None
    was: int = row.was_m  # type: ignore[attr-defined]
    return RankRow(
        rank=None if row.n < ESTABLISHED else rank,
        player=player,
        version=row.version,
        author=owner,
        rating_m=row.rating_m,
        n=row.n,
        change=row.rating_m - was if row.rating_m != was else None,
        last_day=row.last_day,
    )


def as_data(line: RankRow) -> dict[str, object]:
    """A line for an export."""
    return {
        "rank": line.rank,
        "name": line.player.name,
        "slug": line.player.slug,
        "version": line.version.number if line.version else None,
        "author": line.author.name if line.author else None,
        "elo": whole(line.rating_m),
        "milli_elo": line.rating_m,
        "provisional": line.is_provisional,
        "matches": line.n,
        "milli_elo_change_30_days": line.change or 0,
    }
