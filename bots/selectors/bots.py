"""Reading bots."""

from django.db.models import Count, Max, Q, QuerySet

from accounts.models import User
from bots.models import Bot, BotMate, VersionState


def run_by(user: User) -> Q:
    """On `Bot`: those that a person owns, or runs as a mate who accepted."""
    return Q(owner=user) | Q(pk__in=_shared(user))


def owned(user: User) -> QuerySet[Bot]:
    """The bots that a person runs, by name, with `version_count`, `last_number` and `waiting_count`; one query."""
    waiting = Q(versions__state__in=[VersionState.UPLOADED, VersionState.CHECKING])
    return (
        Bot.objects.filter(run_by(user), deleted_at__isnull=True)
        .select_related("player", "active_version", "owner")
        .annotate(
            version_count=Count("versions"),
            last_number=Max("versions__number"),
            waiting_count=Count("versions", filter=waiting),
        )
        .order_by("player__name")
    )


def invitations(user: User) -> QuerySet[BotMate]:
    """Who asks a person to run a bot together; one query."""
    waiting = BotMate.objects.filter(user=user, accepted_at__isnull=True, bot__deleted_at__isnull=True)
    return waiting.select_related("bot__player", "bot__owner").order_by("pk")


def _shared(user: User) -> QuerySet[BotMate, int]:
    return BotMate.objects.filter(user=user, accepted_at__isnull=False).values_list("bot_id", flat=True)
