"""Celery tasks of the app: doorbells and sweeps, all of which may run twice."""

from celery import shared_task

from accounts.foundation.wake import awake
from bots.services import dispatch as dispatching
from bots.services import faults, logs, qualifying, sweeps, uploads_store
from bots.services.runs.cases import JUDGE_FAULTS


@shared_task
def dispatch() -> int:
    """Hand matches to the arena."""
    return dispatching.fill()


@shared_task
def sweep_leases() -> int:
    """Find the runs that nobody works on."""
    return sweeps.sweep_leases()


@shared_task
def sweep_checks() -> int:
    """Find the checks of versions that are stuck, and the versions that wait for one."""
    return qualifying.sweep()


@shared_task
def sweep_archives() -> int:
    """Remove the files that an upload left which was killed before its commit."""
    return uploads_store.sweep()


@shared_task
def judge_faults() -> int:
    """Do what follows from faults that nobody has judged, and forgive what is long ago."""
    awake(JUDGE_FAULTS)
    faults.forgive()
    return faults.judge_all()


@shared_task
def sweep_logs() -> int:
    """Remove logs that are too old."""
    return logs.sweep()
