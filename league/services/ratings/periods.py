"""Applying a period: once, whatever happens; and the sweep that finds the periods that can be applied."""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

import structlog
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from accounts.foundation import LockError, lock, lock_one
from games.models import MatchEnd, MatchState
from league.models import RatedMatch, RatedState, RatingPeriod, RatingPool, UnratedReason
from league.rating import RatingInputError, compute_period
from league.services.ratings import reading, writing

log = structlog.get_logger(__name__)

_OVER = (MatchState.FINISHED, MatchState.VOID)
#: Results that count for nothing: not played at the table, or decided by a person before its end.
_UNRATED_ENDS = {
    MatchEnd.FORFEIT: UnratedReason.FORFEIT,
    MatchEnd.ABSENT: UnratedReason.FORFEIT,
    MatchEnd.RULED: UnratedReason.RULED,
}


class Outcome(StrEnum):
    """What `apply_period` found."""

    APPLIED = "applied"
    NOT_YET = "not_yet"
    CLOSED_BEFORE = "closed_before"


@dataclass(frozen=True, slots=True)
class ApplyResult:
    """Outcome, the period's number in its pool and its rows (0 when not applied now)."""

    outcome: Outcome
    seq: int | None = None
    rows: int = 0


def apply_period(*, period_id: int) -> ApplyResult:
    """Rate a period whose matches are all over; applied before, or something still in play: changes nothing.

    Raises RatingInputError when a result makes no sense (nothing is written).
    """
    pool_id = RatingPeriod.objects.values_list("pool_id", flat=True).get(pk=period_id)
    with transaction.atomic():
        pool = lock_one(RatingPool.objects.filter(pk=pool_id))
        period = lock_one(RatingPeriod.objects.filter(pk=period_id))
        if period.state == RatingPeriod.State.CLOSED:
            return ApplyResult(Outcome.CLOSED_BEFORE, period.seq)
        rated = lock(RatedMatch.objects.filter(period=period).select_related("match"))
        if any(one.match.state not in _OVER for one in rated):
            return ApplyResult(Outcome.NOT_YET)
        return _apply(pool, period, rated)


def _apply(pool: RatingPool, period: RatingPeriod, rated: list[RatedMatch]) -> ApplyResult:
    """The write; the caller holds the locks of pool and period."""
    now = timezone.now()
    void_sets = {one.match.mirror_set for one in rated if one.match.state == MatchState.VOID}
    for one in rated:
        if one.state == RatedState.PENDING:
            reason = _unrated(one, void_sets)
            one.state, one.reason = (RatedState.RATED, "") if reason is None else (RatedState.UNRATED, reason)
    RatedMatch.objects.bulk_update(rated, ["state", "reason"])
    counting = [one for one in rated if one.state == RatedState.RATED]
    ids = [one.match_id for one in counting]
    if not counting:
        period.day = now.date()
    subjects = reading.subjects_of(ids)
    pure = reading.period_of(
        period,
        seq=pool.next_period,
        rated=counting,
        subjects=subjects,
        overturned=reading.overturned_in(ids),
        anchor=str(pool.params.get("anchor", "")),
    )
    wanted = {name for one in pure.subjects for name in (one.subject, *one.ancestors)}
    result = compute_period(
        pure,
        pool=pool.code,
        states=reading.states_of(pool, sorted(wanted)),
        last_seq=pool.next_seq - 1,
        last_hash=pool.last_hash,
    )
    period.seq, period.day, period.state, period.closed_at = (
        pure.seq,
        pure.day,
        RatingPeriod.State.CLOSED,
        now,
    )
    period.save(update_fields=["seq", "day", "state", "closed_at"])
    writing.write_rows(pool=pool, revision=pool.current_revision, period=period, rows=result.rows)
    writing.write_states(pool=pool, states=result.states, players=subjects.players, versions=subjects.versions)
    writing.add_head_to_head(pool=pool, pairs=writing.head_to_head([(pure, subjects)]))
    pool.next_period += 1
    pool.next_seq, pool.last_hash = result.last_seq + 1, result.last_hash
    pool.save(update_fields=["next_period", "next_seq", "last_hash"])
    return ApplyResult(Outcome.APPLIED, period.seq, len(result.rows))


def _unrated(rated: RatedMatch, void_sets: Collection[UUID | None]) -> UnratedReason | None:
    """Why a match that is over does not count; the other half of a mirrored set that is void is void as well."""
    is_half = rated.match.mirror_set is not None and rated.match.mirror_set in void_sets
    if rated.match.state == MatchState.VOID or is_half:
        return UnratedReason.VOID
    return _UNRATED_ENDS.get(MatchEnd(rated.match.termination))


def sweep() -> int:
    """Apply every period that can be; returns how many.

    A period with senseless input is logged for the operator, one whose pool somebody holds waits for the next sweep;
    the others go on.
    """
    still_open = RatedMatch.objects.filter(period=OuterRef("pk")).exclude(match__state__in=_OVER)
    ready = RatingPeriod.objects.filter(~Exists(still_open), state=RatingPeriod.State.OPEN).order_by("pk")
    applied = 0
    for period_id in list(ready.values_list("pk", flat=True)):
        try:
            applied += apply_period(period_id=period_id).outcome == Outcome.APPLIED
        except RatingInputError as error:
            log.exception("rating_input_error", period=period_id, code=error.code)
        except LockError:
            log.info("rating_pool_busy", period=period_id)
    return applied
