"""What owners decide: settings, teams, who reads the code, the end of a bot."""

import pytest

from accounts.models import Notice
from bots.errors import BotsError
from bots.models import Bot, BotMate, BotVersion, Fault, VersionState
from bots.services import activation, managing, mates, uploads, uploads_store
from bots.services import test_games as testing
from games.models import Match, MatchState, Player
from league.models import Membership
from league.services import leagues, memberships
from tests.accounts.factories import make_user
from tests.bots.honest_worker import send
from tests.bots.runs_fixtures import queued
from tests.factories import FIRST_CARD, make_bot_match, make_version

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_valkey")]


@pytest.fixture
def version():
    return make_version("VelaBot")


@pytest.fixture
def owner(version):
    return version.bot.owner


def mate_of(bot: Bot):
    user = make_user()
    mates.ask(bot=bot, name=user.player.slug, actor=bot.owner)
    mates.accept(bot=bot, actor=user)
    return user


def code_of(call, *args, **kwargs) -> str:
    with pytest.raises(BotsError) as caught:
        call(*args, **kwargs)
    return caught.value.code


# ---- team


def test_a_mate_is_asked_and_accepts(version, owner):
    friend = make_user("Luna")
    mates.ask(bot=version.bot, name="luna", actor=owner)
    notice = Notice.objects.get(user=friend)
    assert (notice.kind, notice.params) == ("mate_asked", {"bot": "VelaBot", "name": owner.name})
    assert code_of(activation.retire, version=version, actor=friend) == "bot.not_yours"
    mates.accept(bot=version.bot, actor=friend)
    mates.accept(bot=version.bot, actor=friend)
    assert list(Notice.objects.filter(user=owner).values_list("kind", flat=True)) == ["mate_accepted"]
    uploads.upload(owner=friend, bot=version.bot, filename="bot.py", content=FIRST_CARD + b"# mate\n")
    assert version.bot.versions.get(number=2).by == friend
    assert activation.retire(version=version, actor=friend).state == VersionState.RETIRED


def test_whom_one_cannot_ask(version, owner):
    make_user("Due Gemelli")
    make_user("due gemelli")
    ask = {"bot": version.bot, "actor": owner}
    assert code_of(mates.ask, name="Nessuno Mai", **ask) == "mate.unknown"
    assert code_of(mates.ask, name="DUE GEMELLI", **ask) == "mate.ambiguous"
    assert code_of(mates.ask, name=owner.player.slug, **ask) == "mate.owner"
    assert code_of(mates.ask, name=version.bot.player.slug, **ask) == "mate.unknown"
    friend = mate_of(version.bot)
    assert code_of(mates.ask, bot=version.bot, name=make_user().player.slug, actor=friend) == "bot.not_yours"
    for _ in range(4):
        mate_of(version.bot)
    assert code_of(mates.ask, name=make_user().player.slug, **ask) == "mate.too_many"
    assert BotMate.objects.count() == 5


def test_an_invitation_is_taken_back_declined_and_a_mate_leaves_or_is_removed(version, owner):
    bot = version.bot
    guest = make_user()
    mates.ask(bot=bot, name=guest.player.slug, actor=owner)
    assert code_of(mates.end, bot=bot, user=guest, actor=make_user()) == "bot.not_yours"
    assert mates.end(bot=bot, user=guest, actor=owner)
    assert not mates.end(bot=bot, user=guest, actor=owner)
    assert code_of(mates.accept, bot=bot, actor=guest) == "mate.not_asked"
    mates.ask(bot=bot, name=guest.player.slug, actor=owner)
    mates.end(bot=bot, user=guest, actor=guest)
    assert Notice.objects.filter(user=owner).last().kind == "mate_declined"
    friend = mate_of(bot)
    mates.end(bot=bot, user=friend, actor=friend)
    assert Notice.objects.filter(user=owner).order_by("pk").last().kind == "mate_left"
    friend = mate_of(bot)
    mates.end(bot=bot, user=friend, actor=owner)
    assert Notice.objects.filter(user=friend).order_by("pk").last().kind == "mate_removed"
    assert not BotMate.objects.exists()


def test_uploads_count_for_who_uploads(version, owner, monkeypatch):
    monkeypatch.setattr(uploads, "DAILY_QUOTA", 1)
    friend = mate_of(version.bot)
    uploads.upload(owner=owner, bot=version.bot, filename="bot.py", content=FIRST_CARD + b"# one\n")
    uploads.upload(owner=friend, bot=version.bot, filename="bot.py", content=FIRST_CARD + b"# two\n")
    again = {"bot": version.bot, "filename": "bot.py", "content": FIRST_CARD + b"# three\n"}
    assert code_of(uploads.upload, owner=friend, **again) == "upload.quota"


