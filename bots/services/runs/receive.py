"""Reports of the arena: taken in order, believed only after the engine has replayed them, stored exactly once.

The row of a run says which report comes next. Reports of many runs are stored in one transaction; when something goes
wrong in it, the reports of each run are taken in a transaction of their own.
"""

import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import structlog
from django.db import InterfaceError, OperationalError, transaction

from accounts.foundation import LockError
from bots import doorbell
from bots.arena.reports import MoveReport, QualifyStep, Refused, Returned, Started
from bots.models import MoveRun, QualifyRun
from bots.services import moves_reports, qualifying
from bots.services.runs.answers import Answer, Verdict
from bots.services.runs.cases import Batch, load
from bots.services.runs.judge import fail, take
from bots.services.runs.lines import LeaseLost, Line, Unreadable, read

log = structlog.get_logger(__name__)

#: The database is away or somebody holds a row: to be tried again, nobody's fault.
RETRY = (OperationalError, InterfaceError, LockError)

Numbered = Sequence[tuple[int, Line]]


def receive(report: bytes | str | Mapping[str, Any]) -> Answer:
    """Take one report. Raises as `receive_many`."""
    (answer,) = receive_many([report if isinstance(report, bytes | str) else json.dumps(report)])
    return answer


def receive_many(reports: Sequence[bytes | str]) -> list[Answer]:
    """Take reports in their order; the answers come in the same order.

    Whatever a report says, nothing is raised because of it. Raises OperationalError, InterfaceError or LockError when
    nothing can be stored now, and redis' errors: then all of them are to be given again.
    """
    lines = list(enumerate(map(read, reports)))
    cards = _of_cards(lines)
    lines = [(place, line) for place, line in lines if place not in cards]
    # Of a run that begins and of one that may be lost the lease decides.
    leases = doorbell.leases({line.run_id for _, line in lines if line.seq <= 0 and _is_id(line.run_id)})
    answers = cards | _of_matches([(place, line) for place, line in lines if _is_id(line.run_id)], leases)
    answers |= {place: _of_others(line, reports[place]) for place, line in lines if place not in answers}
    return [answers[place] for place in range(len(reports))]


def _of_cards(lines: Numbered) -> dict[int, Answer]:
    """Answers to the lines that bring a card to a table of people: somebody waits there, so they come first."""
    wanted = {line.run_id for _, line in lines if isinstance(line, MoveReport) and _is_id(line.run_id)}
    if not wanted:
        return {}
    known = {str(found) for found in MoveRun.objects.filter(run_id__in=wanted).values_list("run_id", flat=True)}
    return {
        place: _safely(moves_reports.receive, line)
        for place, line in lines
        if line.run_id in known and not isinstance(line, Unreadable)
    }


def _of_matches(lines: Numbered, leases: Mapping[str, str]) -> dict[int, Answer]:
    """Answers to the lines whose run is one of a match."""
    try:
        return _in_one_transaction(lines, leases)
    except RETRY:
        raise
    except Exception:
        log.exception("reports.batch_failed", count=len(lines))
    answers: dict[int, Answer] = {}
    for run_id in dict.fromkeys(line.run_id for _, line in lines):
        own = [(place, line) for place, line in lines if line.run_id == run_id]
        try:
            answers |= _in_one_transaction(own, leases)
        except RETRY:
            raise
        except Exception:
            log.exception("run.failed", run_id=run_id)
            _give_up(run_id)
            answers |= {place: Answer(run_id, line.seq, Verdict.REFUSED) for place, line in own}
    return answers


def _give_up(run_id: str) -> None:
    """A run whose reports cannot be stored is refused. Should that fail as well, the sweep of leases finds it."""
    try:
        with transaction.atomic():
            batch = load([run_id])
            if run_id in batch.cases:
                fail(batch.cases[run_id], "error")
                batch.save()
    except RETRY:
        raise
    except Exception:
        log.exception("run.failed_twice", run_id=run_id)


def _in_one_transaction(lines: Numbered, leases: Mapping[str, str]) -> dict[int, Answer]:
    if not lines:
        return {}
    with transaction.atomic():
        batch: Batch = load({line.run_id for _, line in lines})
        answers = {
            place: take(case, line, leases.get(line.run_id))
            for place, line in lines
            if (case := batch.cases.get(line.run_id)) is not None
        }
        batch.save()
    return answers


def _of_others(line: Line, report: bytes | str) -> Answer:
    """The answer to a line whose run is none of a match: the check of a version, or nothing of ours."""
    if isinstance(line, Unreadable):
        log.warning("report.unreadable", rule=line.rule, size=len(report))
        return Answer(line.run_id, line.seq, Verdict.SCHEMA)
    if _is_id(line.run_id) and QualifyRun.objects.filter(run_id=line.run_id).exists():
        return _safely(_of_check, line)
    if _is_id(line.run_id) and MoveRun.objects.filter(run_id=line.run_id).exists():
        return _safely(moves_reports.receive, line)
    log.info("run.stale", run_id=line.run_id[:36], seq=line.seq, why="unknown")
    return Answer(line.run_id, line.seq, Verdict.STALE)


def _safely(take: Callable[[Line], Answer], line: Line) -> Answer:
    """What `take` answers; a line that breaks it is refused, so that it does not stand before all others for ever."""
    try:
        return take(line)
    except RETRY:
        raise
    except Exception:
        log.exception("run.failed", run_id=line.run_id)
        return Answer(line.run_id, line.seq, Verdict.REFUSED)


def _of_check(line: Line) -> Answer:
    """The answer to a line about the check of a version."""
    if isinstance(line, LeaseLost):
        is_lost = qualifying.lease_lost(line.run_id)
        return Answer(line.run_id, line.seq, Verdict.ACCEPTED if is_lost else Verdict.STALE)
    if isinstance(line, Started | QualifyStep | Returned | Refused):
        return qualifying.receive(line)
    return Answer(line.run_id, line.seq, Verdict.REFUSED)


def _is_id(text: str) -> bool:
    try:
        return str(uuid.UUID(text)) == text
    except ValueError:
        return False
