"""Reading the public log."""

from django.db.models import QuerySet

from league.models import AuditEntry, League, Tournament


def of_league(league: League) -> QuerySet[AuditEntry]:
    """All acts in a league and its tournaments, newest first; drafts of tournaments are announced when they open."""
    return _with_people(league.audit.all())


def of_tournament(tournament: Tournament) -> QuerySet[AuditEntry]:
    """All acts in a tournament, newest first."""
    return _with_people(tournament.audit.all())


def _with_people(rows: QuerySet[AuditEntry]) -> QuerySet[AuditEntry]:
    return rows.select_related("actor__player", "tournament", "league").order_by("-pk")
