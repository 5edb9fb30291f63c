"""Where a match stands, for whoever looks: a seat its own view, everybody else what the table shows."""

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotModified, JsonResponse
from django.utils.http import parse_etags
from django.views.decorators.http import require_safe

from games.models import Match
from games.selectors.visibility import can_see_match
from games.views.seated import answers, open_table, state_now

_PRIVATE = "private, no-cache"
_PUBLIC = "public, max-age=2"


@answers
@require_safe
def show(request: HttpRequest, code: str) -> HttpResponseBase:
    """The State of this viewer; 304 when it has it."""
    match, seat = open_table(request, code)
    you = None if seat is None else seat.index
    etag = f'"{match.live_seq}-{"p" if you is None else you}"'
    headers = {"Cache-Control": _PRIVATE, "ETag": etag}
    if _holds(request, etag):
        return HttpResponseNotModified(headers=headers)
    return JsonResponse(state_now(match, you), headers=headers)


@answers
@require_safe
def embedded(_request: HttpRequest, code: str) -> HttpResponse:
    """What everybody may see, also for those who sit there: for pages of others."""
    match = Match.objects.filter(code=code.upper()).first()
    if match is None or not can_see_match(match, AnonymousUser()):
        raise Http404
    return JsonResponse(state_now(match, None), headers={"Cache-Control": _PUBLIC})


def _holds(request: HttpRequest, etag: str) -> bool:
    held = parse_etags(request.headers.get("If-None-Match", ""))
    return any(one.removeprefix("W/") == etag for one in held)
