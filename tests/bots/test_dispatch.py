"""Handing matches to the arena: enough, in pieces, fair, and again when a message was lost."""

from collections import Counter
from datetime import timedelta

import pytest
from django.utils import timezone

from bots import doorbell
from bots.errors import BotsError
from bots.models import MatchRun, RunState
from bots.services import dispatch, pace
from bots.services import matches as bot_matches
from games.engine import Rules
from games.models import Match, MatchState
from games.services import matches
from games.services.matches import MatchSpec, SeatSpec
from tests.bots.messages import arena_messages
from tests.factories import bot_match_spec, make_bot_match, make_human, make_version

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_valkey")]


def make_many(count: int, *, group: str = "", us: int | None = None, **fields) -> list[Match]:
    """Matches of two bots that take `us` for a deal each."""
    versions = make_version(), make_version()
    if us is not None:
        for version in versions:
            pace.note(version.pk, us)
        pace.flush()
    return bot_matches.create_many(specs=[bot_match_spec(*versions, group=group, **fields) for _ in range(count)])


def test_a_match_of_bots_is_handed_out_with_all_that_the_arena_needs():
    match = make_bot_match(seed=bytes(range(32)), salt="s")
    assert dispatch.fill() == 1

    match.refresh_from_db()
    run = match.runs.get()
    assert (match.state, run.state, run.attempt, run.nonce) == (MatchState.QUEUED, RunState.QUEUED, 0, "")
    ((job,),) = [message.jobs for message in arena_messages()]
    assert (job.run_id, job.match, job.seed, job.salt) == (str(run.run_id), match.code, bytes(range(32)).hex(), "s")
    assert [seat.sha256 for seat in job.seats] == [seat.bot_seat.version.sha256 for seat in match.seats.all()]
    for seat in job.seats:
        assert doorbell.valkey().exists(f"arena:bot:{seat.sha256}")


def test_files_are_laid_down_once_and_stay_for_a_day():
    make_many(3)
    dispatch.fill()
    (key, *_) = doorbell.valkey().scan_iter("arena:bot:*")
    before = doorbell.valkey().object("idletime", key)
    doorbell.valkey().expire(key, 5)
    make_bot_match(tuple(seat.bot_seat.version for seat in Match.objects.first().seats.all()))
    dispatch.fill()
    assert len(list(doorbell.valkey().scan_iter("arena:bot:*"))) == 2
    assert doorbell.valkey().ttl(key) > 80_000
    assert before is not None


def test_matches_of_persons_and_held_ones_are_left_alone():
    seats = (SeatSpec(make_human()), SeatSpec(make_human()))
    matches.create(spec=MatchSpec(rules=Rules(), mode="casual", seats=seats))
    make_bot_match(on_hold=True)
    assert dispatch.fill() == 0
    assert not MatchRun.objects.exists()


def test_no_more_is_handed_out_than_the_arena_needs(settings):
    settings.ARENA_CHILDREN = 2
    make_many(100, us=800_000)  # 2.5 deals of 1.6 s: 4 s a match
    handed = dispatch.fill()
    assert 9 <= handed <= 11
    assert dispatch.fill() == 0
    MatchRun.objects.filter(pk__in=MatchRun.objects.order_by("pk")[:5]).update(state=RunState.PLAYING)
    assert 4 <= dispatch.fill() <= 6


def test_short_matches_travel_together_and_long_ones_alone(settings):
    settings.ARENA_CHILDREN = 4
    make_many(40, us=2_000)
    make_many(3, us=4_000_000)
    dispatch.fill()
    sizes = [len(message.jobs) for message in arena_messages()]
    assert sum(sizes) == 43
    assert max(sizes) > 5
    long = {run.match_id for run in MatchRun.objects.order_by("-match_id")[:3]}
    codes = set(Match.objects.filter(pk__in=long).values_list("code", flat=True))
    alone = [message.jobs for message in arena_messages() if {job.match for job in message.jobs} & codes]
    assert [len(jobs) for jobs in alone] == [1, 1, 1]


def test_blocks_grow_smaller_towards_the_end(settings):
    settings.ARENA_CHILDREN = 2
    make_many(200, us=30_000)
    dispatch.fill()
    sizes = [len(message.jobs) for message in arena_messages()]
    assert sum(sizes) == 200
    assert sizes == sorted(sizes, reverse=True) or max(sizes) == dispatch.MOST_JOBS
    assert sizes[-1] <= 4


def test_every_group_has_its_turn(settings):
    settings.ARENA_CHILDREN = 1
    make_many(60, group="t:1", us=800_000)
    make_many(3, group="t:2", us=800_000)
    dispatch.fill()
    groups = Counter(MatchRun.objects.values_list("match__group", flat=True))
    assert groups["t:2"] >= 2
    assert groups["t:1"] >= 2


