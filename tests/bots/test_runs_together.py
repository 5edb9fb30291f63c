"""Reports that arrive at the same moment, over real connections: nothing is counted twice, nothing is lost."""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection
from django.db.models import Count

from bots.models import MatchRun, RunState
from bots.services import dispatch
from bots.services import matches as bot_matches
from bots.services.runs import Answer, Verdict, receive_many
from bots.services.runs.work import work_of
from games.models import Deal, Match, MatchState
from tests.bots.honest_worker import Worker
from tests.factories import bot_match_spec, make_version

PAIRS = 1000
RULES = "n=2 format=deals:1"

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("clean_valkey", "many_children"),
    pytest.mark.slow,
]


@pytest.fixture
def many_children(settings):
    settings.ARENA_CHILDREN = 1000


def played(count: int) -> list[list[str]]:
    """The three reports of each of `count` matches between the same two bots, all handed out and none reported."""
    versions = make_version(), make_version()
    made = bot_matches.create_many(specs=[bot_match_spec(*versions, rules=RULES) for _ in range(count)])
    while Match.objects.filter(state=MatchState.PLANNED).exists():
        dispatch.fill()
    works = work_of(made)
    jobs = [works[run.match_id].job(run) for run in MatchRun.objects.order_by("match_id")]
    return [[json.dumps(report.to_dict()) for report in Worker(job=job).play()] for job in jobs]


def at_once(left: Sequence[list[str]], right: Sequence[list[str]]) -> list[tuple[list[Answer], list[Answer]]]:
    """Give each pair of batches from two threads that wait for each other before every pair."""
    barrier = Barrier(2, timeout=60)

    def give(batches: Sequence[list[str]]) -> list[list[Answer]]:
        try:
            answers = []
            for batch in batches:
                barrier.wait()
                answers.append(receive_many(batch))
            return answers
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as threads:
        futures = [threads.submit(give, batches) for batches in (left, right)]
        first, second = (future.result() for future in futures)
    return list(zip(first, second, strict=True))


def test_a_thousand_reports_given_twice_at_the_same_moment_count_once():
    matches = played(-(-PAIRS // 3))
    reports = [[report] for match in matches for report in match]
    assert len(reports) >= PAIRS

    for first, second in at_once(reports, reports):
        assert first == second
        assert first[0].verdict is Verdict.ACCEPTED

    assert Deal.objects.count() == len(matches)
    assert Match.objects.filter(state=MatchState.FINISHED).count() == len(matches)
    assert set(MatchRun.objects.values_list("state", "next_seq")) == {(RunState.DONE, 3)}


def test_a_thousand_pairs_of_matches_of_one_bot_that_end_together_lose_nothing():
    matches = played(2 * PAIRS)

    for first, second in at_once(matches[::2], matches[1::2]):
        assert {answer.verdict for answer in (*first, *second)} == {Verdict.ACCEPTED}

    assert Match.objects.filter(state=MatchState.FINISHED).count() == 2 * PAIRS
    assert Match.objects.aggregate(orders=Count("finish_seq", distinct=True))["orders"] == 2 * PAIRS
    assert not Match.objects.annotate(stored=Count("deals")).exclude(stored=1).exists()
    assert set(MatchRun.objects.values_list("state", "next_seq")) == {(RunState.DONE, 3)}
