"""Corrections of rated results: a new revision of the ledger, the difference published, the old one readable.

The last amendment of a match counts. It never changes a row: the pool is replayed into its next revision.
"""

from collections.abc import Sequence

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts.foundation import lock, lock_one
from accounts.models import User
from games.models import Match, MatchState
from league.errors import LeagueError
from league.models import MatchAmendment, RatedMatch, RatedState, RatingPeriod, RatingPool, UnratedReason
from league.rating import BELLA
from league.services.ratings import reading, rebuild

_Kind = MatchAmendment.Kind


def annul(*, matches: Sequence[Match], actor: User | None, reason: str) -> list[MatchAmendment]:
    """These finished matches count for nothing any more.

    Raises `match_not_finished`, and `amendment_no_change` for one annulled before.
    """
    return _amend(matches, _Kind.ANNUL, None, actor, reason)


def overturn(*, match: Match, winner_side: int | None, actor: User | None, reason: str) -> MatchAmendment:
    """A finished match counts with another result (`winner_side` None: drawn), also when it was annulled before.

    Raises `match_not_finished`, `bad_outcome`, and `amendment_no_change` for the result that it counts with already.
    """
    if winner_side not in (None, 0, 1):
        raise LeagueError("bad_outcome", _("The winner is one of the two sides, or nobody."), status=422)
    outcome = -1 if winner_side is None else winner_side
    return _amend([match], _Kind.OVERTURN, outcome, actor, reason)[0]


def _amend(
    matches: Sequence[Match], kind: MatchAmendment.Kind, outcome: int | None, actor: User | None, reason: str
) -> list[MatchAmendment]:
    if any(match.state != MatchState.FINISHED for match in matches):
        raise LeagueError("match_not_finished", _("Only the result of a finished match can be corrected."))
    with transaction.atomic():
        planned = RatedMatch.objects.filter(match__in=matches)
        pools = lock(RatingPool.objects.filter(pk__in=planned.filter(pool__isnull=False).values("pool")))
        rated = lock(planned.select_related("period"))
        if any(_counts_as(match) == (kind, outcome) for match in matches):
            raise LeagueError("amendment_no_change", _("This changes nothing: the match counts like that already."))
        touched = {one.pool_id for one in rated if _counted(one)}
        for one in rated:
            _mark(one, kind)
        touched |= {one.pool_id for one in rated if _counted(one)}
        RatedMatch.objects.bulk_update(rated, ["state", "reason"])
        made = MatchAmendment.objects.bulk_create(
            MatchAmendment(match=match, kind=kind, outcome=outcome, reason=reason, actor=actor) for match in matches
        )
        changes = [change for pool in pools if pool.pk in touched for change in _rewritten(pool)]
        for amendment in made:
            amendment.changes = changes
        MatchAmendment.objects.bulk_update(made, ["changes"])
    return made


def _counts_as(match: Match) -> tuple[str, int | None]:
    """How a match counts now: kind and outcome of its last amendment, or its own result."""
    last = MatchAmendment.objects.filter(match=match).order_by("-pk").first()
    if last is not None:
        return last.kind, last.outcome
    return _Kind.OVERTURN, -1 if match.winner_side is None else match.winner_side


def _counted(rated: RatedMatch) -> bool:
    """Whether the match stands in the ledger: it is rated, and its period was applied."""
    return rated.state == RatedState.RATED


def _mark(rated: RatedMatch, kind: MatchAmendment.Kind) -> None:
    """What never counted keeps its own reason; what was annulled counts again when it gets a result."""
    if kind == _Kind.ANNUL and rated.state != RatedState.UNRATED:
        rated.state, rated.reason = RatedState.UNRATED, UnratedReason.ANNULLED
    elif kind == _Kind.OVERTURN and rated.reason == UnratedReason.ANNULLED and rated.period is not None:
        is_applied = rated.period.state == RatingPeriod.State.CLOSED
        rated.state, rated.reason = RatedState.RATED if is_applied else RatedState.PENDING, ""


def _rewritten(pool: RatingPool) -> list[dict[str, object]]:
    """Write the next revision of a pool; return what it changed: subject, milli-Elo before and after."""
    pool = lock_one(RatingPool.objects.filter(pk=pool.pk))
    before = reading.states_of(pool)
    rebuild.write_revision(pool=pool)
    after = reading.states_of(pool)
    return [
        {"pool": pool.code, "subject": name, "before": was, "after": now}
        for name in sorted({*before, *after})
        if (was := before[name].rating_m if name in before else BELLA.start)
        != (now := after[name].rating_m if name in after else BELLA.start)
    ]
