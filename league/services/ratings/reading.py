"""Periods as the pure rating functions want them, read from stored results; live application and rebuild share this."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count

from bots.models import BotVersion
from games.models import Seat
from league.models import MatchAmendment, RatedMatch, RatedState, RatingCurrent, RatingPeriod, RatingPool
from league.rating import Period, PeriodMatch, PeriodSubject, Population, RatingState
from league.rating import PeriodKind as Kind

PPM = 1_000_000
#: Matches read at once by a rebuild.
CHUNK = 5_000

Scores = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Subjects:
    """Who is rated in some matches: subjects by match and side, their descriptions, the players behind them."""

    sides: Mapping[int, tuple[tuple[str, ...], tuple[str, ...]]]
    described: Mapping[str, PeriodSubject]
    players: Mapping[str, int]
    versions: Mapping[str, int]


def subjects_of(match_ids: Sequence[int]) -> Subjects:
    """Read the subjects of matches: `v:<version>` for a bot, `p:<player>` for a person; two queries."""
    sides: dict[int, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    players: dict[str, int] = {}
    versions: dict[str, int] = {}
    bots: dict[str, int] = {}
    rows = Seat.objects.filter(match__in=match_ids).order_by("match_id", "index")
    for match_id, side, player_id, version_id, bot_id in rows.values_list(
        "match_id", "side", "player_id", "bot_seat__version_id", "bot_seat__version__bot_id"
    ):
        subject = f"p:{player_id}" if version_id is None else f"v:{version_id}"
        sides[match_id][side].append(subject)
        players[subject] = player_id
        if version_id is not None:
            versions[subject], bots[subject] = version_id, bot_id
    ancestors = _ancestors(versions, bots)
    described = {
        subject: PeriodSubject(
            subject=subject,
            population=Population.BOT if subject in versions else Population.HUMAN,
            ancestors=ancestors.get(subject, ()),
        )
        for subject in players
    }
    return Subjects(
        sides={match_id: (tuple(first), tuple(second)) for match_id, (first, second) in sides.items()},
        described=described,
        players=players,
        versions=versions,
    )


def _ancestors(versions: Mapping[str, int], bots: Mapping[str, int]) -> dict[str, tuple[str, ...]]:
    """Earlier versions of each version's bot, nearest first."""
    by_bot: dict[int, list[tuple[int, int]]] = defaultdict(list)
    numbers: dict[int, int] = {}
    for bot_id, number, pk in BotVersion.objects.filter(bot__in=set(bots.values())).values_list(
        "bot_id", "number", "pk"
    ):
        by_bot[bot_id].append((number, pk))
        numbers[pk] = number
    return {
        subject: tuple(
            f"v:{pk}" for number, pk in sorted(by_bot[bots[subject]], reverse=True) if number < numbers[version_id]
        )
        for subject, version_id in versions.items()
    }


def period_of(
    row: RatingPeriod,
    *,
    seq: int,
    rated: Sequence[RatedMatch],
    subjects: Subjects,
    overturned: Mapping[int, int],
    anchor: str = "",
) -> Period:
    """The pure period of a stored one; `rated` with their matches loaded, `overturned` outcomes by match (-1 drawn)."""
    matches = [_match(one, subjects, overturned) for one in rated]
    names = {subject for match in matches for side in match.sides for subject in side}
    day = row.day or max(one.match.finished_at for one in rated if one.match.finished_at).date()
    return Period(
        seq=seq,
        kind=Kind(row.kind),
        day=day,
        matches=tuple(matches),
        subjects=tuple(subjects.described[name] for name in sorted(names)),
        anchor=anchor,
    )


def _match(rated: RatedMatch, subjects: Subjects, overturned: Mapping[int, int]) -> PeriodMatch:
    match = rated.match
    winner = match.winner_side
    reason = "rated"
    if match.pk in overturned:
        winner = None if overturned[match.pk] < 0 else overturned[match.pk]
        reason = "overturn"
    return PeriodMatch(code=match.code, sides=subjects.sides[match.pk], scores=scores(winner), reason=reason)


def scores(winner_side: int | None) -> Scores:
    """Scores of both sides in ppm."""
    if winner_side is None:
        return (PPM // 2, PPM // 2)
    return (PPM, 0) if winner_side == 0 else (0, PPM)


def overturned_in(match_ids: Sequence[int]) -> dict[int, int]:
    """The last overturned outcome of each match that has one."""
    found = MatchAmendment.objects.filter(match__in=match_ids, kind=MatchAmendment.Kind.OVERTURN).order_by("pk")
    return {match_id: outcome for match_id, outcome in found.values_list("match_id", "outcome") if outcome is not None}


def states_of(pool: RatingPool, names: Sequence[str] | None = None) -> dict[str, RatingState]:
    """Current states of a pool's subjects; `names` None = all of them."""
    rows = RatingCurrent.objects.filter(pool=pool)
    if names is not None:
        rows = rows.filter(subject__in=names)
    return {
        subject: RatingState(rating_m=rating_m, n=n, peak_m=peak_m, last_seq=last_seq, last_day=last_day)
        for subject, rating_m, n, peak_m, last_seq, last_day in rows.values_list(
            "subject", "rating_m", "n", "peak_m", "last_seq", "last_day"
        )
    }


def stored_periods(pool: RatingPool) -> Iterator[tuple[Period, Subjects]]:
    """The closed periods of a pool in their order, read in chunks so that memory does not grow with the history."""
    anchor = str(pool.params.get("anchor", ""))
    chunk: list[RatingPeriod] = []
    size = 0
    counts = _rated_counts(pool)
    for row in RatingPeriod.objects.filter(pool=pool, seq__isnull=False).order_by("seq").iterator(chunk_size=500):
        chunk.append(row)
        size += counts.get(row.pk, 0) + 1
        if size >= CHUNK:
            yield from _pure(chunk, anchor)
            chunk, size = [], 0
    yield from _pure(chunk, anchor)


def _rated_counts(pool: RatingPool) -> dict[int, int]:
    rows: Any = RatedMatch.objects.filter(pool=pool, state=RatedState.RATED).order_by().values_list("period_id")
    return dict(rows.annotate(Count("pk")))


def _pure(chunk: Sequence[RatingPeriod], anchor: str) -> Iterator[tuple[Period, Subjects]]:
    by_period: dict[int, list[RatedMatch]] = defaultdict(list)
    found = RatedMatch.objects.filter(period__in=chunk, state=RatedState.RATED).select_related("match")
    fields = ("period_id", "state", "match__code", "match__winner_side", "match__finished_at")
    for rated in found.only(*fields):
        if rated.period_id is not None:
            by_period[rated.period_id].append(rated)
    ids = [rated.match_id for group in by_period.values() for rated in group]
    subjects, overturned = subjects_of(ids), overturned_in(ids)
    for row in chunk:
        yield (
            period_of(
                row,
                seq=row.seq or 0,
                rated=by_period[row.pk],
                subjects=subjects,
                overturned=overturned,
                anchor=anchor,
            ),
            subjects,
        )