def test_the_pages_of_a_team(client, version, owner):
    friend = make_user("Luna")
    slug = version.bot.player.slug
    client.force_login(owner)
    assert client.post(f"/my/bots/{slug}/team/", {"name": "Nessuno Mai"}).status_code == 422
    assert client.post(f"/my/bots/{slug}/team/", {"name": "Luna"}).status_code == 302
    client.force_login(friend)
    assert client.get(f"/my/bots/{slug}/").status_code == 404
    html = client.get("/my/bots/").content.decode()
    assert f"/my/bots/{slug}/team/accept/" in html
    assert client.post(f"/my/bots/{slug}/team/accept/").url == f"/my/bots/{slug}/"
    for page in ("", "settings/", "tests/", "faults/"):
        assert client.get(f"/my/bots/{slug}/{page}").status_code == 200
    assert client.post(f"/my/bots/{slug}/settings/", {"about": "mine"}).status_code == 403
    client.post(f"/my/bots/{slug}/delete/", {"confirm": "VelaBot"})
    assert Bot.objects.get().deleted_at is None
    assert client.post(f"/my/bots/{slug}/team/{friend.pk}/end/").url == "/my/bots/"
    assert client.get(f"/my/bots/{slug}/").status_code == 404


# ---- settings and code


def test_settings_are_the_owners(client, version, owner):
    client.force_login(owner)
    address = f"/my/bots/{version.bot.player.slug}/settings/"
    assert client.get(address).status_code == 200
    assert client.post(address, {"about": "Gioca piano", "is_source_public": "on"}).status_code == 302
    bot = Bot.objects.get()
    assert (bot.about, bot.is_source_public, bot.allows_tests) == ("Gioca piano", True, False)
    assert client.post(address, {"about": "x" * 301}).status_code == 422
    assert client.post(address, {"about": "a\0b"}).status_code == 422
    assert Bot.objects.get().about == "Gioca piano"


@pytest.mark.parametrize(
    ("is_public", "state", "others"),
    [(False, "qualified", 403), (True, "qualified", 200), (True, "retired", 200), (True, "rejected", 403)],
)
def test_who_reads_the_code(client, version, owner, is_public, state, others):
    Bot.objects.update(is_source_public=is_public)
    BotVersion.objects.update(state=state)
    version.checks.create(seed=b"s", state="done", reason="rejected" if state == "rejected" else "qualified")
    base = f"/bots/{version.bot.player.slug}/versions/1/"
    for user, status in ((None, others), (make_user(), others), (owner, 200), (mate_of(version.bot), 200)):
        client.logout()
        if user:
            client.force_login(user)
        assert client.get(f"{base}code/").status_code == status
        assert client.get(f"{base}source/").status_code == status
        assert client.get(f"/api/v1{base}archive/").status_code == (200 if status == 200 else 404)


def test_the_code_is_shown_as_text_with_what_nobody_sees(client, owner):
    evil = 'x = "<script>"  # \u202eabc\ndef play(view):\n    return view.legal[0]\n'.encode()
    version = make_version("Furbo", content=evil)
    client.force_login(version.bot.owner)
    html = client.get(f"/bots/{version.bot.player.slug}/versions/1/code/").content.decode()
    assert "<script>&quot;" not in html
    assert "&lt;script&gt;" in html
    assert "\u202e" not in html
    assert "\\u202e" in html
    assert 'id="L3"' in html


def test_what_changed_since_another_version(client, version, owner):
    content = uploads_store.files(version)[0][1]
    second = uploads.upload(
        owner=owner, bot=version.bot, filename="bot.py", content=content.replace(b"hand[0]", b"hand[-1]") + b"\n"
    )
    client.force_login(owner)
    (change,) = client.get(f"/bots/{version.bot.player.slug}/versions/2/diff/").context["changes"]
    assert (change.name, change.state, change.added, change.removed) == ("bot.py", "changed", 2, 1)
    texts = [(line.kind, line.before, line.after, line.text) for line in change.lines]
    assert texts[:3] == [
        ("same", 1, 1, "def play(view):"),
        ("gone", 2, None, "    return view.hand[0]"),
        ("new", None, 2, "    return view.hand[-1]"),
    ]
    assert client.get(f"/bots/{version.bot.player.slug}/versions/1/diff/").status_code == 404
    assert client.get(f"/bots/{version.bot.player.slug}/versions/1/diff/?since=2").status_code == 200
    client.logout()
    assert client.get(f"/bots/{version.bot.player.slug}/versions/{second.number}/diff/").status_code == 403


