"""What goes with work for the arena: the files of bots, a pause when it refuses too much, a call for the dispatcher."""

from collections.abc import Iterable
from typing import Final

import structlog

from accounts.foundation.wake import wake
from bots import doorbell
from bots.models import BotVersion
from bots.services import uploads_store

log = structlog.get_logger(__name__)

DISPATCH: Final = "bots.tasks.dispatch"
#: So many refused runs within PAUSE_S, and no new work is handed out for as long: a broken arena takes jobs quickly.
MOST_REFUSALS: Final = 5
PAUSE_S: Final = 30
_REFUSALS: Final = "bots:refusals"
#: Reasons of a refusal after which the files are laid down anew.
NO_FILES: Final = frozenset({"no_files", "wrong_files"})


def lay_down(versions: Iterable[BotVersion]) -> None:
    """Put the files of these versions where the arena finds them, those that do not lie there yet."""
    by_hash = {version.sha256: version for version in versions}
    for sha256 in doorbell.missing_bots(by_hash):
        try:
            doorbell.put_bot(sha256, uploads_store.read(by_hash[sha256]))
        except FileNotFoundError:
            # The arena refuses the job, which is seen; the other blocks are not held up.
            log.exception("bot.archive_missing", version=by_hash[sha256].pk, sha256=sha256)


def note_refusal() -> None:
    """Count a refused run."""
    with doorbell.valkey().pipeline() as pipe:
        pipe.incr(_REFUSALS)
        pipe.expire(_REFUSALS, PAUSE_S)
        pipe.execute()


def is_pausing() -> bool:
    """Whether too many runs were refused just now."""
    return int(doorbell.valkey().get(_REFUSALS) or 0) >= MOST_REFUSALS


def ask_dispatch() -> None:
    """Have the dispatcher look after commit, sooner than beat would."""
    wake(DISPATCH)
