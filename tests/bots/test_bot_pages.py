"""Pages of a bot's owner: upload, versions, checks, games, source; who sees which."""

import io
import zipfile
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from bots.models import Bot, BotVersion, QualifyGame, QualifyRun
from bots.services import uploads
from tests.accounts.factories import make_user
from tests.bots.uploading import GOOD, Arena, give_verdict, qualified, source, upload, zipped

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clean_valkey")]


@pytest.fixture
def owner(client):
    user = make_user(language="en")
    client.force_login(user)
    return user


def send(client, path="/my/bots/", **fields):
    return client.post(path, {"activates": "on"} | fields)


def test_a_file_becomes_a_bot_and_leads_to_its_checks(client, owner):
    response = send(client, name="VelaBot", file=SimpleUploadedFile("vela.py", GOOD), notes="first")
    version = BotVersion.objects.get()
    assert (response.status_code, response.url) == (302, "/bots/velabot/versions/1/")
    assert (version.filename, version.notes, version.activates, version.state) == ("vela.py", "first", True, "checking")
    page = client.get(response.url).content.decode()
    assert 'hx-get="/bots/velabot/versions/1/checks/?seen=checking-1"' in page
    assert "The archive can be read" in page


def test_pasted_source_is_the_same_as_the_file(client, owner):
    send(client, name="VelaBot", source=GOOD.decode().replace("\n", "\r\n"))
    version = BotVersion.objects.get()
    assert uploads.read_archive(GOOD, "x.py").sha256 == version.sha256


@pytest.mark.parametrize(
    ("fields", "status", "field", "words"),
    [
        ({"name": "VelaBot"}, 422, "__all__", "one of the two"),
        (
            {"name": "VelaBot", "source": "x", "file": SimpleUploadedFile("a.py", b"x")},
            422,
            "__all__",
            "one of the two",
        ),
        ({"name": "", "source": "x"}, 422, "name", "required"),
        ({"name": "--", "source": "x"}, 422, "name", "letter or a digit"),
        ({"name": "Conteso", "source": "x"}, 409, "name", "already"),
        ({"name": "VelaBot", "file": SimpleUploadedFile("a.zip", b"hello")}, 422, "file", "Make the zip anew"),
        ({"name": "VelaBot", "file": SimpleUploadedFile("a.zip", b"x" * 700_000)}, 422, "file", "512 KiB"),
        ({"name": "VelaBot", "source": "x", "notes": "n" * 501}, 422, "notes", "500"),
    ],
)
def test_a_refused_upload_says_why_beside_its_field_and_makes_nothing(client, owner, fields, status, field, words):
    upload(make_user(), "Conteso")
    response = send(client, **fields)
    assert response.status_code == status
    errors = response.context["form"].errors
    assert list(errors) == [field]
    assert words in " ".join(errors[field])
    assert Bot.objects.count() == 1


def test_an_unconfirmed_person_is_told_what_to_do_and_uploads_nothing(client):
    client.force_login(make_user(is_confirmed=False, language="en"))
    page = client.get("/my/bots/").content.decode()
    assert "Confirm your e-mail address first" in page
    assert 'name="file"' not in page
    assert send(client, name="VelaBot", source="x").status_code == 403
    assert Bot.objects.count() == 0


def test_the_second_version_and_the_same_again(client, owner):
    first = qualified(owner)
    response = send(client, "/my/bots/velabot/", source=source().decode())
    assert response.url == "/bots/velabot/versions/2/"
    page = client.get("/my/bots/velabot/").content.decode()
    assert "versions/1/" in page
    assert "versions/2/" in page
    again = send(client, "/my/bots/velabot/", file=SimpleUploadedFile("x.py", _file_of(client, first)))
    assert again.url == "/bots/velabot/versions/1/"
    assert BotVersion.objects.count() == 2


def _file_of(client, version):
    return client.get(f"/bots/velabot/versions/{version.number}/source/").content


