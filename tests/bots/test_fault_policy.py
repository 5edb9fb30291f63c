"""What follows from faults: a notice, a slower pace, a suspension; and what does not."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import Notice
from bots.models import BotMate, Fault, VersionState
from bots.services import activation, faults
from games.models import Match
from tests.accounts.factories import make_user
from tests.bots.honest_worker import send
from tests.bots.runs_fixtures import queued
from tests.factories import make_bot_match, make_version

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_valkey")]

ONE_DEAL = "n=2 format=deals:1"


@pytest.fixture
def pair():
    return make_version(), make_version()


def played(versions, *, faulty: bool, mode: str = "league", rules: str = ONE_DEAL) -> Match:
    """A match that is played to its end; when it is `faulty`, seat 0 does not start, in every deal."""
    match, worker = queued(make_bot_match(versions, mode=mode, rules=rules))
    assert send(worker.started()).is_accepted
    while not worker.is_over:
        assert send(worker.deal(fault_after=-1 if faulty else None)).is_accepted
    assert send(worker.end()).is_accepted
    worker.finish()
    match.refresh_from_db()
    return match


def notices(user) -> list[str]:
    return list(Notice.objects.filter(user=user).order_by("pk").values_list("kind", flat=True))


def test_the_owner_and_his_mates_hear_of_the_first_fault_and_not_again_for_a_day(pair):
    bad, _good = pair
    mate, asked = make_user(), make_user()
    BotMate.objects.create(bot=bad.bot, user=mate, accepted_at=timezone.now())
    BotMate.objects.create(bot=bad.bot, user=asked)
    match = played(pair, faulty=True)
    assert faults.judge_all() == 1
    (notice,) = Notice.objects.filter(user=bad.bot.owner)
    assert (notice.kind, notice.url) == ("version_fault", f"/my/bots/{bad.bot.player.slug}/faults/")
    assert notice.params == {"bot": bad.bot.player.name, "version": "v1", "match": match.code}
    assert (notices(mate), notices(asked)) == (["version_fault"], [])

    played(pair, faulty=True)
    assert faults.judge_all() == 1
    assert notices(bad.bot.owner) == ["version_fault"]
    assert faults.judge_all() == 0  # judged once

    bad.refresh_from_db()
    bad.fault_told_at -= timedelta(hours=24)
    bad.checked_at = timezone.now()  # nothing counts towards a suspension
    bad.save()
    played(pair, faulty=True)
    faults.judge_all()
    assert notices(bad.bot.owner) == ["version_fault", "version_fault"]


def test_three_faults_in_few_deals_suspend_a_version(pair):
    bad, good = pair
    for _ in range(2):
        played(pair, faulty=True)
    faults.judge_all()
    bad.refresh_from_db()
    assert bad.state == VersionState.QUALIFIED
    played(pair, faulty=True)
    faults.judge_all()
    bad.refresh_from_db()
    bad.bot.refresh_from_db()
    assert (bad.state, bad.bot.active_version) == (VersionState.SUSPENDED, None)
    last = Notice.objects.filter(user=bad.bot.owner).order_by("pk").last()
    assert (last.kind, last.params["faults"], last.params["deals"]) == ("version_suspended_faults", 3, 3)
    good.refresh_from_db()
    assert good.state == VersionState.QUALIFIED


@pytest.mark.parametrize(("clean", "state"), [(57, VersionState.QUALIFIED), (56, VersionState.SUSPENDED)])
def test_five_in_a_hundred_deals_are_borne(pair, clean, state):
    """3 of 60 deals are 5 %, which is not more than 5 %; 3 of 59 are."""
    bad, _good = pair
    played(pair, faulty=False, rules=f"n=2 format=deals:{clean}")
    for _ in range(3):
        played(pair, faulty=True)
    faults.judge_all()
    bad.refresh_from_db()
    assert bad.state == state


def test_only_the_last_hundred_deals_count(pair):
    bad, _good = pair
    played(pair, faulty=True)
    played(pair, faulty=True)
    played(pair, faulty=False, rules="n=2 format=deals:98")
    played(pair, faulty=True)
    faults.judge_all()
    bad.refresh_from_db()
    assert bad.state == VersionState.QUALIFIED  # 2 of the last 100: the first one is the 101st


def test_faults_in_test_games_cost_nothing(pair):
    bad, _good = pair
    for _ in range(4):
        played(pair, faulty=True, mode="test")
    assert Fault.objects.count() == 4
    faults.judge_all()
    bad.refresh_from_db()
    assert (bad.state, bad.slowed_at, notices(bad.bot.owner)) == (VersionState.QUALIFIED, None, [])
    assert faults.judge_all() == 0


def test_what_was_before_the_last_check_is_forgiven(pair):
    bad, _good = pair
    for _ in range(3):
        played(pair, faulty=True)
    faults.judge_all()
    bad.refresh_from_db()
    activation.judge(bad, is_qualified=True)
    played(pair, faulty=True)
    faults.judge_all()
    bad.refresh_from_db()
    assert bad.state == VersionState.QUALIFIED


def test_a_version_that_lost_a_match_by_faults_is_slowed_until_twenty_clean_deals(pair):
    bad, good = pair
    match = played(pair, faulty=True, rules="n=2")
    assert match.termination == "fault"
    faults.judge_all()
    bad.refresh_from_db()
    good.refresh_from_db()
    assert (bad.slowed_at, good.slowed_at) == (match.finished_at, None)

    played(pair, faulty=False, rules="n=2 format=deals:19")
    assert faults.forgive() == 0
    played(pair, faulty=False)
    assert faults.forgive() == 1
    bad.refresh_from_db()
    assert bad.slowed_at is None
    faults.judge_all()
    bad.refresh_from_db()
    assert bad.slowed_at is None


def test_one_faulty_deal_of_a_match_slows_nobody(pair):
    bad, _good = pair
    match, worker = queued(make_bot_match(pair, rules="n=2"))
    send(worker.started())
    send(worker.deal(fault_after=-1))
    while not worker.is_over:
        send(worker.deal())
    send(worker.end())
    match.refresh_from_db()
    assert match.termination == "normal"
    faults.judge_all()
    bad.refresh_from_db()
    assert bad.slowed_at is None


def test_five_matches_in_a_row_lost_by_faults_suspend_a_version(pair, monkeypatch):
    monkeypatch.setattr(faults, "LEAST", 1_000)  # the other rule would be first
    bad, _good = pair
    for _ in range(4):
        played(pair, faulty=True, rules="n=2")
    faults.judge_all()
    bad.refresh_from_db()
    assert bad.state == VersionState.QUALIFIED
    played(pair, faulty=True, rules="n=2")
    faults.judge_all()
    bad.refresh_from_db()
    assert bad.state == VersionState.SUSPENDED
    last = Notice.objects.filter(user=bad.bot.owner).order_by("pk").last()
    assert (last.kind, last.params["matches"]) == ("version_suspended_matches", 5)


def test_a_version_that_is_suspended_already_is_only_told_of(pair):
    bad, _good = pair
    activation.suspend(version=bad, kind="version_suspended_faults", faults=3, deals=3)
    for _ in range(3):
        played(pair, faulty=True)
    faults.judge_all()
    assert notices(bad.bot.owner) == ["version_suspended_faults", "version_fault"]
