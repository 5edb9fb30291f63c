"""Analyses of deals: asked for by whoever looks at a replay, made once in the background, kept for ever."""

from dataclasses import asdict
from typing import Final

import structlog
from django.db import transaction
from django.utils import timezone

from accounts.foundation.wake import wake
from games.engine import LUCK_TABLE, OPEN_TRICKS, DealAnalysis, analyse
from games.errors import AnalysisNotYet
from games.models import Analysis, Match
from games.selectors.records import record_of
from games.selectors.visibility import set_is_over

log = structlog.get_logger(__name__)

#: Name of the task that makes what is wanted.
MAKE: Final = "games.tasks.make_analyses"
METHOD: Final = f"{LUCK_TABLE} open-{OPEN_TRICKS}"
#: Deals of one call of the task: some seconds of work, then it lets others pass.
AT_ONCE: Final = 20
#: Deals that may wait: who walks through all replays keeps the worker busy for a minute, not for hours.
MOST_WANTED: Final = 500


def want(*, match: Match) -> bool:
    """Ask for the analysis of every deal of a match; return whether all of them are made.

    Raises AnalysisNotYet before the match, and its mirrored set, is over. Asking again is harmless: a call that was
    lost is repeated. While MOST_WANTED deals wait no more are taken: who asks again gets a place later.
    """
    if not set_is_over(match):
        raise AnalysisNotYet
    deals = [deal.pk for deal in match.deals.all() if deal.is_over]
    rows = {row.deal_id: row for row in Analysis.objects.filter(deal__in=deals).only("deal_id", "made_at")}
    missing = [Analysis(deal_id=pk) for pk in deals if pk not in rows]
    is_made = not missing and all(row.made_at for row in rows.values())
    if not is_made:
        with transaction.atomic():
            if missing and Analysis.objects.wanted().count() < MOST_WANTED:
                Analysis.objects.bulk_create(missing, ignore_conflicts=True)
            wake(MAKE)
    return is_made


def make_wanted() -> int:
    """Make up to AT_ONCE of the analyses that are wanted, oldest first; return how many. Several may run at once."""
    made = 0
    while made < AT_ONCE and _make_next():
        made += 1
    if made == AT_ONCE and Analysis.objects.wanted().exists():
        wake(MAKE)
    return made


def _make_next() -> bool:
    with transaction.atomic():
        row = (
            Analysis.objects.wanted()
            .select_for_update(skip_locked=True, of=("self",))
            .select_related("deal__match")
            .order_by("id")
            .first()
        )
        if row is None:
            return False
        try:
            found = analyse(record_of(row.deal.match, row.deal))
        except Exception:  # whatever it is, it must not stand in the way of all others for ever
            log.exception("analysis.failed", deal=row.deal_id)
            found = DealAnalysis(None, ())
        row.luck = None if found.luck is None else list(found.luck)
        row.plays = [asdict(play) for play in found.plays]
        row.method = METHOD
        row.made_at = timezone.now()
        row.save()
    return True
