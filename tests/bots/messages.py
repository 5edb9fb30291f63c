"""What lies in the arena's queue."""

import base64
import json
from dataclasses import dataclass
from typing import Any

from bots import doorbell
from bots.arena.jobs import MatchJob


@dataclass(frozen=True)
class Message:
    """A Celery message of the arena's queue, as it lies in Valkey."""

    raw: dict[str, Any]

    @property
    def body(self) -> Any:
        return json.loads(base64.b64decode(self.raw["body"]))

    @property
    def jobs(self) -> list[MatchJob]:
        """The block of matches, in its order."""
        return [MatchJob.from_dict(job) for job in self.body[0][0]]


def arena_messages(queue: str = "arena") -> list[Message]:
    """The messages of a queue, the oldest first."""
    found = doorbell.valkey().lrange(f"arena:{queue}", 0, -1)
    return [Message(json.loads(item)) for item in reversed(found)]
