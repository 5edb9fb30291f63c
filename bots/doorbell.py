"""The one sender to the arena, and the one who knows its keys in Valkey.

The arena is another Celery application that may touch `arena:*` alone. What is sent there is a doorbell: the database
knows what is to be played, and whatever is lost here is rung again.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Final

import redis
import structlog
from celery import Celery
from django.conf import settings

from bots.arena import names
from bots.arena.jobs import MatchJob, MoveJob, QualifyJob

log = structlog.get_logger(__name__)

#: What a run's key holds once its job has ended.
DONE: Final = names.DONE


@cache
def valkey() -> "redis.Redis[bytes]":
    """The site's connection pool to Valkey; it survives a fork."""
    return redis.Redis.from_url(settings.VALKEY_URL, socket_timeout=10, socket_connect_timeout=5)


@cache
def _producer() -> Celery:
    """An application that only sends. As the current one it would take the site's tasks into its queue."""
    app = Celery("arena-producer", broker=settings.CELERY_BROKER_URL, fixups=[], set_as_current=False)
    app.conf.update(
        broker_transport_options={"global_keyprefix": names.KEY_PREFIX},
        task_serializer="json",
        task_ignore_result=True,
        task_send_sent_event=False,
        result_backend=None,
    )
    return app


def _send(task: str, arguments: list[Any], *, queue: str, shown: str) -> None:
    """Send a task whose header and log line say `shown` in place of its arguments: they hold a seed."""
    _producer().send_task(
        task, arguments, queue=queue, argsrepr=shown, kwargsrepr="{}", ignore_result=True,
        retry_policy={"max_retries": 1, "interval_start": 0.1},
    )  # fmt: skip


def ring_matches(jobs: Sequence[MatchJob]) -> None:
    """One block of matches, for one child. Raises kombu's OperationalError without a broker."""
    _send(names.PLAY_TASK, [[job.to_dict() for job in jobs]], queue=names.PLAY_QUEUE, shown=f"<{len(jobs)} jobs>")


def ring_qualify(job: QualifyJob) -> None:
    """The check of a new version."""
    _send(names.QUALIFY_TASK, [job.to_dict()], queue=names.QUALIFY_QUEUE, shown="<1 check>")


def ring_move(job: MoveJob) -> None:
    """One card at a table of people."""
    _send(names.MOVE_TASK, [job.to_dict()], queue=names.MOVE_QUEUE, shown="<1 card>")


def put_bot(sha256: str, archive: bytes) -> None:
    """Lay down a bot's files for a day."""
    valkey().set(names.bot_key(sha256), archive, ex=names.BOT_S)


def missing_bots(hashes: Iterable[str]) -> list[str]:
    """Those whose files do not lie there; the others stay for another day."""
    wanted = list(dict.fromkeys(hashes))
    with valkey().pipeline(transaction=False) as pipe:
        for sha256 in wanted:
            pipe.strlen(names.bot_key(sha256))
            pipe.expire(names.bot_key(sha256), names.BOT_S)
        lengths = pipe.execute(raise_on_error=False)[::2]
    # An error: what lies there is no text at all.
    return [sha256 for sha256, length in zip(wanted, lengths, strict=True) if not isinstance(length, int) or not length]


def forget_bots(hashes: Iterable[str]) -> None:
    """Take these files away: the arena says that they are not what they are called. The next job lays them down."""
    if wanted := [names.bot_key(sha256) for sha256 in hashes]:
        valkey().delete(*wanted)


def stop(run_id: object) -> None:
    """Tell the arena that a run is not wanted any more; it looks before the first card, after each deal and often."""
    valkey().set(names.stop_key(str(run_id)), "1", ex=names.STOP_S)


def leases(run_ids: Iterable[object]) -> dict[str, str]:
    """What the keys of runs hold: the nonce of the delivery that works on it, or DONE. No key, no entry."""
    wanted = [str(run_id) for run_id in run_ids]
    if not wanted:
        return {}
    values: list[bytes | None] = valkey().mget([names.run_key(run_id) for run_id in wanted])  # type: ignore[assignment]
    # The arena writes them: bytes that are no text are nobody's nonce.
    return {
        run_id: value.decode(errors="replace")
        for run_id, value in zip(wanted, values, strict=True)
        if value is not None
    }


def waiting_blocks() -> int:
    """Messages in the arena's queue that no child has taken."""
    return _waiting(names.PLAY_QUEUE)


def waiting_checks() -> int:
    """Checks of new versions that no child has taken."""
    return _waiting(names.QUALIFY_QUEUE)


def _waiting(queue: str) -> int:
    """The length of a queue. The arena may write its key: what is no queue is taken away, or nothing could be sent."""
    try:
        return int(valkey().llen(names.KEY_PREFIX + queue))
    except redis.ResponseError as error:
        if not is_wrong_type(error):
            raise
        log.error("queue.was_no_list", queue=queue)
        valkey().delete(names.KEY_PREFIX + queue)
        return 0


def is_wrong_type(error: redis.ResponseError) -> bool:
    """Whether a key holds another kind of value than the command is for."""
    return str(error).startswith("WRONGTYPE")


def report(entry: Mapping[str, Any]) -> None:
    """Append a line of our own to the stream of reports, so that it is read in order with those of the arena."""
    valkey().xadd(names.REPORTS, {names.REPORT_FIELD: json.dumps(entry)})
