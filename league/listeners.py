"""What leagues do about the news of the apps below."""

from accounts.foundation.wake import wake
from games.events import MatchFinished, MatchVoided, subscribe

APPLY_RESULTS = "league.tasks.apply_results"


def listen() -> None:
    """Subscribe; called when the app is ready."""
    subscribe(MatchFinished, function=_match_over)
    subscribe(MatchVoided, function=_match_over)


def _match_over(_event: MatchFinished | MatchVoided) -> None:
    wake(APPLY_RESULTS)
