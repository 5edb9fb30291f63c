"""Taking a bot in: what is refused, what is kept, what half an upload leaves."""

import importlib.util
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone, translation

from accounts.errors import EmailUnconfirmed
from bots import storage
from bots.arena.archive import unpack_stored
from bots.errors import BotsError, UploadRefused
from bots.models import Bot, BotVersion, QualifyRun
from bots.services import uploads, uploads_store
from games.models import Player
from tests.accounts.factories import make_user
from tests.bots.uploading import GOOD, give_verdict, qualified, source, upload, zipped

pytestmark = pytest.mark.django_db

_spec = importlib.util.spec_from_file_location(
    "make_uploads", Path(__file__).parent.parent / "hostile" / "make_uploads.py"
)
assert _spec is not None
assert _spec.loader is not None
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
CASES: dict[str, tuple[bytes, str]] = _module.CASES
#: What only the sandbox finds out: the upload is taken in, the check rejects it (test_qualifying_arena.py).
IN_THE_ARENA = {"upload.syntax", "upload.no_form"}


@pytest.fixture(autouse=True)
def _folder_of_its_own(settings, tmp_path):
    """What other tests uploaded does not lie here: a file is stored once for its content."""
    settings.MEDIA_ROOT = str(tmp_path)


def files() -> set[str]:
    root = Path(settings.MEDIA_ROOT)
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", [name for name, (_, code) in CASES.items() if code not in {"accepted", *IN_THE_ARENA}])
def test_each_bad_upload_has_a_code_and_a_message_and_leaves_nothing(name):
    content, code = CASES[name]
    before = files()
    with pytest.raises(UploadRefused) as caught:
        upload(make_user(), content=content, filename=name)
    assert caught.value.code == code
    assert caught.value.status == 422
    assert (Bot.objects.count(), BotVersion.objects.count(), Player.objects.filter(kind="bot").count()) == (0, 0, 0)
    assert files() == before


def test_the_messages_differ_say_what_to_do_and_are_complete_in_both_languages():
    messages = set()
    codes = {code for _, code in CASES.values() if code.startswith("upload.")} - IN_THE_ARENA
    codes |= {"upload.too_large", "upload.compression", "upload.name_twice", "upload.toml"}
    for language in ("en", "it"):
        with translation.override(language):
            for code in codes:
                error = UploadRefused(code, file="x.py", limit=7, detail="why")
                assert error.what_to_do
                assert "%(" not in str(error)
                messages.add(str(error))
    assert len(messages) >= len(codes)


@pytest.mark.parametrize("name", [name for name, (_, code) in CASES.items() if code == "accepted"])
def test_each_good_upload_becomes_a_version_that_is_checked(name):
    content, _ = CASES[name]
    version = upload(make_user(), content=content, filename=name)
    assert (version.number, version.state, version.filename) == (1, "checking", name)
    assert version.report[0]["check"] == "unpack"
    run = QualifyRun.objects.get()
    assert (run.version, run.state, len(bytes(run.seed))) == (version, "queued", 32)
    assert unpack_stored(uploads_store.read(version)).sha256 == version.sha256


def test_what_was_left_out_is_said():
    content, _ = CASES["mac_folders.zip"]
    version = upload(make_user(), content=content, filename="x.zip")
    assert version.report[0]["code"] == "upload.unpacked_less"
    assert ".git/config" in version.report[0]["params"]["ignored"]


@pytest.mark.parametrize(
    ("content", "filename", "code"),
    [
        (b"x" * ((512 << 10) + 1), "a.zip", "upload.too_large"),
        (zipped(bot__py=GOOD, bot__toml=b"speed = 9"), "a.zip", "upload.toml"),
        (zipped(**{"bot__py": GOOD, "a/X__py": b"", "a/x__py": b""}), "a.zip", "upload.name_twice"),
        (GOOD, "bot.txt", "upload.file_type"),
    ],
)
def test_more_refusals(content, filename, code):
    with pytest.raises(UploadRefused) as caught:
        upload(make_user(), content=content, filename=filename)
    assert caught.value.code == code


def test_the_same_content_is_the_same_version_as_py_and_as_zip():
    owner = make_user()
    first = upload(owner, content=GOOD)
    assert upload(owner, content=GOOD) == first
    assert upload(owner, content=zipped(bot__py=GOOD), filename="again.zip") == first
    assert upload(owner, name="velabot", content=zipped(**{"x/bot__py": GOOD}), filename="again.zip") == first
    assert uploads.upload(owner=owner, bot=first.bot, filename="x.py", content=GOOD) == first
    assert (BotVersion.objects.count(), QualifyRun.objects.count(), Bot.objects.count()) == (1, 1, 1)


def test_two_owners_may_upload_one_file_and_share_it_on_the_disk():
    before = files()
    content = source()
    first, second = upload(make_user(), "Uno", content), upload(make_user(), "Due", content)
    assert first != second
    assert first.sha256 == second.sha256
    assert len(files() - before) == 1


def test_the_name_of_a_bot_belongs_to_its_owner():
    upload(make_user(), "Vela Bot")
    with pytest.raises(BotsError) as caught:
        upload(make_user(), "VELA  bot")
    assert (caught.value.code, caught.value.status) == ("bot.name_taken", 409)
    assert Bot.objects.count() == 1


@pytest.mark.parametrize("name", ["", "x", "y" * 41, "a\u202eb", "...", "100%"])
def test_bad_names_are_refused(name):
    owner = make_user()
    if name == "100%":
        assert upload(owner, name).bot.player.name == "100%"
        return
    with pytest.raises(BotsError) as caught:
        upload(owner, name)
    assert caught.value.code == "bot.name"
    assert str(caught.value)
    assert Player.objects.filter(kind="bot").count() == 0


