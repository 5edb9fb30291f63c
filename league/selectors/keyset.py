"""Pages of long lists by the columns that order them: stable while rows arrive, and the same cost on every page.

A cursor is the values of those columns as text, so that an address can carry it: `1764547200000000.312`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Final, Generic, TypeVar

from django.db.models import Model, Q, QuerySet

ROWS_A_PAGE: Final = 50
MAX_CURSOR: Final = 200
#: Largest number that a bigint column holds; what is beyond it would be an error of the database.
MAX_WHOLE: Final = 2**63 - 1
_NUMBER: Final = re.compile(r"-?[0-9]{1,19}")
_SLUG: Final = re.compile(r"[-_a-zA-Z0-9]{1,80}")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

ModelT = TypeVar("ModelT", bound=Model)


class Kind(StrEnum):
    """What a column holds: a whole number, a moment, a slug, yes or no."""

    WHOLE = "whole"
    MOMENT = "moment"
    SLUG = "slug"
    FLAG = "flag"


@dataclass(frozen=True, slots=True)
class Column:
    """A column (or annotation) of the order. The last one of an order must be unique."""

    name: str
    is_descending: bool = False
    kind: Kind = Kind.WHOLE


@dataclass(frozen=True, slots=True)
class KeysetPage(Generic[ModelT]):
    """Rows in order; cursors of the pages before and after, empty at an end."""

    items: tuple[ModelT, ...]
    previous: str
    following: str


def order_of(columns: Sequence[Column], *, reverse: bool = False) -> list[str]:
    """The columns as `order_by` wants them."""
    return [f"{'-' if column.is_descending != reverse else ''}{column.name}" for column in columns]


def page(
    rows: QuerySet[ModelT],
    columns: Sequence[Column],
    *,
    after: str = "",
    before: str = "",
    size: int = ROWS_A_PAGE,
) -> KeysetPage[ModelT]:
    """The rows that follow the cursor `after`, or come before `before`, or the first ones; one query.

    A cursor that is none of ours counts as empty.
    """
    follows, precedes = decode(after, columns), decode(before, columns)
    if precedes is not None and follows is None:
        wanted = rows.filter(beyond(columns, precedes, reverse=True)).order_by(*order_of(columns, reverse=True))
        found = list(wanted[: size + 1])
        items, has_previous, has_following = found[:size][::-1], len(found) > size, True
    else:
        wanted = rows if follows is None else rows.filter(beyond(columns, follows))
        found = list(wanted.order_by(*order_of(columns))[: size + 1])
        items, has_previous, has_following = found[:size], follows is not None, len(found) > size
    return KeysetPage(
        items=tuple(items),
        previous=encode(columns, items[0]) if items and has_previous else "",
        following=encode(columns, items[-1]) if items and has_following else "",
    )


def beyond(columns: Sequence[Column], values: Sequence[Any], *, reverse: bool = False) -> Q:
    """The rows that come after these values in the order (before them with `reverse`).

    The first column is bounded on its own as well: an index can start there.
    """
    condition = Q()
    for column, value in reversed(list(zip(columns, values, strict=True))):
        direction = "lt" if column.is_descending != reverse else "gt"
        further = Q(**{f"{column.name}__{direction}": value})
        condition = (further | (Q(**{column.name: value}) & condition)) if condition else further
    first = columns[0]
    bound = "lte" if first.is_descending != reverse else "gte"
    return Q(**{f"{first.name}__{bound}": values[0]}) & condition


def encode(columns: Sequence[Column], row: Model) -> str:
    """The cursor of a row."""
    return ".".join(_written(getattr(row, column.name)) for column in columns)


def decode(cursor: str, columns: Sequence[Column]) -> list[Any] | None:
    """The values of a cursor of these columns; None for anything else."""
    parts = cursor.split(".") if len(cursor) <= MAX_CURSOR else []
    if len(parts) != len(columns):
        return None
    values = [_read(part, column.kind) for part, column in zip(parts, columns, strict=True)]
    return None if None in values else values


def _written(value: Any) -> str:
    if isinstance(value, datetime):
        return str((value - _EPOCH) // timedelta(microseconds=1))
    return str(int(value)) if isinstance(value, int) else str(value)


def _read(part: str, kind: Kind) -> Any:
    if kind == Kind.SLUG:
        return part if _SLUG.fullmatch(part) else None
    if not _NUMBER.fullmatch(part):
        return None
    value = int(part)
    if kind == Kind.FLAG:
        return bool(value) if value in {0, 1} else None
    if kind == Kind.WHOLE:
        return value if abs(value) <= MAX_WHOLE else None
    try:
        return _EPOCH + timedelta(microseconds=value)
    except OverflowError:
        return None
