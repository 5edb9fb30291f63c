"""The Celery application of the arena."""

from celery import Celery
from kombu import Exchange, Queue

from bots.arena import names
from config.celery_options import COMMON
from config.env import celery_broker, required

QUEUES = (names.PLAY_QUEUE, names.QUALIFY_QUEUE, names.MOVE_QUEUE)

# fixups=[]: with DJANGO_SETTINGS_MODULE in the environment Celery would load Django, and with it the site's secrets.
app = Celery("arena", broker=celery_broker(required("ARENA_VALKEY_URL")), fixups=[])
app.conf.update(COMMON)
app.conf.update(
    task_queues=[Queue(name, Exchange(name), routing_key=name) for name in QUEUES],
    task_default_queue=names.PLAY_QUEUE,
    task_create_missing_queues=False,
    worker_enable_remote_control=False,
    worker_send_task_events=False,
    # The lease outlives a broken connection; a second delivery finds it held.
    worker_cancel_long_running_tasks_on_connection_loss=False,
    worker_max_tasks_per_child=2_000,
    worker_proc_alive_timeout=60,  # a child is up only when its sandbox has been probed
    broker_transport_options=COMMON["broker_transport_options"] | {"global_keyprefix": names.KEY_PREFIX},
)
