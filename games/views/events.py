"""Streams of events: of a match (its seat's own for a player), and of what happens to the viewer."""

import re
from collections.abc import AsyncIterator

from asgiref.sync import sync_to_async
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse, StreamingHttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET
from rest_framework.throttling import BaseThrottle

from games.selectors import streams
from games.streams.feed import Viewer
from games.streams.hub import hub_here
from games.streams.serving import match_events, user_events
from games.views import guests

_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
_TAB = re.compile(r"[A-Za-z0-9-]{8,40}")


@require_GET
async def of_match(request: HttpRequest, code: str) -> HttpResponseBase:
    """The events of a match after `Last-Event-ID` or `?after=`; 204 when nothing more will come, 503 when full."""
    held = _held(request)
    found = await sync_to_async(streams.opening)(code, request.user, guests.digest_of(request))
    if found is None:
        raise Http404
    if held is not None and held >= found.seq and (found.is_past or found.is_rated):
        return HttpResponse(status=204)
    viewer = _viewer(request, found.player_id)
    hub = hub_here()
    if hub.refuses(viewer.person, viewer.tab):
        return _busy()
    return _stream(match_events(hub, viewer, found, held))


@require_GET
async def of_viewer(request: HttpRequest) -> HttpResponseBase:
    """What happens to the user who is signed in, for pages that follow no match."""
    if not await sync_to_async(lambda: request.user.is_authenticated)():
        return JsonResponse({"code": "not_signed_in", "message": _("Sign in to follow what happens.")}, status=401)
    viewer = _viewer(request, None)
    hub = hub_here()
    if hub.refuses(viewer.person, viewer.tab):
        return _busy()
    return _stream(user_events(hub, viewer))


def _stream(events: AsyncIterator[bytes]) -> StreamingHttpResponse:
    return StreamingHttpResponse(events, content_type="text/event-stream", headers=_HEADERS)


def _busy() -> JsonResponse:
    message = _("There are too many open pages that follow live. This one asks for news every few seconds instead.")
    return JsonResponse({"code": "busy", "message": message}, status=503, headers={"Retry-After": "15"})


def _held(request: HttpRequest) -> int | None:
    """The number of the last event that the browser has; None when it has none, or says something else."""
    for said in (request.headers.get("Last-Event-ID"), request.GET.get("after")):
        if said and said.isascii() and said.isdigit() and len(said) < 10:
            return int(said)
    return None


def _viewer(request: HttpRequest, player_id: int | None) -> Viewer:
    """Whose stream it is. `?tab=` names a page: its new stream takes the place of its old one, if that lingers."""
    tab = request.GET.get("tab", "")
    tab = tab if _TAB.fullmatch(tab) else ""
    user = request.user
    if user.is_authenticated:
        session = request.session.session_key
        return Viewer(f"u:{user.pk}", user.pk, session, user.get_session_auth_hash(), player_id, tab)
    person = f"g:{player_id}" if player_id is not None else f"a:{BaseThrottle().get_ident(request)}"
    return Viewer(person, player_id=player_id, tab=tab)
