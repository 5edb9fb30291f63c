"""Reading ratings: what is shown beside a player, receipts, rankings, histories."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.db.models import F, Q, QuerySet
from django.utils import timezone

from bots.models import BotVersion
from games.models import Match, Visibility
from league.models import League, RatedMatch, RatedState, RatingCurrent, RatingEvent, RatingPool, UnratedReason
from league.rating import BELLA, div_round

#: Rated matches from which a rating is no longer provisional.
ESTABLISHED = 20
START_M = BELLA.start
#: Without a rated match for longer than this, nobody stands in a ranking.
INACTIVE = timedelta(days=180)


def pool_code(population: str, league: League | None) -> str:
    """The code of the pool that a league's matches are rated in."""
    is_own = league is not None and league.visibility == Visibility.PRIVATE
    return f"{league.slug}:{population}-1v1" if is_own and league is not None else f"{population}-1v1"


def shown_of_versions(versions: Iterable[BotVersion], *, league: League | None) -> dict[int, dict[str, object]]:
    """What a match shows of each version: label, whole Elo, provisional; by primary key, one query.

    A version that was not rated yet shows what it will start from: the Elo of the version before it.
    """
    by_pk = {version.pk: version for version in versions}
    rows: Any = (
        RatingCurrent.objects.filter(
            pool__code=pool_code("bot", league), version__bot__in={version.bot_id for version in by_pk.values()}
        )
        .order_by("-version__number")
        .values_list("version__bot_id", "version__number", "rating_m", "n")
    )
    rated: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for bot_id, number, rating_m, n in rows:
        rated[bot_id].append((number, rating_m, n))
    shown: dict[int, dict[str, object]] = {}
    for pk, version in by_pk.items():
        latest = (row for row in rated[version.bot_id] if row[0] <= version.number)
        number, rating_m, played = next(latest, (version.number, START_M, 0))
        n = played if number == version.number else 0
        shown[pk] = {"version": version.label, "rating": whole(rating_m), "provisional": n < ESTABLISHED, "n": n}
    return shown


def whole(rating_m: int) -> int:
    """Milli-Elo as the whole number that is shown."""
    return div_round(rating_m, 1000)


@dataclass(frozen=True, slots=True)
class ReceiptRow:
    """The Elo arithmetic of one side of a match: before + delta + floor = after in milli-Elo; the rest in ppm.

    `base` and `opponent_before` are the ratings before the period, from which `expected` follows: in a period of
    several matches `before` has moved on from `base` by those that stand earlier in it.
    """

    subject: str
    name: str
    seat: int
    base: int
    before: int
    opponent_before: int | None
    expected: int
    score: int
    k: int
    n: int
    delta: int
    floor: int
    after: int
    seq: int
    hash: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """Whether a match counted: `state` of RatedMatch, `reason` when it did not, rows when it did."""

    state: str
    reason: str
    reason_text: str
    pool: str
    revision: int
    period: int | None
    rows: tuple[ReceiptRow, ...]


def receipt(match: Match) -> Receipt | None:
    """The receipt of a match; None for modes that are never rated. Four queries at most."""
    rated = RatedMatch.objects.filter(match=match).select_related("pool", "period").first()
    if rated is None:
        return None
    pool = rated.pool
    rows: tuple[ReceiptRow, ...] = ()
    if rated.state == RatedState.RATED and pool is not None:
        rows = _receipt_rows(match, pool)
    return Receipt(
        state=rated.state,
        reason=rated.reason,
        reason_text=str(UnratedReason(rated.reason).label) if rated.reason else "",
        pool=pool.code if pool else "",
        revision=pool.current_revision if pool else 0,
        period=rated.period.seq if rated.period else None,
        rows=rows,
    )


def _receipt_rows(match: Match, pool: RatingPool) -> tuple[ReceiptRow, ...]:
    seats = {
        (f"v:{version_id}" if version_id else f"p:{player_id}"): (index, name)
        for index, player_id, name, version_id in match.seats.values_list(
            "index", "player_id", "player__name", "bot_seat__version_id"
        )
    }
    events = list(RatingEvent.objects.filter(pool=pool, revision=pool.current_revision, match=match.code))
    base = {event.subject: event.before for event in events}
    rows = [
        ReceiptRow(
            subject=event.subject,
            name=seats[event.subject][1],
            seat=seats[event.subject][0],
            base=event.before,
            before=event.after - event.floor - event.delta,
            opponent_before=base.get(event.opp),
            expected=event.e,
            score=event.score,
            k=event.k,
            n=event.n,
            delta=event.delta,
            floor=event.floor,
            after=event.after,
            seq=event.seq,
            hash=event.hash,
        )
        for event in events
        if event.subject in seats
    ]
    return tuple(sorted(rows, key=lambda row: row.seat))


def ranking(pool: str, *, provisional: bool = False) -> QuerySet[RatingCurrent]:
    """The rows of a pool's ranking by Elo: established ones, or the provisional ones.

    Retired versions are left out, and whoever was not rated for 180 days, until the next rated match.
    """
    established = Q(n__gte=ESTABLISHED)
    rows = RatingCurrent.objects.filter(pool__code=pool).filter(~established if provisional else established)
    return (
        rows.exclude(version__state__in=("retired", "suspended"))
        .filter(Q(version__isnull=True) | Q(version__bot__active_version=F("version")))
        .filter(Q(last_day__isnull=True) | Q(last_day__gte=timezone.now().date() - INACTIVE))
        .select_related("player", "version__bot__player", "version__bot__owner")
        .order_by("-rating_m", "pk")
    )


@dataclass(frozen=True, slots=True)
class HistoryPoint:
    """A subject after a period: its number, day, milli-Elo, rated matches so far."""

    seq: int
    day: date
    rating_m: int
    n: int
    version: int | None = None


def history(pool: str, subjects: Iterable[str], *, after: int = 0, limit: int | None = None) -> list[HistoryPoint]:
    """One point a period for the subjects (the versions of a bot, in order), oldest first; one query.

    `after` and `limit` give part of it: at most so many points of periods later than that one.
    """
    names = list(subjects)
    events = RatingEvent.objects.filter(pool__code=pool, revision=F("pool__current_revision"), subject__in=names)
    rows: Any = (
        events.filter(period__seq__gt=after)
        .order_by("period__seq", "subject", "-seq")
        .distinct("period__seq", "subject")
        .values_list("period__seq", "period__day", "after", "n", "kind", "subject")[:limit]
    )
    points = [
        HistoryPoint(
            seq=seq,
            day=day,
            rating_m=after,
            n=n + (kind == "match"),
            version=int(subject[2:]) if subject.startswith("v:") else None,
        )
        for seq, day, after, n, kind, subject in rows
    ]
    return sorted(points, key=lambda point: point.seq)
