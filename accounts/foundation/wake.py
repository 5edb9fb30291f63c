"""Waking a task that works off whatever waits: once, however often it is asked for.

`wake(task)` sends the task after commit unless one is on its way already; the task calls `awake(task)` before it looks,
so that work which arrives while it runs wakes it again. A task that was lost is sent again after `FORGOTTEN_S`; the
sweeps of beat need none of this.
"""

import contextlib
import time
from functools import partial

from celery import current_app
from django.core.cache import cache
from django.db import transaction
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

#: Seconds after which a call that nobody answered counts as lost.
FORGOTTEN_S = 5


def wake(task: str, *, every_s: float = 0) -> None:
    """Send the task (by name, without arguments) after commit; a broker that is away is no error: a sweep follows.

    At once when it has rested for `every_s`, else as soon as it has: what costs as much for one piece of work as for
    many then takes many at a time.
    """
    transaction.on_commit(partial(_send, task, every_s), robust=True)


def awake(task: str) -> None:
    """Say that the task is about to look; called first thing in it."""
    with contextlib.suppress(RedisError):
        cache.set(_began(task), time.time(), timeout=60)
        cache.delete(_key(task))


def _send(task: str, every_s: float) -> None:
    with contextlib.suppress(RedisError, OperationalError):
        if cache.add(_key(task), 1, timeout=FORGOTTEN_S):
            rested = time.time() - (cache.get(_began(task)) or 0) if every_s else every_s
            current_app.send_task(task, countdown=every_s - rested if rested < every_s else None)


def _began(task: str) -> str:
    return f"began:{task}"


def _key(task: str) -> str:
    return f"wake:{task}"
