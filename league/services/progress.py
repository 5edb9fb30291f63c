"""What moves tournaments on by itself: rounds that are due."""

from django.db import transaction
from django.utils import timezone

from accounts.foundation import LockError, lock_one
from league.models import LeagueState, RoundState, Tournament, TournamentState
from league.services import rounds


def release_due() -> int:
    """Release the rounds that are due in running tournaments under automatic control; returns how many."""
    waiting = Tournament.objects.filter(
        state=TournamentState.RUNNING,
        league__state=LeagueState.OPEN,
        control=Tournament.Control.AUTOMATIC,
        stages__rounds__state=RoundState.CONFIRMED,
    ).distinct()
    released = 0
    for tournament in waiting:
        try:
            with transaction.atomic():
                held = lock_one(Tournament.objects.filter(pk=tournament.pk).select_related("league"), timeout_ms=500)
                if held.state == TournamentState.RUNNING:
                    released += rounds.release_due(tournament=held, now=timezone.now())
        except LockError:
            continue  # somebody works on it: the next tick looks again
    return released
