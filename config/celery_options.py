"""What every Celery process of the project has in common.  Standard library only: the arena uses it too."""

from typing import Any

#: Longest task, seconds.
TASK_LIMIT = 300
#: When the broker gives an unacknowledged message to another worker, seconds: four times the longest task.
VISIBILITY_TIMEOUT = 4 * TASK_LIMIT

COMMON: dict[str, Any] = {
    "task_acks_late": True,
    "task_reject_on_worker_lost": True,  # the child died: back into the queue at once, not after the visibility timeout
    "task_acks_on_failure_or_timeout": True,  # a task that raised is over; the sweeps find what it left
    "worker_prefetch_multiplier": 1,
    "task_ignore_result": True,
    "result_backend": None,
    "task_serializer": "json",
    "accept_content": ["json"],
    "task_time_limit": TASK_LIMIT,
    "broker_connection_retry_on_startup": True,
    "worker_hijack_root_logger": False,
    "worker_cancel_long_running_tasks_on_connection_loss": True,
    "enable_utc": True,
    "broker_transport_options": {
        "visibility_timeout": VISIBILITY_TIMEOUT,
        "unacked_restore_interval": 1,
        "unacked_restore_throttle": 1,  # kombu >= 5.7: without it the interval counts ten times
    },
}
