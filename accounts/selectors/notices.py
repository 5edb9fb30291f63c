"""Reading the inbox."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count

from accounts import notice_kinds
from accounts.models import Notice, User

PAGE = 50


@dataclass(frozen=True, slots=True)
class Item:
    """A notice as shown: its sentence in the active language."""

    id: int
    kind: str
    text: str
    url: str
    created_at: datetime
    is_read: bool


@dataclass(frozen=True, slots=True)
class Inbox:
    """One page of the inbox, newest first; `older` is the keyset of the next one, None at the end."""

    items: tuple[Item, ...]
    older: int | None


def inbox(user: User, *, before: int | None = None) -> Inbox:
    """The notices of a user older than the id `before`."""
    rows = Notice.objects.filter(user=user).order_by("-id")
    if before is not None:
        rows = rows.filter(pk__lt=before)
    found = list(rows[: PAGE + 1])
    items = tuple(
        Item(
            row.pk,
            row.kind,
            notice_kinds.sentence(row.kind, row.params),
            row.url,
            row.created_at,
            row.read_at is not None,
        )
        for row in found[:PAGE]
    )
    return Inbox(items, items[-1].id if len(found) > PAGE else None)


#: More are shown as 99+.
MOST = 100


def unread_count(user: User) -> int:
    """How many notices wait, at most 100 (shown as 99+)."""
    return Notice.objects.filter(user=user, read_at=None)[:MOST].count()


def unread_counts(user_ids: Collection[int]) -> dict[int, int]:
    """The same of many users, in one query."""
    found = Notice.objects.filter(user__in=user_ids, read_at=None).values("user").annotate(count=Count("pk"))
    counts = dict(found.order_by().values_list("user", "count"))
    return {user_id: min(counts.get(user_id, 0), MOST) for user_id in user_ids}
