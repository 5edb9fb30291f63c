"""Names in the broker that the site and the arena share. The arena may touch what begins with `arena:` only."""

KEY_PREFIX = "arena:"
"""Also the prefix of Celery's own keys for the arena's queues (`global_keyprefix`)."""
REPORTS = "arena:reports"
"""The stream of reports; each entry has one field, REPORT_FIELD, with the JSON text of one report."""
REPORT_FIELD = "report"
DONE = "done"
"""What a run's key holds once its job has ended, whatever came of it."""
DONE_S = 3_600
STOP_S = 3_600
BOT_S = 86_400

PLAY_TASK, PLAY_QUEUE = "arena.play", "arena"
QUALIFY_TASK, QUALIFY_QUEUE = "arena.qualify", "qualify"
MOVE_TASK, MOVE_QUEUE = "arena.move", "moves"


def run_key(run_id: str) -> str:
    """The lease of a run: its value is the nonce of the delivery that plays it, or DONE."""
    return f"arena:run:{run_id}"


def begun_key(run_id: str) -> str:
    """The nonce of the delivery that reported the run first: no other one may play it, however late it comes."""
    return f"arena:begun:{run_id}"


def stop_key(run_id: str) -> str:
    """Exists when the site wants a run no more."""
    return f"arena:stop:{run_id}"


def bot_key(sha256: str) -> str:
    """The stored archive (`Archive.stored`) of the bot with this content."""
    return f"arena:bot:{sha256}"
