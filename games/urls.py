"""Pages and files that need games alone."""

from django.urls import path

from games.views import analysis, events, learn, pictures, records, state
from games.views.call import call
from games.views.claim import claim_absence
from games.views.hint import hint
from games.views.plays import plays
from games.views.ready import ready
from games.views.resign import resign
from games.views.show_hands import show_hands
from games.views.signs import signs
from games.views.undo import undo

app_name = "games"
urlpatterns = [
    path("matches/<slug:code>/og.png", pictures.picture, name="picture"),
    path("matches/<slug:code>/record.json", records.as_json, name="record-json"),
    path("matches/<slug:code>/record.bella", records.as_text, name="record-text"),
    path("matches/<slug:code>/analysis.json", analysis.as_json, name="analysis"),
    path("matches/<slug:code>/state", state.show, name="state"),
    path("embed/matches/<slug:code>/state", state.embedded, name="embedded-state"),
    path("matches/<slug:code>/plays", plays, name="plays"),
    path("matches/<slug:code>/ready", ready, name="ready"),
    path("matches/<slug:code>/resign", resign, name="resign"),
    path("matches/<slug:code>/claim-absence", claim_absence, name="claim-absence"),
    path("matches/<slug:code>/call", call, name="call"),
    path("matches/<slug:code>/signs", signs, name="signs"),
    path("matches/<slug:code>/undo", undo, name="undo"),
    path("matches/<slug:code>/show-hands", show_hands, name="show-hands"),
    path("matches/<slug:code>/hint", hint, name="hint"),
    path("matches/<slug:code>/events", events.of_match, name="events"),
    path("me/events", events.of_viewer, name="my-events"),
    path("learn/", learn.index, name="learn"),
    path("learn/first-game/", learn.first_game, name="first-game"),
    path("learn/rules/", learn.rules, name="rules"),
    path("learn/how-to-play/", learn.how_to_play, name="how-to-play"),
    path("learn/scoring/", learn.scoring, name="scoring"),
    path("learn/tips/", learn.tips, name="tips"),
    path("learn/pairs/", learn.pairs, name="pairs"),
    path("learn/presets/", learn.other_rules, name="presets"),
    path("learn/glossary/", learn.words, name="glossary"),
]
