"""The Celery application of the site: worker (`celery -A config worker`) and beat (`celery -A config beat`).

A queue is no permission: whoever can write to `default` can run any task here, so the arena cannot (its user reaches
`arena:*` only) and its reports are no Celery messages (manage.py receive_reports).
"""

import os
from importlib import import_module

from celery import Celery
from celery.schedules import crontab
from celery.signals import beat_init, worker_ready
from django.conf import settings
from django_structlog.celery.steps import DjangoStructLogInitStep

from config.celery_options import COMMON

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


def every(seconds: float, task: str) -> dict[str, object]:
    """A line of the schedule.  A message that waits for five rounds is dropped: the next one does its work."""
    return {"task": task, "schedule": seconds, "options": {"expires": max(5 * seconds, 5.0)}}


#: Every sweep is at-least-once and decides by the database alone, so a round more or less changes nothing.
SCHEDULE: dict[str, dict[str, object]] = {
    "dispatch": every(2, "bots.tasks.dispatch"),
    "leases": every(settings.ARENA_SWEEP_S, "bots.tasks.sweep_leases"),
    "checks": every(settings.ARENA_SWEEP_S, "bots.tasks.sweep_checks"),
    "faults": every(6 * settings.ARENA_SWEEP_S, "bots.tasks.judge_faults"),
    "logs": {"task": "bots.tasks.sweep_logs", "schedule": crontab(hour=4, minute=20)},
    "guests": {"task": "league.tasks.forget_guests", "schedule": crontab(hour=4, minute=30)},
    "archives": {"task": "bots.tasks.sweep_archives", "schedule": crontab(hour=4, minute=10)},
    "tables": every(1, "games.tasks.wake"),
    "rounds": every(1, "league.tasks.tick"),
    "invitations": every(5, "league.tasks.sweep_invitations"),
    "results": every(settings.ARENA_SWEEP_S, "league.tasks.apply_results"),
    "ratings": every(6 * settings.ARENA_SWEEP_S, "league.tasks.apply_ratings"),
    "ledger": {"task": "league.tasks.check_ratings", "schedule": crontab(hour=3, minute=30)},
}

app = Celery("bella", broker=settings.CELERY_BROKER_URL)
app.conf.update(
    COMMON,
    task_default_queue="default",
    beat_scheduler="celery.beat:Scheduler",
    beat_schedule=SCHEDULE,
)
app.steps["worker"].add(DjangoStructLogInitStep)
app.autodiscover_tasks()


@worker_ready.connect
def _worker_lives(**_: object) -> None:
    """In the parent, which holds no connection of Django's."""
    import_module("config.heartbeats").start("worker")


@beat_init.connect
def _beat_lives(**_: object) -> None:
    import_module("config.heartbeats").start("beat")
