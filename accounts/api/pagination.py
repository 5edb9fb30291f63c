"""Pages of lists by key: nothing is shown twice or left out while rows arrive, and every page costs the same."""

import re
from collections.abc import Sequence
from typing import Any, Final

from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from rest_framework.exceptions import ValidationError
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import remove_query_param, replace_query_param
from rest_framework.views import APIView

ROWS_A_PAGE: Final = 50
MOST_ROWS: Final = 200
_CURSOR: Final = re.compile(r"[ab](-?[0-9]{1,18})(\.-?[0-9]{1,18}){0,3}", re.ASCII)


class KeysetPagination(BasePagination):
    """`?cursor=&limit=`; the view's `ordering` names columns of whole numbers (or yes and no), `-` for descending.

    Together they are unique. A cursor is `a` (after) or `b` (before) and the key of a row: where that row stood, not
    how many came before it.
    """

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        """The rows of the page that the address asks for; one query. Raises ValidationError for a bad address."""
        self.address = request.build_absolute_uri()
        self.ordering: Sequence[str] = view.ordering
        limit, cursor = _limit(request), request.query_params.get("cursor", "")
        is_back = cursor.startswith("b")
        names = [_turned(name) for name in self.ordering] if is_back else self.ordering
        rows = queryset.order_by(*names)
        if cursor:
            rows = rows.filter(_beyond(names, _key(cursor, len(names))))
        found = list(rows[: limit + 1])
        has_more, found = len(found) > limit, found[:limit]
        self.rows = found[::-1] if is_back else found
        self.has_next = bool(self.rows) and (is_back or has_more)
        self.has_previous = bool(self.rows) and (has_more if is_back else bool(cursor))
        return self.rows

    def get_paginated_response(self, data: Any) -> Response:
        """The page with the addresses of its neighbours."""
        return Response({"next": self.next_link(), "previous": self.previous_link(), "results": data})

    def next_link(self) -> str | None:
        """The address of what follows; None at the end."""
        return self._link("a", self.rows[-1]) if self.has_next else None

    def previous_link(self) -> str | None:
        """The address of what comes before; None at the start."""
        return self._link("b", self.rows[0]) if self.has_previous else None

    def _link(self, letter: str, row: Any) -> str:
        key = ".".join(str(int(getattr(row, name.removeprefix("-")))) for name in self.ordering)
        return str(replace_query_param(remove_query_param(self.address, "cursor"), "cursor", letter + key))

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """The page in OpenAPI."""
        link = {"type": "string", "format": "uri", "nullable": True}
        return {
            "type": "object",
            "required": ["next", "previous", "results"],
            "properties": {
                "next": link | {"description": "Address of the next page; null on the last."},
                "previous": link | {"description": "Address of the page before; null on the first."},
                "results": schema,
            },
        }

    def get_schema_operation_parameters(self, view: APIView) -> list[dict[str, Any]]:
        """Its parameters in OpenAPI."""
        return [
            {
                "name": "cursor",
                "in": "query",
                "required": False,
                "description": "Where the page begins: follow `next` and `previous`, do not build it.",
                "schema": {"type": "string", "pattern": f"^{_CURSOR.pattern}$"},
            },
            {
                "name": "limit",
                "in": "query",
                "required": False,
                "description": "Rows of a page.",
                "schema": {"type": "integer", "minimum": 1, "maximum": MOST_ROWS, "default": ROWS_A_PAGE},
            },
        ]


def _limit(request: Request) -> int:
    text = request.query_params.get("limit", str(ROWS_A_PAGE))
    if text.isascii() and text.isdigit() and len(text) <= 3 and 1 <= int(text) <= MOST_ROWS:
        return int(text)
    raise ValidationError({"limit": [_("A whole number from 1 to %(most)d.") % {"most": MOST_ROWS}]})


def _key(cursor: str, length: int) -> list[int]:
    key = [int(part) for part in cursor[1:].split(".")] if _CURSOR.fullmatch(cursor) else []
    if len(key) != length:
        raise ValidationError({"cursor": [_("This is no cursor of this list: follow “next” and “previous”.")]})
    return key


def _turned(name: str) -> str:
    return name[1:] if name.startswith("-") else f"-{name}"


def _beyond(names: Sequence[str], key: Sequence[int]) -> Q:
    """The rows that come after a key in this order: the first part is beyond, or equal and the next one beyond."""
    found, equal = Q(), Q()
    for name, value in zip(names, key, strict=True):
        field = name.removeprefix("-")
        found |= equal & Q(**{f"{field}__{'lt' if name.startswith('-') else 'gt'}": value})
        equal &= Q(**{field: value})
    return found
