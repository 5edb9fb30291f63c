"""Reading faults."""

from django.db.models import QuerySet

from bots.models import Bot, Fault

#: As many as a page shows.
RECENT = 20


def recent(bot: Bot) -> QuerySet[Fault]:
    """The last faults of a bot in finished matches, newest first; one query.

    `request`, `answer` and `stderr_tail` are the bot's view of the game: for `permissions.can_see_code` only.
    """
    return (
        Fault.objects.filter(version__bot=bot, match__state__in=("finished", "void"))
        .select_related("match", "deal", "version")
        .order_by("-id")[:RECENT]
    )
