"""Telling users what happened."""

from collections.abc import Iterable
from typing import Any

from django.utils import timezone

from accounts import notice_kinds
from accounts.events import NoticesChanged, publish
from accounts.models import Notice, User


def notify(*, users: Iterable[User], kind: str, url: str = "", **params: Any) -> None:
    """Put one notice into the inbox of each user; `params` (plain values) fill the sentence of `kind`.

    Raises ValueError for a kind without a sentence (a bug). Written with the caller's transaction.
    """
    if kind not in notice_kinds.kinds():
        raise ValueError(f"no sentence for notices of kind {kind!r}: accounts.notice_kinds.register")
    made = Notice.objects.bulk_create([Notice(user=user, kind=kind, params=params, url=url) for user in users])
    if made:
        publish(NoticesChanged(user_ids=tuple({notice.user_id for notice in made})))


def mark_read(*, user: User, notice_id: int | None = None) -> int:
    """Mark a notice of the user, or all of them, as read; the answer is how many were unread."""
    unread = Notice.objects.filter(user=user, read_at=None)
    if notice_id is not None:
        unread = unread.filter(pk=notice_id)
    read = unread.update(read_at=timezone.now())
    if read:
        publish(NoticesChanged(user_ids=(user.pk,)))
    return read
