"""Corrections of rated results: a new revision of the ledger, the difference published, the old one readable."""

from collections.abc import Sequence

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts.foundation import lock, lock_one
from accounts.models import User
from games.models import Match
from league.errors import LeagueError
from league.models import MatchAmendment, RatedMatch, RatedState, RatingPool, UnratedReason
from league.services.ratings import reading, rebuild


def annul(*, matches: Sequence[Match], actor: User | None, reason: str) -> list[MatchAmendment]:
    """These finished matches count for nothing any more. Raises `amendment_no_change` for one annulled before."""
    return _amend(matches, MatchAmendment.Kind.ANNUL, None, actor, reason)


def overturn(*, match: Match, winner_side: int | None, actor: User | None, reason: str) -> MatchAmendment:
    """A finished match counts with another result (`winner_side` None: drawn)."""
    outcome = -1 if winner_side is None else winner_side
    last = MatchAmendment.objects.filter(match=match).order_by("-pk").first()
    now = last.outcome if last is not None else (-1 if match.winner_side is None else match.winner_side)
    if now == outcome:
        raise _no_change()
    return _amend([match], MatchAmendment.Kind.OVERTURN, outcome, actor, reason)[0]


def _amend(
    matches: Sequence[Match], kind: MatchAmendment.Kind, outcome: int | None, actor: User | None, reason: str
) -> list[MatchAmendment]:
    with transaction.atomic():
        planned = RatedMatch.objects.filter(match__in=matches)
        pools = lock(RatingPool.objects.filter(pk__in=planned.filter(pool__isnull=False).values("pool")))
        rated = lock(planned)
        annulled = [one for one in rated if one.reason == UnratedReason.ANNULLED]
        if kind == MatchAmendment.Kind.ANNUL and annulled:
            raise _no_change()
        was_rated = {one.pool_id for one in rated if one.state == RatedState.RATED}
        for one in rated:
            if kind == MatchAmendment.Kind.ANNUL:
                one.state, one.reason = RatedState.UNRATED, UnratedReason.ANNULLED
        RatedMatch.objects.bulk_update(rated, ["state", "reason"])
        made = MatchAmendment.objects.bulk_create(
            MatchAmendment(match=match, kind=kind, outcome=outcome, reason=reason, actor=actor) for match in matches
        )
        changes = [change for pool in pools if pool.pk in was_rated for change in _rewritten(pool)]
        for amendment in made:
            amendment.changes = changes
        MatchAmendment.objects.bulk_update(made, ["changes"])
    return made


def _rewritten(pool: RatingPool) -> list[dict[str, object]]:
    """Write the next revision of a pool; return what it changed: subject, milli-Elo before and after."""
    pool = lock_one(RatingPool.objects.filter(pk=pool.pk))
    before = reading.states_of(pool)
    rebuild.write_revision(pool=pool)
    after = reading.states_of(pool)
    start = 1_500_000
    return [
        {"pool": pool.code, "subject": name, "before": was, "after": now}
        for name in sorted(before)
        if (was := before[name].rating_m) != (now := after[name].rating_m if name in after else start)
    ]


def _no_change() -> LeagueError:
    return LeagueError("amendment_no_change", _("This changes nothing: the match counts like that already."))
