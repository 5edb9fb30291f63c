"""What an author or a stranger tries against the platform: each of these once went through."""

import json
from dataclasses import replace

import pytest
from django.contrib.auth.models import AnonymousUser
from django.utils import timezone

from accounts.errors import AccountsError
from bots.errors import BotsError
from bots.models import Activation, Bot, BotMate, BotVersion, Fault
from bots.selectors import sources
from bots.services import activation, dispatch, faults, managing, mates, qualifying, uploads
from bots.services import test_games as testing
from games.engine import Rules
from games.models import Match, MatchMode, MatchState
from games.services import matches as games_matches
from games.services.matches import MatchSpec, SeatSpec
from league.selectors import bots as bot_pages
from league.selectors import queue
from tests.accounts.factories import make_user
from tests.bots.honest_worker import send
from tests.bots.runs_fixtures import queued, worker_of
from tests.bots.uploading import Arena, give_verdict, upload
from tests.factories import FIRST_CARD, make_bot_match, make_human, make_version

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_valkey")]


def played(versions, *, faulty=False, rules="n=2 format=deals:1", **fields) -> Match:
    match, worker = queued(make_bot_match(versions, rules=rules, **fields))
    send(worker.started())
    while not worker.is_over:
        assert send(worker.deal(fault_after=-1 if faulty else None)).is_accepted
    assert send(worker.end()).is_accepted
    worker.finish()
    match.refresh_from_db()
    return match


def test_a_rejected_version_stays_secret_when_it_is_retired(client):
    version = make_version()
    Bot.objects.update(is_source_public=True)
    second = uploads.upload(owner=version.bot.owner, bot=version.bot, filename="bot.py", content=FIRST_CARD + b"#s\n")
    arena = Arena(second.checks.get())
    arena.tell(arena.started())
    arena.tell(arena.verdict("rejected"))
    activation.retire(version=second, actor=version.bot.owner)
    assert client.get(f"/bots/{version.bot.player.slug}/versions/2/code/").status_code == 403
    third = uploads.upload(owner=version.bot.owner, bot=version.bot, filename="bot.py", content=FIRST_CARD + b"#t\n")
    arena = Arena(third.checks.get())
    arena.tell(arena.started())
    arena.tell(arena.verdict())
    activation.retire(version=third, actor=version.bot.owner)
    assert client.get(f"/bots/{version.bot.player.slug}/versions/3/code/").status_code == 200


def test_notes_are_not_shown_with_public_code(client):
    version = make_version()
    uploads.upload(
        owner=version.bot.owner,
        bot=version.bot,
        filename="bot.py",
        content=FIRST_CARD + b"#s\n",
        notes="my secret idea",
    )
    BotVersion.objects.update(state="qualified")
    Bot.objects.update(is_source_public=True)
    page = f"/bots/{version.bot.player.slug}/versions/2/diff/"
    assert b"my secret idea" not in client.get(page).content
    client.force_login(version.bot.owner)
    assert b"my secret idea" in client.get(page).content


def test_the_list_of_readable_versions_costs_the_same_for_any_number(django_assert_max_num_queries):
    version = make_version()
    mate = make_user()
    BotMate.objects.create(bot=version.bot, user=mate, accepted_at=timezone.now())
    for number in range(2, 8):
        BotVersion.objects.create(
            bot=version.bot,
            number=number,
            sha256=f"{number:064}",
            filename="bot.py",
            size=1,
            state="retired" if number % 2 else "qualified",
        )
    with django_assert_max_num_queries(2):
        assert len(sources.readable(version.bot, mate, but=version)) == 6


def test_faults_are_paged_whatever_their_numbers(client):
    version, other = make_version(), make_version()
    match = played((version, other))
    Fault.objects.bulk_create(
        Fault(pk=100_000 + i, match=match, number=1, seat=0, version=version, kind="crash") for i in range(60)
    )
    client.force_login(version.bot.owner)
    address = f"/my/bots/{version.bot.player.slug}/faults/"
    following = client.get(address).context["following"]
    assert len(client.get(address + following).context["faults"]) == 10


