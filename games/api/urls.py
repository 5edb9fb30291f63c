"""Addresses of the API that need games alone."""

from django.urls import path

from games.api import records

urlpatterns = [
    path("me/", records.WhoAmI.as_view(), name="me"),
    path("matches/<slug:code>/record/", records.Record.as_view(), name="match-record"),
    path("matches/<slug:code>/analysis/", records.Analysis.as_view(), name="match-analysis"),
    path("matches/<slug:code>/record.bella", records.RecordText.as_view(), name="match-record-text"),
]
