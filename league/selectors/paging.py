"""Pages of long lists by key: stable while rows arrive, and the same cost on every page."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from django.db.models import Model, QuerySet

ROWS_A_PAGE = 50

ModelT = TypeVar("ModelT", bound=Model)


@dataclass(frozen=True, slots=True)
class Page(Generic[ModelT]):
    """Rows of a list, newest first; `newer` and `older`: the keys from which its neighbours go on, None at an end."""

    items: tuple[ModelT, ...]
    newer: int | None
    older: int | None


def page(
    rows: QuerySet[ModelT], *, before: int | None = None, after: int | None = None, size: int = ROWS_A_PAGE
) -> Page[ModelT]:
    """The rows older than key `before`, or newer than key `after`, or the newest; one query."""
    if after is not None and before is None:
        found = list(rows.filter(pk__gt=after).order_by("pk")[: size + 1])
        has_newer, has_older = len(found) > size, True
        items = found[:size][::-1]
    else:
        wanted = rows if before is None else rows.filter(pk__lt=before)
        found = list(wanted.order_by("-pk")[: size + 1])
        has_newer, has_older = before is not None, len(found) > size
        items = found[:size]
    return Page(
        items=tuple(items),
        newer=items[0].pk if items and has_newer else None,
        older=items[-1].pk if items and has_older else None,
    )