def test_the_source_comes_back_as_it_was_sent(client, owner):
    content = source()
    qualified(owner, content=content)
    response = client.get("/bots/velabot/versions/1/source/")
    assert response.content == content
    assert response.headers["Content-Disposition"] == 'attachment; filename="velabot-v1.py"'
    upload(owner, content=zipped(**{"bot__py": content, "lib/a__py": b"x = 1\n"}), filename="b.zip")
    with zipfile.ZipFile(io.BytesIO(_file_of(client, BotVersion.objects.get(number=2)))) as got:
        assert {name: got.read(name) for name in got.namelist()} == {"bot.py": content, "lib/a.py": b"x = 1\n"}


def test_the_part_that_changes_is_sent_when_it_changed(client, owner):
    version = upload(owner)
    arena = Arena(version.checks.get())
    address = "/bots/velabot/versions/1/checks/"
    assert client.get(address, {"seen": "checking-1"}).status_code == 204
    arena.tell(arena.started())
    fault = {"ok": False, "code": "upload.syntax", "file": "bot.py", "line": 14, "what_to_do": "fix.syntax"}
    arena.tell(arena.step(**fault, params={"file": "bot.py", "line": 14, "detail": "expected ':'"}, log="<b>x</b>"))
    part = client.get(address, {"seen": "checking-1"}).content.decode()
    assert "bot.py:14" in part
    assert "expected &#x27;:&#x27;" in part
    assert "Correct that line" in part
    assert "&lt;b&gt;x&lt;/b&gt;" in part
    assert "hx-get" in part
    arena.tell(arena.verdict("rejected"))
    part = client.get(address, {"seen": "checking-2"}).content.decode()
    assert "hx-get" not in part
    assert "Rejected" in part


def test_results_and_games_of_a_qualified_version(client, owner):
    version = upload(owner)
    arena = Arena(version.checks.get())
    arena.tell(arena.started())
    arena.tell(arena.step("against_random", code="check.games_ok", games=arena.games()))
    params = {
        "moves": 80,
        "p50_us": 900,
        "p95_us": 1500,
        "max_us": 4000,
        "deals_random": 2,
        "score_random": 500,
        "difference_random": 7,
    }
    arena.tell(arena.step("verdict", code="verdict.qualified", verdict="qualified", params=params))
    page = client.get("/bots/velabot/versions/1/").content.decode()
    assert "Against Casuale" in page
    assert "50.0 %" in page
    assert "0.9 ms" in page
    for game in QualifyGame.objects.all():
        response = client.get(f"/bots/velabot/versions/1/games/{game.pk}/")
        assert response.status_code == 200
        assert response.context["replay"].total == 40
        names = [seat["name"] for seat in response.context["replay_data"]["seats"]]
        assert names == (["VelaBot", "Casuale"] if game.seat == 0 else ["Casuale", "VelaBot"])
    assert client.get(f"/bots/velabot/versions/1/games/{game.pk}/?c=17").context["replay"].ply == 17


def test_activating_retiring_and_checking_by_the_page(client, owner):
    first, second = qualified(owner), qualified(owner)
    bot = Bot.objects.get()
    client.post("/bots/velabot/versions/1/activate/")
    bot.refresh_from_db()
    assert bot.active_version == first
    page = client.post("/bots/velabot/versions/2/activate/", follow=True).content.decode()
    assert "can change 3 times" in page
    client.post("/bots/velabot/versions/1/retire/", {"confirm": "yes"})
    first.refresh_from_db()
    assert first.state == "qualified"
    client.post("/bots/velabot/versions/1/retire/", {"confirm": "V1 "})
    bot.refresh_from_db()
    first.refresh_from_db()
    assert (bot.active_version, first.state) == (None, "retired")
    assert "not waiting to be checked" in client.post("/bots/velabot/versions/2/check/", follow=True).content.decode()
    assert second.checks.count() == 1


@pytest.mark.parametrize("verb", ["activate", "retire", "check"])
def test_a_get_changes_nothing(client, owner, verb):
    qualified(owner)
    assert client.get(f"/bots/velabot/versions/1/{verb}/").status_code == 405