def test_a_mate_reads_the_log_of_a_private_match(client):
    version, other = make_version(), make_version()
    match = played((version, other), visibility="private")
    mate = make_user()
    row = BotMate.objects.create(bot=version.bot, user=mate)
    client.force_login(mate)
    assert client.get(f"/matches/{match.code}/logs/").status_code == 404
    row.accepted_at = timezone.now()
    row.save()
    assert client.get(f"/matches/{match.code}/logs/").status_code == 200
    row.delete()
    assert client.get(f"/matches/{match.code}/logs/").status_code == 404


def test_a_bot_can_be_deleted_whatever_others_are_called():
    version = make_version("VelaBot")
    make_version(f"bot-{version.bot_id}-x")
    managing.delete(bot=version.bot, actor=version.bot.owner, confirmed="VelaBot")
    assert Bot.objects.get(pk=version.bot_id).deleted_at is not None


def test_nothing_leads_from_a_deleted_bot_to_its_author():
    version, other = make_version("VelaBot"), make_version()
    owner = version.bot.owner
    second = uploads.upload(owner=owner, bot=version.bot, filename="bot.py", content=FIRST_CARD + b"#s\n")
    BotVersion.objects.update(state="qualified")
    activation.activate(version=second, actor=owner)
    game = testing.start(version=second, opponent=other, pairs=1, actor=owner)
    managing.delete(bot=version.bot, actor=owner, confirmed="VelaBot")
    assert not Activation.objects.filter(by=owner).exists()
    game.refresh_from_db()
    assert game.by is None


def test_an_upload_that_meets_a_deletion_leaves_nothing():
    version = make_version("VelaBot")
    stale = Bot.objects.select_related("owner").get(pk=version.bot_id)
    managing.delete(bot=version.bot, actor=version.bot.owner, confirmed="VelaBot")
    with pytest.raises(BotsError) as caught:
        uploads.upload(owner=stale.owner, bot=stale, filename="bot.py", content=FIRST_CARD + b"# late\n")
    assert caught.value.code == "bot.not_yours"
    assert BotVersion.objects.count() == 1


def test_a_test_game_that_meets_a_deletion_is_refused():
    mine, other = make_version(), make_version("VelaBot")
    stale = BotVersion.objects.select_related("bot__player", "bot__owner").get(pk=other.pk)
    managing.delete(bot=other.bot, actor=other.bot.owner, confirmed="VelaBot")
    with pytest.raises(BotsError):
        testing.start(version=mine, opponent=stale, pairs=1, actor=mine.bot.owner)
    assert not Match.objects.exists()


def test_settings_and_team_of_a_bot_that_was_deleted_meanwhile():
    version = make_version("VelaBot")
    stale = Bot.objects.select_related("owner", "player").get(pk=version.bot_id)
    friend = make_user()
    managing.delete(bot=version.bot, actor=version.bot.owner, confirmed="VelaBot")
    with pytest.raises(BotsError):
        managing.change(bot=stale, actor=stale.owner, about="I was here", is_source_public=True, allows_tests=True)
    with pytest.raises(BotsError):
        mates.ask(bot=stale, name=friend.player.slug, actor=stale.owner)
    bot = Bot.objects.get(pk=version.bot_id)
    assert (bot.about, bot.is_source_public, bot.mates.count()) == ("", False, 0)


def test_a_single_fault_long_after_a_lost_match_slows_nobody():
    bad, good = make_version(), make_version()
    played((bad, good), faulty=True, rules="n=2")
    faults.judge_all()
    played((bad, good), rules="n=2 format=deals:20")
    assert faults.forgive() == 1
    played((bad, good), faulty=True)  # one deal, no match lost by faults
    faults.judge_all()
    bad.refresh_from_db()
    assert bad.slowed_at is None


