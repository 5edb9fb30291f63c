"""Pages of the owner of a bot, and of its versions. The public page of a bot is league's."""

from django.urls import path

from bots.views import uploads, versions

app_name = "bots"
urlpatterns = [
    path("my/bots/", uploads.mine, name="mine"),
    path("my/bots/<slug:slug>/", uploads.manage, name="manage"),
    path("bots/<slug:slug>/versions/<int:number>/", versions.version, name="version"),
    path("bots/<slug:slug>/versions/<int:number>/checks/", versions.checks, name="checks"),
    path("bots/<slug:slug>/versions/<int:number>/source/", versions.source, name="source"),
    path("bots/<slug:slug>/versions/<int:number>/games/<int:game_id>/", versions.game, name="game"),
    path("bots/<slug:slug>/versions/<int:number>/activate/", versions.activate, name="activate"),
    path("bots/<slug:slug>/versions/<int:number>/retire/", versions.retire, name="retire"),
    path("bots/<slug:slug>/versions/<int:number>/check/", versions.check, name="check"),
]