def test_who_sees_and_does_what(client):
    owner, staff, other = make_user(), make_user(is_staff=True), make_user()
    version = upload(owner)
    arena = Arena(version.checks.get())
    arena.tell(arena.started())
    arena.tell(arena.step("against_random", games=arena.games(), request="SECRET-REQUEST", log="SECRET-LOG"))
    give_verdict(version)
    game = QualifyGame.objects.first()
    version_page = "/bots/velabot/versions/1/"
    table = {
        #                                 nobody other owner staff
        ("get", "/my/bots/"): (302, 200, 200, 200),
        ("get", "/my/bots/velabot/"): (302, 404, 200, 200),
        ("get", version_page): (200, 200, 200, 200),
        ("get", version_page + "checks/"): (404, 404, 200, 200),
        ("get", version_page + "source/"): (403, 403, 200, 200),
        ("get", version_page + "code/"): (403, 403, 200, 200),
        ("get", f"{version_page}games/{game.pk}/"): (404, 404, 200, 200),
        ("get", version_page + "games/999999/"): (404, 404, 404, 404),
        ("get", "/bots/velabot/versions/9/"): (404, 404, 404, 404),
        ("get", "/bots/nobody/versions/1/"): (404, 404, 404, 404),
        ("post", "/my/bots/velabot/"): (302, 404, 422, 422),
        ("post", version_page + "check/"): (302, 404, 302, 302),
        ("post", version_page + "activate/"): (302, 404, 302, 302),
    }
    found = {}
    for key in table:
        statuses = []
        for user in (None, other, owner, staff):
            client.logout()
            if user is not None:
                client.force_login(user)
            statuses.append(getattr(client, key[0])(key[1]).status_code)
        found[key] = tuple(statuses)
    assert found == table
    for user in (None, other):
        client.logout()
        if user is not None:
            client.force_login(user)
        page = client.get(version_page).content.decode()
        assert "SECRET" not in page
        assert version.filename not in page
        assert "/source/" not in page


def test_staff_look_but_do_not_upload_for_others(client):
    qualified(make_user())
    client.force_login(make_user(is_staff=True))
    assert send(client, "/my/bots/velabot/", source=source().decode()).status_code == 403
    assert BotVersion.objects.count() == 1


@pytest.mark.parametrize("count", [2, 6])
def test_lists_take_the_same_number_of_queries_whatever_their_length(client, owner, django_assert_num_queries, count):
    for number in range(count):
        qualified(owner, f"Bot {number}")
    bot = Bot.objects.first()
    for _ in range(count):
        uploads.upload(owner=owner, bot=bot, filename="x.py", content=source())
    client.get("/my/bots/")
    with django_assert_num_queries(6):
        client.get("/my/bots/")
    with django_assert_num_queries(8):
        client.get(f"/my/bots/{bot.player.slug}/")


def test_the_quota_is_said_on_the_page(client, owner):
    upload(owner)
    BotVersion.objects.bulk_create(
        BotVersion(bot=Bot.objects.get(), number=number, sha256=f"{number:064}", size=1, state="retired", by=owner)
        for number in range(2, uploads.DAILY_QUOTA + 1)
    )
    BotVersion.objects.filter(number=2).update(created_at=timezone.now() - timedelta(hours=23))
    response = send(client, name="Altro", source="x = 1")
    assert response.status_code == 429
    assert "the limit. Try again in 60 minutes" in " ".join(response.context["form"].errors["__all__"])


def test_attempts_are_limited_too(client, owner, monkeypatch):
    monkeypatch.setattr(uploads, "HOURLY_ATTEMPTS", 2)
    bad = {"name": "VelaBot", "file": SimpleUploadedFile("a.zip", b"hello")}
    assert [send(client, **bad).status_code for _ in range(3)] == [422, 422, 429]


def test_a_version_whose_check_our_machine_lost_says_so(client, owner):
    version = upload(owner)
    version.checks.all().delete()
    for _ in range(3):
        QualifyRun.objects.create(version=version, seed=bytes(32), state="lost", ended_at=timezone.now())
    BotVersion.objects.update(state="uploaded")
    text = client.get("/bots/velabot/versions/1/", headers={"accept-language": "en"}).content.decode()
    assert "Our machine failed three times" in text
    QualifyRun.objects.update(reason="returned")
    text = client.get("/bots/velabot/versions/1/", headers={"accept-language": "en"}).content.decode()
    assert "Our machine failed three times" not in text
