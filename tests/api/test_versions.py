"""Uploading by the API: forms and raw bodies, the verdict, the source, the games, which version plays."""

import io
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from bots.arena.archive import MAX_ARCHIVE
from bots.models import Bot, BotVersion, QualifyGame
from tests.accounts.factories import make_user
from tests.api.world import Api, token_of
from tests.bots import uploading
from tests.bots.uploading import GOOD

pytestmark = pytest.mark.django_db
RAW = "application/octet-stream"


@pytest.fixture
def owner():
    return make_user("Owner", language="en")


@pytest.fixture
def api(owner):
    return Api(token_of(owner))


def form(content: bytes = GOOD, filename: str = "bot.py", **more: str) -> dict[str, object]:
    return {"file": SimpleUploadedFile(filename, content)} | more


def test_a_form_makes_a_bot_and_the_same_content_again_gives_the_same_version(api):
    made = api("POST", "bots/", form(name="VelaBot", notes="first"), content_type="multipart")
    again = api("POST", "bots/", form(name="VelaBot"), content_type="multipart")
    assert (made.status_code, again.status_code) == (201, 200)
    body = made.json()
    assert body == again.json()
    assert (body["bot"], body["number"], body["state"], body["is_undecided"]) == ("velabot", 1, "checking", True)
    assert (body["own"]["filename"], body["own"]["notes"]) == ("bot.py", "first")
    assert BotVersion.objects.count() == 1


@pytest.mark.parametrize("kind", [RAW, "text/x-python", "application/x-www-form-urlencoded", "text/plain"])
def test_the_body_may_be_the_file_itself(api, kind):
    made = api("POST", "bots/?name=VelaBot&activates=false", GOOD, content_type=kind)
    body = made.json()
    assert (made.status_code, body["own"]["sha256"], body["own"]["activates"]) == (
        201,
        BotVersion.objects.get().sha256,
        False,
    )


def test_the_next_version_of_a_bot_and_the_same_file_as_a_zip(api):
    api("POST", "bots/?name=VelaBot", GOOD, content_type=RAW)
    second = api("POST", "bots/velabot/versions/?notes=faster", uploading.source("2"), content_type=RAW)
    assert (second.status_code, second.json()["number"], second.json()["own"]["notes"]) == (201, 2, "faster")
    zipped = uploading.zipped(bot__py=GOOD)
    same = api("POST", "bots/velabot/versions/", form(zipped, "bot.zip"), content_type="multipart")
    assert (same.status_code, same.json()["number"]) == (200, 1)
    assert [row["number"] for row in api.get("bots/velabot/versions/")["results"]] == [2, 1]


@pytest.mark.parametrize(
    ("path", "content", "status", "code"),
    [
        ("bots/", GOOD, 422, "bot.name"),
        ("bots/?name=x", GOOD, 422, "bot.name"),
        (f"bots/?name={'x' * 41}", GOOD, 400, "invalid"),
        ("bots/?name=Vela&filename=bot.exe", GOOD, 422, "upload.file_type"),
        ("bots/?name=Vela&filename=bot.zip", GOOD, 422, "upload.not_a_zip"),
        ("bots/?name=Vela", b"x" * (MAX_ARCHIVE + 1), 422, "upload.too_large"),
        ("bots/?name=Vela", b"x" * (MAX_ARCHIVE + 100_000), 422, "upload.too_large"),
        ("bots/?name=Vela&activates=perhaps", GOOD, 400, "invalid"),
        ("bots/nobody/versions/", GOOD, 404, "not_found"),
    ],
)
def test_an_upload_that_cannot_be_taken_leaves_nothing(api, path, content, status, code):
    response = api("POST", path, content, content_type=RAW)
    assert (response.status_code, response.json()["code"]) == (status, code)
    assert (BotVersion.objects.count(), Bot.objects.count()) == (0, 0)


def test_nobody_uploads_to_the_bot_of_another(api):
    version = uploading.upload(make_user(), "VelaBot")
    slug = version.bot.player.slug
    for path in (f"bots/{slug}/versions/", "bots/?name=velabot"):
        response = api("POST", path, uploading.source(), content_type=RAW)
        assert response.json()["code"] in {"bot.not_yours", "bot.name_taken"}
    assert BotVersion.objects.count() == 1


def test_the_owner_sees_every_check_and_others_the_verdict_alone(api, owner):
    version = uploading.upload(owner, content=b"def play(view)\n    return 1\n")
    arena = uploading.Arena(version.checks.get())
    arena.tell(arena.started())
    arena.tell(
        arena.step(ok=False, code="upload.syntax", file="bot.py", line=1, params={"detail": "expected ':'"},
                   what_to_do="fix.syntax")
    )  # fmt: skip
    arena.tell(arena.verdict("rejected"))
    path = f"bots/{version.bot.player.slug}/versions/1/"
    seen = api.get(path)
    assert (seen["state"], seen["is_undecided"], seen["is_active"]) == ("rejected", False, False)
    syntax = seen["own"]["checks"][1]
    assert (syntax["check"], syntax["ok"], syntax["place"]) == ("syntax", False, "bot.py:1")
    assert "expected ':'" in syntax["message"]
    assert syntax["what_to_do"]
    for stranger in (Api(), Api(token_of(make_user()))):
        assert stranger.get(path) == seen | {"own": None}


def test_the_source_comes_back_as_it_was_sent(api, owner):
    uploading.upload(owner, "One", GOOD)
    uploading.upload(owner, "Two", uploading.zipped(bot__py=GOOD, data__txt=b"1"), filename="two.zip")
    one, two = (api("GET", f"bots/{name}/versions/1/archive/") for name in ("one", "two"))
    assert (one.content, one.headers["Content-Disposition"]) == (GOOD, 'attachment; filename="one-v1.py"')
    assert one.headers["Content-Type"] == "text/x-python; charset=utf-8"
    assert two.headers["Content-Type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(two.content)) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == {"bot.py": GOOD, "data.txt": b"1"}


def test_the_games_of_a_check_are_shown_once_it_is_decided(api, owner):
    version = uploading.upload(owner)
    arena = uploading.Arena(version.checks.get())
    arena.tell(arena.started())
    arena.tell(arena.step("against_random", code="check.played", games=arena.games()))
    path = f"bots/{version.bot.player.slug}/versions/1/games/"
    assert QualifyGame.objects.count() == 2
    assert api.get(path)["results"] == []
    arena.tell(arena.verdict())
    rows = api.get(path)["results"]
    assert [(row["number"], row["opponent"], row["seat"], len(row["plays"])) for row in rows] == [
        (1, "random", 0, 80),
        (2, "random", 1, 80),
    ]


def test_a_version_is_activated_and_retired(api, owner):
    uploading.qualified(owner)
    second = uploading.qualified(owner, activates=False)
    path = f"bots/{second.bot.player.slug}/versions/2/"
    assert api.get(path)["is_active"] is False
    assert api("POST", f"{path}activate/").json()["is_active"] is True
    assert api.get(f"bots/{second.bot.player.slug}/")["active_version"] == 2
    retired = api("POST", f"{path}retire/").json()
    assert (retired["state"], retired["is_active"]) == ("retired", False)
    refused = api("POST", f"{path}activate/")
    assert (refused.status_code, refused.json()["code"]) == (409, "version.not_qualified")
    assert api.get(f"bots/{second.bot.player.slug}/")["active_version"] is None
