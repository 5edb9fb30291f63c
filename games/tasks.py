"""Background work of games; each task works off whatever waits, so it may run twice or late without harm."""

from celery import shared_task

from accounts.foundation.wake import awake
from games.services import analysis, clock


@shared_task(name=analysis.MAKE, ignore_result=True)
def make_analyses() -> None:
    """Make the analyses that somebody waits for."""
    awake(analysis.MAKE)
    analysis.make_wanted()


@shared_task
def wake() -> int:
    """Look at the tables of people where something is due."""
    return clock.wake_due()
