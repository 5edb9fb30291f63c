"""Domain events: how news travels upward without an import upward.

A verb calls `publish(MatchFinished(match_id=7))` inside its transaction. Who listens is told by `subscribe` in an app's
`ready()`: a function runs at once, inside that transaction; a task (by name) is sent with the event's fields
after commit.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Any, TypeVar

from celery import current_app
from django.db import transaction

EventT = TypeVar("EventT")

_functions: dict[type, list[Callable[[Any], None]]] = defaultdict(list)
_tasks: dict[type, list[str]] = defaultdict(list)


def subscribe(
    event: type[EventT], *, function: Callable[[EventT], None] | None = None, task: str | None = None
) -> None:
    """Listen to a kind of event, by a function (writes rows of its own app or registers `on_commit`, nothing else) or
    a task."""
    if function is not None and function not in _functions[event]:
        _functions[event].append(function)
    if task is not None and task not in _tasks[event]:
        _tasks[event].append(task)


def publish(event: Any) -> None:
    """Tell the listeners of `type(event)`; `event` is a frozen dataclass of ids."""
    for function in _functions[type(event)]:
        function(event)
    for name in _tasks[type(event)]:
        send = partial(current_app.send_task, name, kwargs=asdict(event))
        # A broker that is away must not fail the request: a sweep finds what was missed.
        transaction.on_commit(send, robust=True)
