"""Pages and files that need games alone."""

from django.urls import path
from django.views.generic import RedirectView

from games.views import analysis, events, learn, records

app_name = "games"
urlpatterns = [
    path("matches/<slug:code>/record.json", records.as_json, name="record-json"),
    path("matches/<slug:code>/record.bella", records.as_text, name="record-text"),
    path("matches/<slug:code>/analysis.json", analysis.as_json, name="analysis"),
    path("matches/<slug:code>/events", events.of_match, name="events"),
    path("me/events", events.of_viewer, name="my-events"),
    path("learn/", RedirectView.as_view(pattern_name="games:rules"), name="learn"),
    path("learn/rules/", learn.rules, name="rules"),
    path("learn/presets/", learn.other_rules, name="presets"),
    path("learn/glossary/", learn.words, name="glossary"),
]
