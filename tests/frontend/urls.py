"""Pages for the tests of the design: the replay of a match without a database, and a gallery of every component."""

from pathlib import Path
from typing import Any

from csp.decorators import csp_update
from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template import engines
from django.urls import include, path

from accounts.templatetags.viewer import viewer
from games.selectors.replay import replay_view
from tests.frontend import table_pages
from tests.frontend.match import analysed, replay_data

GALLERY = Path(__file__).with_name("templates") / "gallery.html"


def _whole(text: str | None) -> int | None:
    return int(text) if text is not None and text.lstrip("-").isdigit() else None


@csp_update({"require-trusted-types-for": ["'script'"], "trusted-types": ["'none'"]})
def replay(request: HttpRequest) -> HttpResponse:
    """A replay; `n`, `fault`, `tamper`, `hidden` choose the match, `analysis` is `made` or `wanted`."""
    asked = request.GET
    data = replay_data(f"n={asked.get('n', 2)}", fault_in=_whole(asked.get("fault")), think="think" in asked)
    if "tamper" in asked:
        data["deals"][0]["points"].reverse()
    if "hidden" in asked:
        data["deals"] = [deal | {"deck": None, "plays": None, "turned": None} for deal in data["deals"]]
        data["seed"] = None
    if asked.get("analysis") == "made":
        data = analysed(data)
    elif asked.get("analysis") == "wanted":
        data["has_analysis"] = False
        _asked.clear()
    deck = viewer({"request": request}).deck
    context = {
        "analysis_url": "/analysis.json",
        "replay_data": data,
        "replay": replay_view(data, deck=deck, deal=_whole(asked.get("d")), ply=_whole(asked.get("c"))),
        "match_title": "VelaBot 2 – 1 Maestrale",
        "match_subtitle": "Lega d’autunno · turno 4",
        "match_url": "/match/",
        "text_url": "/match/record.bella",
        "json_url": "/match/record.json",
        "breadcrumb": [("Lega d’autunno", "/"), ("K7Q2M4", "/match/"), ("Replay", "")],
        "section": "matches",
    }
    return render(request, "games/replay.html", context)


_asked: list[str] = []


def analysis(request: HttpRequest) -> JsonResponse:
    """The analysis of the match, there at the second question after the page."""
    _asked.append(request.path)
    if len(_asked) < 2:
        return JsonResponse({"deals": []}, status=202)
    found = analysed(replay_data())["deals"]
    return JsonResponse({"deals": [{"number": deal["number"]} | deal["analysis"] for deal in found]})


class GalleryForm(forms.Form):
    """One field of each kind."""

    name = forms.CharField(help_text="Shown to everybody.")
    email = forms.EmailField()
    kind = forms.ChoiceField(choices=[("one", "One"), ("two", "Two")])
    note = forms.CharField(widget=forms.Textarea, required=False)
    agree = forms.BooleanField(help_text="You can change this later.")
    way = forms.ChoiceField(widget=forms.RadioSelect, choices=[("file", "File"), ("paste", "Paste")])
    file = forms.FileField()


def gallery(request: HttpRequest) -> HttpResponse:
    """Every component once; `bad` shows the form with its errors."""
    messages.success(request, "Done.")
    messages.error(request, "Not done.")
    line = [(40 + 21 * i, 150 - 7 * i % 50 - 3 * i) for i in range(25)]
    names = ("VelaBot", "Maestrale", "Scirocco", "Luna M.", "Grecale")
    context: dict[str, Any] = {
        "form": GalleryForm({"email": "x"}) if "bad" in request.GET else GalleryForm(),
        "rows": [(i, name, "bot", "WLDWW", 12, 9, 1, 2, 1612 - 20 * i, "+24") for i, name in enumerate(names, 1)],
        "spark": [(2 + 7 * i, 20 - 5 * i % 13) for i in range(14)],
        "figures": [("bots", 20), ("matches", 1204)],
        "chart": {
            "id": "elo",
            "width": 560,
            "height": 200,
            "left": 40,
            "right": 550,
            "top": 10,
            "bottom": 175,
            "title": "Elo of VelaBot",
            "desc": "From 1500 to 1612.",
            "points": line,
            "band": [(x, y - 14) for x, y in line] + [(x, y + 14) for x, y in reversed(line)],
            "y_ticks": [(170, "1400"), (120, "1500"), (70, "1600"), (20, "1700")],
            "x_ticks": [(60, "Oct"), (300, "Nov"), (530, "Dec")],
            "marks": [(250, "v2")],
            "headers": ["Match", "Elo"],
            "rows": [(1, 1500), (2, 1512)],
        },
        "tabs": [{"url": "?", "label": "Standings", "current": True}, {"url": "?", "label": "Rounds", "count": 14}],
        "breadcrumb": [("Leagues", "/"), ("Autumn", "")],
        "previous_url": "?previous",
        "next_url": "?next",
    }
    return HttpResponse(engines["django"].from_string(GALLERY.read_text()).render(context, request))


def error(request: HttpRequest, status: int) -> HttpResponse:
    """An error page, answered with 200 so that the browser does not complain about it."""
    return render(request, f"{status}.html", {"error_id": "a1b2c3"})


urlpatterns = [
    *table_pages.urlpatterns,
    path("replay/", replay),
    path("analysis.json", analysis),
    path("gallery/", gallery),
    path("error/<int:status>/", error),
    path("account/", include("allauth.urls")),
    path("", include("accounts.urls")),
]