def test_a_match_that_ends_after_its_faults_were_judged_counts_too():
    bad, good = make_version(), make_version()
    match, worker = queued(make_bot_match((bad, good), rules="n=2"))
    send(worker.started())
    while not worker.is_over:
        send(worker.deal(fault_after=-1))
    faults.judge_all()
    send(worker.end())
    faults.judge_all()
    bad.refresh_from_db()
    match.refresh_from_db()
    assert bad.slowed_at == match.finished_at


def test_who_sits_beside_a_bot_that_fails_twice_is_not_blamed():
    versions = make_version(), make_version(), make_version()
    match, worker = queued(make_bot_match(versions, rules="n=3 format=deals:5"))
    send(worker.started())
    first = worker.deal(fault_after=int(worker.next_deal().turn == 0))
    assert send(first).is_accepted
    assert first.faults[0].seat != 0
    for _ in range(2):
        assert send(worker.deal(fault_after=-1)).is_accepted
    assert send(replace(worker.end(), outcome=worker.score.best_without({0}))).is_accepted
    match.refresh_from_db()
    assert match.termination == "fault"
    faults.judge_all()
    for version in versions:
        version.refresh_from_db()
    assert [version.slowed_at for version in versions] == [match.finished_at, None, None]


def test_a_slowed_version_still_has_its_share_when_few_matches_go_at_a_time(settings):
    settings.ARENA_CHILDREN = 1
    bad, one, two = make_version(), make_version(), make_version()
    BotVersion.objects.filter(pk=bad.pk).update(slowed_at=timezone.now())
    late = make_bot_match((bad, one), group="ladder")
    handed = []
    for _ in range(40):
        while Match.objects.filter(state=MatchState.PLANNED).exclude(pk=late.pk).count() < 5:
            make_bot_match((one, two), group="ladder")
        chosen = dispatch._choose(1)
        (match_id,) = chosen
        handed.append(match_id == late.pk)
        if handed[-1]:
            break
        Match.objects.filter(pk=match_id).delete()
    assert handed[-1], "never"
    assert len(handed) > 1


def test_the_admin_shows_no_last_line_of_a_traceback_before_the_end(client):
    version, other = make_version(), make_version()
    _match, worker = queued(make_bot_match((version, other), rules="n=2"))
    send(worker.started())
    send(worker.deal(fault_after=-1))
    Fault.objects.update(detail="ValueError: ['AD', '3C', '2B']")
    staff = make_user(is_staff=True, is_superuser=True)
    client.force_login(staff)
    fault = Fault.objects.get()
    for page in ("/admin/bots/fault/", f"/admin/bots/fault/{fault.pk}/change/"):
        answer = client.get(page)
        assert answer.status_code == 200, page
        assert b"AD" not in answer.content.replace(b"ADMIN", b""), page


def test_the_public_page_counts_faults_of_listed_matches_alone():
    version, other = make_version(), make_version()
    played((version, other), faulty=True, mode="test", visibility="unlisted")
    played((version, other), faulty=True, visibility="private")
    page = bot_pages.page_of(version.bot, AnonymousUser())
    assert page.faults == ()


def test_matches_of_people_do_not_stand_before_a_bot():
    people = make_human(), make_human()
    seats = tuple(SeatSpec(player=player) for player in people)
    games_matches.create(spec=MatchSpec(rules=Rules(), mode=MatchMode.CASUAL, seats=seats))
    match = make_bot_match()
    assert queue.ahead(match.seats.first().player).before == 0


def test_the_download_of_a_match_that_no_bot_could_start_tells_why(client):
    version, other = make_version(), make_version()
    match, worker = queued(make_bot_match((version, other)))
    send(worker.started())
    end = worker.end()
    both = (worker.start_fault(0), worker.start_fault(1))
    assert send(replace(end, outcome=None, termination="void", faults=both, reason="faults")).is_accepted
    match.refresh_from_db()
    assert match.state == "void"
    client.force_login(version.bot.owner)
    text = client.get(f"/matches/{match.code}/logs.jsonl").content
    assert text.count(b'"fault"') == 1