def test_a_public_version_is_not_compared_with_one_that_is_not(client, version, owner):
    uploads.upload(owner=owner, bot=version.bot, filename="bot.py", content=FIRST_CARD + b"# secret\n")
    BotVersion.objects.filter(number=2).update(state="rejected")
    Bot.objects.update(is_source_public=True)
    assert client.get(f"/bots/{version.bot.player.slug}/versions/1/diff/?since=2").status_code == 404


# ---- the end


def test_a_deleted_bot_leaves_its_matches_and_nothing_of_its_author(client, version, owner):
    mate = mate_of(version.bot)
    other = make_version()
    match, worker = queued(make_bot_match((version, other), rules="n=2 format=deals:1"))
    send(worker.started())
    send(worker.deal(fault_after=-1))
    send(worker.end())
    BotVersion.objects.filter(pk=version.pk).update(notes="my secret idea", filename="luna.py")
    league = leagues.publish(
        league=leagues.create(owner=make_user(), name="Lega"), actor=Membership.objects.get().player.user
    )
    memberships.join(league=league, player=version.bot.player, actor=owner)

    slug = version.bot.player.slug
    client.force_login(owner)
    client.post(f"/my/bots/{slug}/delete/", {"confirm": "velabot"})
    assert Bot.objects.get(pk=version.bot_id).deleted_at is None
    assert client.post(f"/my/bots/{slug}/delete/", {"confirm": "VelaBot"}).url == "/my/bots/"

    bot = Bot.objects.get(pk=version.bot_id)
    version.refresh_from_db()
    assert (bot.player.name, bot.owner.email, bot.active_version) == (f"bot-{bot.pk}", managing.NOBODY_EMAIL, None)
    assert (version.state, version.notes, version.filename, version.report) == ("retired", "", "bot.py", [])
    fault = Fault.objects.get(version=version)
    assert (fault.kind, fault.request, fault.answer, fault.stderr_tail) == ("timeout", "", "", "")
    with pytest.raises(FileNotFoundError):
        uploads_store.read(version)
    assert uploads_store.read(other)
    assert not BotMate.objects.exists()
    assert Membership.objects.get(player=bot.player).state == "left"
    assert Match.objects.get(pk=match.pk).state == MatchState.FINISHED
    assert client.get(f"/bots/{slug}/").status_code == 404
    assert client.get(f"/bots/{bot.player.slug}/").status_code == 200
    assert "VelaBot" not in client.get(match.get_absolute_url()).content.decode()
    assert f"/my/bots/{slug}/" not in client.get("/my/bots/").content.decode()
    client.force_login(mate)
    assert client.get(f"/my/bots/{bot.player.slug}/").status_code == 404
    assert uploads.upload(owner=make_user(), name="VelaBot", filename="bot.py", content=FIRST_CARD).number == 1


def test_a_file_that_another_bot_has_too_stays(owner, version):
    content = uploads_store.files(version)[0][1]
    twin = make_version("Gemello", content=content)
    managing.delete(bot=version.bot, actor=owner, confirmed="VelaBot")
    assert uploads_store.files(twin)[0][1] == content


def test_a_bot_with_matches_to_play_stays(owner, version):
    other = make_version()
    game = testing.start(version=version, opponent=other, pairs=1, actor=owner)
    match = make_bot_match((version, other))
    assert code_of(managing.delete, bot=version.bot, actor=owner, confirmed="VelaBot") == "bot.plays"
    assert not Match.objects.filter(group=game.group, state=MatchState.VOID).exists()
    Match.objects.filter(pk=match.pk).delete()
    managing.delete(bot=version.bot, actor=owner, confirmed="VelaBot")
    assert set(Match.objects.filter(group=game.group).values_list("state", flat=True)) == {MatchState.VOID}


def test_a_house_bot_is_not_deleted_and_a_stranger_deletes_nothing(owner, version):
    assert code_of(managing.delete, bot=version.bot, actor=make_user(), confirmed="VelaBot") == "bot.not_yours"
    version.bot.is_house = True
    assert code_of(managing.delete, bot=version.bot, actor=owner, confirmed="VelaBot") == "bot.house"
    assert Player.objects.filter(name="VelaBot").exists()