def test_a_group_of_slow_bots_gets_no_more_of_the_arenas_time_than_another(settings):
    settings.ARENA_CHILDREN = 2
    make_many(20, group="t:slow", us=3_000_000)
    make_many(60, group="t:quick", us=300_000)
    handed = Counter[str]()
    for _ in range(4):  # what was handed out stays in the arena
        dispatch.fill()
        handed = Counter(MatchRun.objects.values_list("match__group", flat=True))
        MatchRun.objects.filter(state=RunState.QUEUED).update(state=RunState.PLAYING)
        Match.objects.filter(state=MatchState.QUEUED).update(state=MatchState.PLAYING)
    slow, quick = handed["t:slow"] * 15, handed["t:quick"] * 1.5  # s
    assert abs(slow - quick) <= 15
    assert quick >= 45


def test_matches_of_a_version_that_lost_one_by_faults_come_later(settings):
    settings.ARENA_CHILDREN = 1
    bad, good = make_version(), make_version()
    versions = [bad, good, make_version()]
    for version in versions:
        pace.note(version.pk, 800_000)
    pace.flush()
    bad.slowed_at = timezone.now()
    bad.save()
    specs = [bot_match_spec(bad, versions[2], group="t:1") for _ in range(5)]
    specs += [bot_match_spec(good, versions[2], group="t:1") for _ in range(5)]
    slow = {match.code for match in bot_matches.create_many(specs=specs)[:5]}
    dispatch.fill()
    handed = [job.match in slow for message in arena_messages() for job in message.jobs]
    # The first five stand at the places 4, 8, 12 ... instead of 1, 2, 3 ..., the others at 6, 7, 8 ...
    assert handed == [True, False, False, True, False]


def test_two_dispatchers_hand_out_each_match_once(settings):
    from concurrent.futures import ThreadPoolExecutor

    from django.db import connection

    settings.ARENA_CHILDREN = 50
    make_many(30)

    def fill(_):
        try:
            return dispatch.fill()
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        handed = sum(threads.map(fill, range(8)))
    assert handed == 30
    assert sorted(job.match for message in arena_messages() for job in message.jobs) == sorted(
        Match.objects.values_list("code", flat=True)
    )


def test_a_message_that_was_lost_is_rung_again_when_the_queue_is_empty():
    make_bot_match()
    dispatch.fill()
    long_ago = timezone.now() - timedelta(seconds=61)
    MatchRun.objects.update(rung_at=long_ago)
    dispatch.fill()
    assert len(arena_messages()) == 1  # it still waits: nothing is lost

    doorbell.valkey().delete("arena:arena")
    dispatch.fill()
    ((job,),) = [message.jobs for message in arena_messages()]
    assert job.run_id == str(MatchRun.objects.get().run_id)
    dispatch.fill()
    assert len(arena_messages()) == 1


def test_a_message_that_is_missing_for_very_long_is_rung_again_in_any_case():
    make_bot_match()
    dispatch.fill()
    MatchRun.objects.update(rung_at=timezone.now() - timedelta(minutes=16))
    dispatch.fill()
    assert len(arena_messages()) == 2


def test_what_was_decided_is_not_lost_when_the_broker_is_away(monkeypatch):
    make_bot_match()
    monkeypatch.setattr(doorbell, "_producer", _broken_producer)
    with pytest.raises(Exception, match=r"refused|Connection|Error"):
        dispatch.fill()
    assert MatchRun.objects.get().state == RunState.QUEUED
    monkeypatch.undo()

    MatchRun.objects.update(rung_at=timezone.now() - timedelta(seconds=61))
    dispatch.fill()
    assert len(arena_messages()) == 1


def _broken_producer():
    from celery import Celery

    return Celery("nobody", broker="redis://127.0.0.1:1/0", fixups=[], set_as_current=False)


def test_the_pace_follows_what_was_seen():
    version = make_version()
    assert pace.read([version.pk]) == {}
    pace.note(version.pk, 1000)
    pace.flush()
    assert pace.read([version.pk]) == {version.pk: 1000}
    pace.note(version.pk, 2000)
    pace.flush()
    assert pace.read([version.pk]) == {version.pk: 1100}


def test_a_version_of_somebody_else_cannot_take_a_seat():
    one, two, three = make_version(), make_version(), make_version()
    good = bot_match_spec(one, two)
    with pytest.raises(BotsError) as refused:
        bot_matches.create_many(specs=[good, bot_matches.BotMatchSpec(good.match, (one, three))])
    assert refused.value.code == "match.versions"
    assert not Match.objects.exists()


def test_making_many_matches_takes_as_many_queries_as_few(django_assert_num_queries):
    versions = make_version(), make_version()
    for count in (2, 6):
        specs = [bot_match_spec(*versions) for _ in range(count)]
        with django_assert_num_queries(10):
            bot_matches.create_many(specs=specs)


def test_a_round_of_dispatch_takes_as_many_queries_for_many_matches(django_assert_num_queries, settings):
    settings.ARENA_CHILDREN = 100
    for count in (2, 6):
        make_many(count)
        with django_assert_num_queries(16):
            assert dispatch.fill() == count
        MatchRun.objects.update(state=RunState.STOPPED)
        Match.objects.update(state=MatchState.PLAYING)
