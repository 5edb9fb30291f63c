"""Records of a match to download: what anybody needs to check it elsewhere."""

import json

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from games.models import Match
from games.selectors import records

#: Matches move until they are over; a browser asks again each time.
_CACHE = "private, no-cache"


def _match(code: str) -> Match:
    found = Match.objects.filter(code=code.upper()).first()
    if found is None:
        raise Http404
    return found


def _file(name: str, content: str, content_type: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": _CACHE}
    return HttpResponse(content, content_type=content_type, headers=headers)


@require_safe
def as_json(request: HttpRequest, code: str) -> HttpResponse:
    """The bundle that `python -m games.engine verify` reads."""
    match = _match(code)
    bundle = records.bundle(match, request.user)
    if bundle is None:
        raise Http404
    text = json.dumps(bundle, ensure_ascii=False, indent=1)
    return _file(f"{match.code}.json", text + "\n", "application/json")


@require_safe
def as_text(request: HttpRequest, code: str) -> HttpResponse:
    """The deals in the notation for people."""
    match = _match(code)
    text = records.text(match, request.user)
    if text is None:
        raise Http404
    return _file(f"{match.code}.bella", text, "text/plain; charset=utf-8")
