"""Background work of leagues; each task works off whatever waits, so it may run twice or late without harm."""

from celery import shared_task

from accounts.foundation.wake import awake
from games.services import heartbeats
from league.services import invitations, practice, progress, results
from league.services.ratings import periods, rebuild

APPLY_RESULTS = "league.tasks.apply_results"
APPLY_RATINGS = "league.tasks.apply_ratings"


@shared_task(name=APPLY_RESULTS, ignore_result=True)
def apply_results() -> None:
    """Count finished and void matches for their pairings."""
    awake(APPLY_RESULTS)
    results.apply_pending()


@shared_task(name=APPLY_RATINGS, ignore_result=True)
def apply_ratings() -> None:
    """Close the rating periods whose matches are over."""
    awake(APPLY_RATINGS)
    periods.sweep()


@shared_task(name="league.tasks.tick", ignore_result=True)
def tick() -> None:
    """Each second: release the rounds that are due under automatic control."""
    progress.release_due()


@shared_task(name="league.tasks.sweep_invitations", ignore_result=True)
def sweep_invitations() -> None:
    """Every few seconds: expire what nobody has answered, void what nobody has begun."""
    invitations.sweep()


@shared_task(name="league.tasks.forget_guests", ignore_result=True)
def forget_guests() -> None:
    """Each night: delete guests who were not seen for a month, with their games."""
    practice.forget_unseen()


@shared_task(name="league.tasks.check_ratings", ignore_result=True)
def check_ratings() -> None:
    """Each night: recompute every pool and compare with the live ledger; the page of the site's health tells it."""
    for check in rebuild.check_all():
        heartbeats.beat(role="ledger", name=check.pool, detail={"rows": check.rows, "problem": check.problem})
