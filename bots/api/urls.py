"""Addresses of the API of versions; the list of bots and a bot's own stand in league."""

from django.urls import path

from bots.api import platform, versions

_VERSION = "bots/<slug:slug>/versions/<int:number>/"

urlpatterns = [
    path("bots/<slug:slug>/faults/", platform.Faults.as_view(), name="faults"),
    path("bots/<slug:slug>/tests/", platform.TestGames.as_view(), name="tests"),
    path("bots/<slug:slug>/tests/<int:game_id>/", platform.OneTestGame.as_view(), name="test-game"),
    path("matches/<slug:code>/logs/", platform.Logs.as_view(), name="match-logs"),
    path("bots/<slug:slug>/versions/", versions.Versions.as_view(), name="versions"),
    path(_VERSION, versions.Version.as_view(), name="version"),
    path(_VERSION + "archive/", versions.Archive.as_view(), name="version-archive"),
    path(_VERSION + "games/", versions.Games.as_view(), name="version-games"),
    path(_VERSION + "activate/", versions.Activate.as_view(), name="version-activate"),
    path(_VERSION + "retire/", versions.Retire.as_view(), name="version-retire"),
    path(_VERSION + "check/", versions.Recheck.as_view(), name="version-check"),
]
