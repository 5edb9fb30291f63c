"""What every verb on a tournament begins and ends with: its lock, its line of the log."""

from collections.abc import Mapping

from accounts.foundation import lock_one
from accounts.models import User
from league.models import League, Tournament
from league.services import audit
from league.services.checks import nothing_starts


def locked(tournament: Tournament) -> Tournament:
    """The tournament with its lock and its league."""
    return lock_one(Tournament.objects.filter(pk=tournament.pk).select_related("league"))


def locked_in_open_league(tournament: Tournament) -> Tournament:
    """The tournament, and its league so that nobody pauses or archives it meanwhile; raises `league_not_open`."""
    refusal = nothing_starts(lock_one(League.objects.filter(pk=tournament.league_id)))
    if refusal is not None:
        raise refusal
    return locked(tournament)


def log_act(
    tournament: Tournament,
    actor: User | None,
    action: str,
    *,
    before: Mapping[str, object] | None = None,
    after: Mapping[str, object] | None = None,
    reason: str = "",
) -> None:
    """A line of the public log; inside the verb's transaction."""
    audit.record(
        action=action,
        league=tournament.league,
        tournament=tournament,
        actor=actor,
        target=tournament.name,
        before=dict(before or {}),
        after=dict(after or {}),
        reason=reason,
    )
