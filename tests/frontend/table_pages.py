"""The table's page and addresses over `TableGame`."""

import json
from collections.abc import Callable
from typing import Any

from csp.decorators import csp_update
from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.shortcuts import render
from django.urls import path

from accounts.templatetags.viewer import viewer
from games.selectors.table_view import table_view
from league.views.table import MODULES, now_ms
from tests.frontend.table_game import Refusal, TableGame

GAMES: dict[str, TableGame] = {}


@csp_update({"require-trusted-types-for": ["'script'"], "trusted-types": ["'none'"]})
def table(request: HttpRequest, code: str) -> HttpResponse:
    state = GAMES[code].state()
    context: dict[str, Any] = {
        "state": state,
        "table": table_view(state, deck=viewer({"request": request}).deck),
        "match_title": "Lega d’autunno · turno 4",
        "match_subtitle": "Al meglio di 3 · 5 min + 5 s",
        "match_url": f"/matches/{code}/",
        "preferences": None,
        "modules": MODULES,
        "now_ms": now_ms(),
        "section": "matches",
    }
    return render(request, "league/table.html", context)


def state(request: HttpRequest, code: str) -> JsonResponse:
    return JsonResponse(GAMES[code].state())


def events(request: HttpRequest, code: str) -> StreamingHttpResponse:
    after = int(request.headers.get("Last-Event-ID") or request.GET.get("after") or 0)
    return StreamingHttpResponse(
        GAMES[code].stream(after), content_type="text/event-stream", headers={"Cache-Control": "no-store"}
    )


def _post(act: Callable[[TableGame, dict[str, Any]], dict[str, Any]]) -> Callable[..., JsonResponse]:
    def view(request: HttpRequest, code: str) -> JsonResponse:
        game = GAMES[code]
        try:
            return JsonResponse(act(game, json.loads(request.body)))
        except Refusal as refusal:
            body = {"code": refusal.code, "message": "It cannot be."}
            if refusal.status == 409:
                body |= {"state": game.state()}  # type: ignore[dict-item]
            return JsonResponse(body, status=refusal.status)

    return view


def _show_hands(game: TableGame, body: dict[str, Any]) -> dict[str, Any]:
    game.open_hands = body["on"]
    game.send("state", counts=False, **game.state())
    return {}


def _hint(game: TableGame, body: dict[str, Any]) -> dict[str, Any]:
    card = game.state()["hand"][-1]
    game.send("hint", counts=False, deal=body["deal"], ply=body["ply"], card=card, reason="takes_points")
    return {}


def _kept(game: TableGame, body: dict[str, Any]) -> dict[str, Any]:
    game.received.append(body)
    return {}


urlpatterns = [
    path("matches/<slug:code>/table/", table),
    path("matches/<slug:code>/state", state),
    path("matches/<slug:code>/events", events),
    path("matches/<slug:code>/plays", _post(lambda game, body: game.play(game.you or 0, body))),
    path("matches/<slug:code>/ready", _post(lambda game, _body: game.get_ready(game.you or 0))),
    path("matches/<slug:code>/show-hands", _post(_show_hands)),
    path("matches/<slug:code>/hint", _post(_hint)),
    path("matches/<slug:code>/resign", _post(_kept)),
    path("matches/<slug:code>/claim-absence", _post(_kept)),
    path("matches/<slug:code>/rematch", _post(_kept)),
]
