"""The life of a worker: no start without a sandbox; its children settle, drain and leave; no seed is logged."""

import ctypes
import logging
import os
import platform
import re
import signal
import sys
from typing import Any, cast

from celery.signals import (
    after_setup_logger,
    after_setup_task_logger,
    worker_init,
    worker_process_init,
    worker_process_shutdown,
    worker_shutting_down,
)

from bots.arena import names
from bots.sandbox import SandboxUnavailable
from config.arena.application import app
from config.arena.child import Child, sandbox, shutting_down
from config.env import ConfigurationError

log = logging.getLogger("celery.arena")

PR_SET_PDEATHSIG = 1
SEED = re.compile(r"[0-9a-fA-F]{64}")

_child: Child | None = None


def child_of_this_process() -> Child:
    """The child that `settle` made. RuntimeError outside a prefork pool."""
    if _child is None:
        raise RuntimeError("tasks of the arena run in a prefork pool only")
    return _child


class NoSeeds(logging.Filter):
    """Hides whatever looks like a seed: Celery writes the whole body of a task that it does not know."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Change the record in place; let it pass."""
        text = record.getMessage()
        if hidden := SEED.sub("<64 hex digits>", text):
            record.msg, record.args = hidden, ()
        return True


@after_setup_logger.connect
@after_setup_task_logger.connect
def hide_seeds(logger: logging.Logger, **_: object) -> None:
    """In every handler that Celery makes."""
    for handler in logger.handlers:
        handler.addFilter(NoSeeds())


@worker_init.connect
def refuse_without_sandbox(**_: object) -> None:
    """No tier holds: the worker takes no job, and says so in one line."""
    try:
        sandbox().close()
    except (SandboxUnavailable, ConfigurationError) as error:
        sys.stderr.write(f"The arena takes no jobs: {error}\n")
        raise SystemExit(1) from None


@worker_process_init.connect
def settle(**_: object) -> None:
    """Give the child a core of its own (moves cost three times as much unpinned) and its sandbox.

    Here, in the main thread: the zygote ends with the thread that started it.
    """
    global _child  # noqa: PLW0603 - one child, one process
    from billiard import current_process  # numbers the children of a pool from 0, replaced ones too

    queues = sorted(app.amqp.queues.consume_from)
    cores = sorted(os.sched_getaffinity(os.getppid()))
    if names.PLAY_QUEUE not in queues:
        cores.reverse()  # matches fill the cores from below, so that checks and moves rather have one to themselves
    core = cores[cast(Any, current_process()).index % len(cores)]
    os.sched_setaffinity(0, {core})
    _child = Child(f"{platform.node()}/{'+'.join(queues)}/{core}"[:120])
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    try:
        _child.open()
    except SandboxUnavailable as error:  # it held when the worker started; each job tries again, and is refused
        log.error("%s", error)


@worker_process_shutdown.connect
def leave(**_: object) -> None:
    """Leave no process and no folder."""
    if _child is not None:
        _child.close()


@worker_shutting_down.connect
def drain(**_: object) -> None:
    """Children finish the deal that they play and give back the rest."""
    shutting_down[0] = 1
