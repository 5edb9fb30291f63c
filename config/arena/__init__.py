"""The Celery shell of the arena: leases, the stream of reports and the cache of bots around `bots.arena`.

    celery -A config.arena worker -Q arena --without-gossip --without-mingle --without-heartbeat

No Django, no database, no secret: a job carries all that it needs, and the Valkey user may touch `arena:*` only.
A message that is delivered twice is harmless: a run is played by who holds the key `arena:run:<run_id>`.
"""

from config.arena import life, tasks
from config.arena.application import app

__all__ = ["app", "life", "tasks"]