def test_only_the_owner_adds_versions_and_only_with_a_confirmed_address():
    version = upload(make_user())
    with pytest.raises(BotsError) as caught:
        uploads.upload(owner=make_user(), bot=version.bot, filename="x.py", content=source())
    assert caught.value.code == "bot.not_yours"
    with pytest.raises(EmailUnconfirmed):
        upload(make_user(is_confirmed=False), "Altro")
    assert BotVersion.objects.count() == 1


def test_the_quota_counts_versions_of_a_day_and_says_when_it_ends():
    owner = make_user()
    first = upload(owner, "Uno")
    for number in range(uploads.DAILY_QUOTA - 1):
        upload(owner, f"Bot {number % 3}")
    with pytest.raises(BotsError) as caught:
        upload(owner, "Altro")
    assert (caught.value.code, caught.value.status) == ("upload.quota", 429)
    assert 1435 < caught.value.params["minutes"] <= 1441
    assert BotVersion.objects.count() == uploads.DAILY_QUOTA
    assert upload(make_user(), "Di un altro").number == 1
    stored = unpack_stored(uploads_store.read(first)).files[0][1]
    assert uploads.upload(owner=owner, bot=first.bot, filename="x.py", content=stored) == first
    BotVersion.objects.filter(pk=first.pk).update(created_at=timezone.now() - timedelta(days=1, seconds=1))
    assert upload(owner, "Altro").number == 1


def test_a_second_version_waits_while_the_first_is_checked_and_follows_it():
    owner = make_user()
    first, second, third = upload(owner), upload(owner), upload(owner)
    assert [version.state for version in (first, second, third)] == ["checking", "uploaded", "uploaded"]
    give_verdict(first, is_qualified=False)
    second.refresh_from_db()
    third.refresh_from_db()
    assert [version.state for version in (first, second, third)] == ["rejected", "checking", "uploaded"]


def test_a_storage_that_fails_leaves_no_row_and_no_file(monkeypatch):
    before = files()

    def full(self, name, content):
        (Path(self.path(name)).parent).mkdir(parents=True, exist_ok=True)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(storage.ArchiveStorage, "_save", full)
    with pytest.raises(OSError, match="No space"):
        upload(make_user())
    assert (Bot.objects.count(), BotVersion.objects.count(), Player.objects.filter(kind="bot").count()) == (0, 0, 0)
    assert files() == before


def test_a_write_that_breaks_off_leaves_no_part(monkeypatch):
    before = files()

    def broken(descriptor):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(storage.os, "fsync", broken)
    with pytest.raises(OSError, match="Input"):
        upload(make_user())
    assert files() == before


@pytest.mark.django_db(transaction=True)
def test_a_commit_that_fails_leaves_no_file(monkeypatch):
    before = files()
    owner = make_user()
    real = uploads_store.put

    def put_then_fail(**arguments):
        real(**arguments)
        assert len(files() - before) == 1
        raise RuntimeError("the connection broke")

    monkeypatch.setattr(uploads_store, "put", put_then_fail)
    with pytest.raises(RuntimeError):
        upload(owner)
    assert files() == before
    assert BotVersion.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_a_failed_upload_never_takes_away_the_file_of_another(monkeypatch):
    content = source()
    kept = upload(make_user(), "Uno", content)
    real = uploads_store.put

    def put_then_fail(**arguments):
        real(**arguments)
        raise RuntimeError("the connection broke")

    monkeypatch.setattr(uploads_store, "put", put_then_fail)
    with pytest.raises(RuntimeError):
        upload(make_user(), "Due", content)
    assert unpack_stored(uploads_store.read(kept)).sha256 == kept.sha256


@pytest.mark.django_db(transaction=True)
def test_the_sweep_removes_what_a_killed_process_left_and_nothing_else():
    uploads_store.sweep()  # what earlier tests left when they were rolled back
    kept = upload(make_user())
    orphan = BotVersion(sha256="ab" * 32)
    with transaction.atomic():
        uploads_store.put(version=orphan, data=b"left behind")
    assert uploads_store.sweep() == 1
    assert uploads_store.sweep() == 0
    assert unpack_stored(uploads_store.read(kept)).sha256 == kept.sha256


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("has_bot", [True, False])
def test_simultaneous_uploads_of_one_content_make_one_version(has_bot):
    owner = make_user()
    if has_bot:
        qualified(owner)
    content = source()

    def send(_: int) -> int:
        try:
            return upload(owner, content=content).pk
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        made = list(pool.map(send, range(6)))
    assert len(set(made)) == 1
    assert (Bot.objects.count(), BotVersion.objects.count()) == (1, 1 + has_bot)
    assert QualifyRun.objects.filter(state="queued").count() == 1


@pytest.mark.django_db(transaction=True)
def test_simultaneous_uploads_of_one_name_by_many_owners_make_one_bot():
    owners = [make_user() for _ in range(6)]

    def send(owner) -> str:
        try:
            return upload(owner, "Conteso").state
        except BotsError as error:
            return error.code
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(send, owners))
    assert sorted(answers) == ["bot.name_taken"] * 5 + ["checking"]
    assert Bot.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_simultaneous_versions_of_one_bot_are_numbered_in_order_and_one_is_checked():
    owner = make_user()
    bot = qualified(owner).bot

    def send(_: int) -> int:
        try:
            return uploads.upload(owner=owner, bot=bot, filename="x.py", content=source()).number
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        numbers = list(pool.map(send, range(6)))
    assert sorted(numbers) == [2, 3, 4, 5, 6, 7]
    assert bot.versions.filter(state="checking").count() == 1
