"""The public log: every act of a league leaves a line."""

from typing import Any

from accounts.models import User
from league.errors import reason_required
from league.models import AuditEntry, League, Tournament

SHORTEST_REASON, LONGEST_REASON = 10, 500


def record(
    *,
    action: str,
    league: League,
    tournament: Tournament | None = None,
    actor: User | None,
    target: str = "",
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
    reason: str = "",
) -> AuditEntry:
    """Write a line; called inside the verb's transaction. `actor` None = the site itself."""
    return AuditEntry.objects.create(
        action=action,
        league=league,
        tournament=tournament,
        actor=actor,
        target=target,
        before=before or {},
        after=after or {},
        reason=reason,
    )


def checked_reason(reason: str) -> str:
    """The reason, trimmed; LeagueError `reason_required` when it is too short or too long."""
    reason = reason.strip()
    if not SHORTEST_REASON <= len(reason) <= LONGEST_REASON:
        raise reason_required()
    return reason
