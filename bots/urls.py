"""Pages of the owner of a bot, and of its versions. The public page of a bot is league's."""

from django.urls import path

from bots.views import learn, logs, managing, sources, test_games, uploads, versions

app_name = "bots"
urlpatterns = [
    path("learn/bots/", learn.guide, name="learn"),
    path("learn/bots/protocol.schema.json", learn.schema, name="learn-schema"),
    path("learn/bots/<slug:name>.py", learn.download, name="learn-file"),
    path("learn/bots/<slug:name>/", learn.source, name="learn-source"),
    path("my/bots/", uploads.mine, name="mine"),
    path("my/bots/<slug:slug>/", uploads.manage, name="manage"),
    path("my/bots/<slug:slug>/faults/", logs.faults, name="faults"),
    path("my/bots/<slug:slug>/settings/", managing.settings, name="settings"),
    path("my/bots/<slug:slug>/team/", managing.ask_mate, name="ask-mate"),
    path("my/bots/<slug:slug>/team/accept/", managing.accept_mate, name="accept-mate"),
    path("my/bots/<slug:slug>/team/<int:user_id>/end/", managing.end_mate, name="end-mate"),
    path("my/bots/<slug:slug>/delete/", managing.delete, name="delete"),
    path("my/bots/<slug:slug>/tests/", test_games.index, name="tests"),
    path("my/bots/<slug:slug>/tests/<int:game_id>/", test_games.game, name="test-game"),
    path("my/bots/<slug:slug>/tests/<int:game_id>/cancel/", test_games.cancel, name="cancel-test"),
    path("matches/<slug:code>/logs/", logs.logs, name="log"),
    path("matches/<slug:code>/logs.jsonl", logs.as_jsonl, name="log-jsonl"),
    path("bots/<slug:slug>/versions/<int:number>/", versions.version, name="version"),
    path("bots/<slug:slug>/versions/<int:number>/checks/", versions.checks, name="checks"),
    path("bots/<slug:slug>/versions/<int:number>/code/", sources.code, name="code"),
    path("bots/<slug:slug>/versions/<int:number>/diff/", sources.diff, name="diff"),
    path("bots/<slug:slug>/versions/<int:number>/source/", versions.source, name="source"),
    path("bots/<slug:slug>/versions/<int:number>/games/<int:game_id>/", versions.game, name="game"),
    path("bots/<slug:slug>/versions/<int:number>/activate/", versions.activate, name="activate"),
    path("bots/<slug:slug>/versions/<int:number>/retire/", versions.retire, name="retire"),
    path("bots/<slug:slug>/versions/<int:number>/check/", versions.check, name="check"),
]
