"""Looking for what was lost. A sweep may run twice or late: it decides nothing that is not checked again."""

from typing import Final

import structlog
from django.db import transaction

from accounts.foundation import take_turn
from bots import doorbell
from bots.models import MatchRun, RunState
from bots.services.runs.lines import lease_lost

log = structlog.get_logger(__name__)

SWEEP_LOCK: Final = 0x62656C6C_02


def sweep_leases() -> int:
    """Report the matches in play whose key does not hold their nonce; the number of them.

    Nothing is decided here: the line goes into the stream of reports, behind every report that the run sent before, and
    the registrar looks at the key again.
    """
    with transaction.atomic():
        if not take_turn(SWEEP_LOCK):
            return 0
        playing = list(MatchRun.objects.filter(state=RunState.PLAYING).values_list("run_id", "nonce"))
        leases = doorbell.leases(run_id for run_id, _ in playing)
        lost = [run_id for run_id, nonce in playing if leases.get(str(run_id)) != nonce]
        for run_id in lost:
            doorbell.report(lease_lost(run_id))
    if lost:
        log.info("leases.lost", count=len(lost))
    return len(lost)