def test_one_cannot_flood_somebody_with_invitations():
    version = make_version()
    friend = make_user()
    for _ in range(mates.DAILY):
        mates.ask(bot=version.bot, name=friend.player.slug, actor=version.bot.owner)
        mates.end(bot=version.bot, user=friend, actor=version.bot.owner)
    with pytest.raises(AccountsError) as caught:
        mates.ask(bot=version.bot, name=friend.player.slug, actor=version.bot.owner)
    assert (caught.value.code, version.bot.mates.count()) == ("too_often", 0)


def test_activates_off_is_honoured_without_an_active_version():
    owner = make_user()
    version = upload(owner, activates=False)
    arena = Arena(version.checks.get())
    arena.tell(arena.started())
    arena.tell(arena.verdict())
    version.refresh_from_db()
    assert (version.state, Bot.objects.get().active_version) == ("qualified", None)
    activation.activate(version=version, actor=owner)
    activation.suspend(version=version, kind="version_suspended_faults", faults=3, deals=3)
    version.refresh_from_db()
    qualifying.start(version=version)
    give_verdict(version)
    assert Bot.objects.get().active_version == version  # as the notice of its suspension said


def test_a_stranger_learns_nothing_of_a_team(client):
    version = make_version()
    friend = make_user()
    BotMate.objects.create(bot=version.bot, user=friend, accepted_at=timezone.now())
    client.force_login(make_user())
    base = f"/my/bots/{version.bot.player.slug}/team/"
    assert client.post(f"{base}{friend.pk}/end/").status_code == 404


def test_what_comes_about_a_check_that_went_with_its_bot_is_stale():
    version = make_version("VelaBot")
    second = uploads.upload(owner=version.bot.owner, bot=version.bot, filename="bot.py", content=FIRST_CARD + b"#s\n")
    arena = Arena(second.checks.get())
    assert arena.tell(arena.started()).is_accepted
    managing.delete(bot=version.bot, actor=version.bot.owner, confirmed="VelaBot")
    assert arena.tell(arena.verdict()).verdict == "run.stale"
    assert not qualifying.lease_lost(str(arena.run.run_id))
    assert not qualifying.overdue(run_id=arena.run.run_id)
    assert qualifying.sweep() == 0


def test_the_download_starts_anew_where_another_worker_took_the_match_up(client):
    version, other = make_version(), make_version()
    match, worker = queued(make_bot_match((version, other), rules="n=2 format=deals:2"))
    for report in (worker.started(), worker.deal(), worker.returned()):
        assert send(report).is_accepted
    for report in worker_of(match).play():
        assert send(report).is_accepted
    client.force_login(version.bot.owner)
    lines = [json.loads(line) for line in client.get(f"/matches/{match.code}/logs.jsonl").content.splitlines()]
    asked = [line["message"] for line in lines if line.get("to") == "bot" and "n" in line["message"]]
    assert [one["n"] for one in asked if one["type"] == "start"] == [1, 1]
    assert [one["n"] for one in asked if one["type"] == "play"] == [*range(2, 22)] * 2


def test_the_page_of_a_version_tells_its_times_to_who_runs_it(client):
    version, other = make_version(), make_version()
    played((version, other))
    address = version.get_absolute_url()
    assert client.get(address).context["times"] is None
    client.force_login(version.bot.owner)
    answer = client.get(address, headers={"accept-language": "en"})
    assert (answer.context["times"].deals, answer.context["times"].max_us) == (1, 1_500)
    assert b"In its last 1 deal: half of its moves took at most 1.5 ms" in answer.content


def test_the_admin_of_a_version_has_no_link_that_leads_nowhere(client):
    version = make_version()
    client.force_login(make_user(is_staff=True, is_superuser=True))
    answer = client.get(f"/admin/bots/botversion/{version.pk}/change/")
    assert answer.status_code == 200
    assert b".zip" not in answer.content
