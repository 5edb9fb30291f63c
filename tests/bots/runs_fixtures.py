"""Runs for tests: a match that was handed out, and what the database says of it."""

from typing import Any

from bots.models import Fault, MatchRun, RunState
from bots.services import dispatch
from bots.services.runs.work import work_of
from games.models import Deal, Match
from tests.bots.honest_worker import Worker
from tests.factories import make_bot_match


def worker_of(match: Match, **options: Any) -> Worker:
    """The worker of the match's open run, which it holds."""
    run = MatchRun.objects.get(match=match, state=RunState.QUEUED)
    match.refresh_from_db()
    worker = Worker(job=work_of([match])[match.pk].job(run), **options)
    assert worker.take_lease()
    return worker


def queued(match: Match | None = None, **fields: Any) -> tuple[Match, Worker]:
    """A match of two bots that was just handed out, and the worker that got it."""
    match = match or make_bot_match(**fields)
    assert dispatch.fill() >= 1
    return match, worker_of(match)


def snapshot(match: Match) -> list[dict[str, Any]]:
    """Every row of the match, whole."""
    rows = [*Match.objects.filter(pk=match.pk).values()]
    for model in (Deal, MatchRun, Fault):
        rows += model.objects.filter(match=match).order_by("pk").values()
    return rows
