"""Rows of the ledger, and the caches beside it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from league.models import HeadToHead, RatingCurrent, RatingEvent, RatingPeriod, RatingPool
from league.rating import LedgerRow, Period, RatingState
from league.services.ratings.reading import PPM, Subjects

#: Rows written by one statement.
BATCH = 1_000

Pairs = Mapping[tuple[int, int], Counter[str]]


def write_rows(*, pool: RatingPool, revision: int, period: RatingPeriod | int, rows: Sequence[LedgerRow]) -> None:
    """Append rows; a row that stands there already raises IntegrityError, and nothing is written."""
    period_id = period if isinstance(period, int) else period.pk
    RatingEvent.objects.bulk_create([event(pool, revision, period_id, row) for row in rows], batch_size=BATCH)


def event(pool: RatingPool, revision: int, period_id: int, row: LedgerRow) -> RatingEvent:
    """A ledger row as it is stored."""
    return RatingEvent(
        pool=pool,
        revision=revision,
        seq=row.seq,
        period_id=period_id,
        kind=row.kind,
        match=row.match,
        subject=row.subject,
        opp=row.opp,
        score=row.score,
        before=row.before,
        n=row.n,
        k=row.k,
        e=row.e,
        delta=row.delta,
        floor=row.floor,
        after=row.after,
        reason=row.reason,
        prev_hash=row.prev_hash,
        hash=row.hash,
    )


def write_states(
    *, pool: RatingPool, states: Mapping[str, RatingState], players: Mapping[str, int], versions: Mapping[str, int]
) -> None:
    """Store where subjects stand now; who is behind each: `players` of people, `versions` of bots."""
    rows = [
        RatingCurrent(
            pool=pool,
            subject=name,
            player_id=None if name in versions else players.get(name),
            version_id=versions.get(name),
            rating_m=state.rating_m,
            n=state.n,
            peak_m=state.peak_m,
            last_seq=state.last_seq,
            last_day=state.last_day,
        )
        for name, state in sorted(states.items())
    ]
    RatingCurrent.objects.bulk_create(
        rows,
        batch_size=BATCH,
        update_conflicts=True,
        unique_fields=["pool", "subject"],
        update_fields=["rating_m", "n", "peak_m", "last_seq", "last_day"],
    )


def head_to_head(periods: Iterable[tuple[Period, Subjects]]) -> dict[tuple[int, int], Counter[str]]:
    """Count the results of each pair of players, the one with the lower key first: `a`, `b`, `drawn`."""
    found: dict[tuple[int, int], Counter[str]] = {}
    for period, subjects in periods:
        for match in period.matches:
            if len(match.sides[0]) != 1:
                continue
            one, other = (subjects.players[side[0]] for side in match.sides)
            is_turned = one > other
            score = match.scores[1] if is_turned else match.scores[0]
            pair = (other, one) if is_turned else (one, other)
            result = "drawn" if score == PPM // 2 else ("a" if score == PPM else "b")
            found.setdefault(pair, Counter())[result] += 1
    return found


def add_up(total: dict[tuple[int, int], Counter[str]], more: Pairs) -> None:
    """Add counts of pairs to `total`, in place."""
    for pair, counts in more.items():
        total.setdefault(pair, Counter()).update(counts)


def add_head_to_head(*, pool: RatingPool, pairs: Pairs) -> None:
    """Add counts to the stored ones; the caller holds the pool's lock, so nobody else adds to them now."""
    known = {
        (row.a_id, row.b_id): row
        for row in HeadToHead.objects.filter(pool=pool, a__in={a for a, _b in pairs}, b__in={b for _a, b in pairs})
    }
    rows = []
    for (a, b), counts in sorted(pairs.items()):
        row = known.get((a, b)) or HeadToHead(pool=pool, a_id=a, b_id=b)
        row.won_a += counts["a"]
        row.won_b += counts["b"]
        row.drawn += counts["drawn"]
        rows.append(row)
    HeadToHead.objects.bulk_create(
        [HeadToHead(pool=pool, a_id=r.a_id, b_id=r.b_id, won_a=r.won_a, won_b=r.won_b, drawn=r.drawn) for r in rows],
        batch_size=BATCH,
        update_conflicts=True,
        unique_fields=["pool", "a", "b"],
        update_fields=["won_a", "won_b", "drawn"],
    )
