"""Reading bots."""

from django.db.models import Count, Max, Q, QuerySet

from accounts.models import User
from bots.models import Bot, VersionState


def owned(user: User) -> QuerySet[Bot]:
    """The bots of a person, by name, with `version_count`, `last_number` and `waiting_count`; one query."""
    waiting = Q(versions__state__in=[VersionState.UPLOADED, VersionState.CHECKING])
    return (
        Bot.objects.filter(owner=user)
        .select_related("player", "active_version")
        .annotate(
            version_count=Count("versions"),
            last_number=Max("versions__number"),
            waiting_count=Count("versions", filter=waiting),
        )
        .order_by("player__name")
    )
