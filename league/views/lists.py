"""What the long lists share: the page that an address asks for, and the same list as a file."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, JsonResponse

from league.exports import MOST_ROWS, written
from league.selectors import keyset
from league.selectors.keyset import Column
from league.views.common import Listing

_CURSORS = ("before", "after")


def filters(request: HttpRequest) -> list[tuple[str, str]]:
    """What narrows the list, as it stands in the address."""
    return [(name, str(value)) for name, value in request.GET.items() if name not in _CURSORS and value]


def keyset_listing(request: HttpRequest, rows: QuerySet[Any], columns: Sequence[Column]) -> Listing:
    """The page of `rows` that the address asks for by the cursors `after` or `before`; filters stay in the links."""
    found = _page(request, rows, columns, keyset.ROWS_A_PAGE)
    kept = filters(request)

    def link(name: str, cursor: str) -> str:
        return "?" + urlencode([*kept, (name, cursor)]) if cursor else ""

    return Listing(found.items, link("before", found.previous), link("after", found.following))


def exported(request: HttpRequest, rows: QuerySet[Any], columns: Sequence[Column]) -> tuple[tuple[Any, ...], str]:
    """The rows of a file, and the query string of the next one, empty after the last."""
    found = _page(request, rows, columns, MOST_ROWS)
    return found.items, "?" + urlencode([*filters(request), ("after", found.following)]) if found.following else ""


def _page(request: HttpRequest, rows: QuerySet[Any], columns: Sequence[Column], size: int) -> keyset.KeysetPage[Any]:
    asked = request.GET
    return keyset.page(rows, columns, after=asked.get("after", ""), before=asked.get("before", ""), size=size)


def csv_file(name: str, rows: Sequence[dict[str, object]], columns: Sequence[str]) -> HttpResponse:
    """Rows as a CSV file to download."""
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
    return HttpResponse(written(rows, columns), content_type="text/csv; charset=utf-8", headers=headers)


def json_file(name: str, rows: Sequence[dict[str, object]], following: str) -> JsonResponse:
    """Rows as a JSON file to download: `{name: [...], "next": address of the next file or null}`."""
    headers = {"Content-Disposition": f'attachment; filename="{name}.json"'}
    return JsonResponse(
        {name: rows, "next": following or None}, json_dumps_params={"ensure_ascii": False}, headers=headers
    )
