"""Celery tasks of the app: doorbells and sweeps, all of which may run twice."""

from celery import shared_task

from bots.services import dispatch as dispatching
from bots.services import qualifying, sweeps, uploads_store


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
