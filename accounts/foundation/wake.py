"""Waking a task that works off whatever waits: once, however often it is asked for.

`wake(task)` sends the task after commit unless one is on its way already; the task calls `awake(task)` before it looks,
so that work which arrives while it runs wakes it again. A task that was lost is sent again after `FORGOTTEN_S`; the
sweeps of beat need none of this.
"""

import contextlib
from functools import partial

from celery import current_app
from django.core.cache import cache
from django.db import transaction
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

#: Seconds after which a call that nobody answered counts as lost.
FORGOTTEN_S = 5


def wake(task: str) -> None:
    """Send the task (by name, without arguments) after commit; a broker that is away is no error: a sweep follows."""
    transaction.on_commit(partial(_send, task), robust=True)


def awake(task: str) -> None:
    """Say that the task is about to look; called first thing in it."""
    with contextlib.suppress(RedisError):
        cache.delete(_key(task))


def _send(task: str) -> None:
    with contextlib.suppress(RedisError, OperationalError):
        if cache.add(_key(task), 1, timeout=FORGOTTEN_S):
            current_app.send_task(task)


def _key(task: str) -> str:
    return f"wake:{task}"
