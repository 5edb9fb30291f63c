"""Many at once on real connections: nothing is counted twice, nothing is lost, the sums are right."""

import random

import pytest

from accounts.foundation import LockError
from league.models import RatedMatch, RatingCurrent, RatingEvent, RatingPeriod, RatingPool
from league.services.ratings import amendments, periods, rebuild
from league.services.ratings.periods import Outcome
from tests.factories import make_version
from tests.league.at_once import threads
from tests.league.playing import give_result
from tests.league.rated import plan, play_period, some_pairs

pytestmark = pytest.mark.django_db(transaction=True)
REASON = "The second account of a player."
N = 16


@pytest.fixture(autouse=True)
def _broker(clean_valkey):
    """Nothing of it is looked at: tasks that are woken wait there."""


def _assert_sums() -> None:
    """Each row is there once, what stands now is the sum of the changes, and a replay gives the same."""
    pool = RatingPool.objects.get()
    events = list(RatingEvent.objects.filter(revision=pool.current_revision).order_by("seq"))
    assert [event.seq for event in events] == list(range(1, pool.next_seq))
    assert len({(event.match, event.subject) for event in events}) == len(events)
    assert len(events) == 2 * RatedMatch.objects.filter(state="rated").count()
    assert not RatedMatch.objects.filter(state="pending", period__state="closed").exists()
    for current in RatingCurrent.objects.all():
        mine = [event for event in events if event.subject == current.subject]
        assert current.rating_m == 1_500_000 + sum(event.delta + event.floor for event in mine)
        assert current.n == len(mine)
    seqs = RatingPeriod.objects.filter(state="closed").order_by("seq").values_list("seq", flat=True)
    assert list(seqs) == list(range(1, pool.next_period))
    assert rebuild.check(pool=pool).is_identical


def test_sixteen_that_apply_the_same_period_apply_it_once():
    rng = random.Random(1)
    versions = [make_version() for _number in range(4)]
    with threads(N) as together:
        for number in range(12):
            period = play_period(some_pairs(versions, 4, rng), ref=str(number), rng=rng)
            found = together(lambda _index, pk=period.pk: periods.apply_period(period_id=pk))
            outcomes = [result.outcome for result in found]
            assert outcomes.count(Outcome.APPLIED) == 1
            assert outcomes.count(Outcome.CLOSED_BEFORE) == N - 1
            assert {result.seq for result in found} == {number + 1}
    _assert_sums()


def test_sixteen_periods_that_share_players_lose_nothing():
    rng = random.Random(2)
    versions = [make_version() for _number in range(4)]
    with threads(N) as together:
        for turn in range(4):
            made = [play_period(some_pairs(versions, 2, rng), ref=f"{turn}-{n}", rng=rng).pk for n in range(N)]
            found = together(lambda index, made=made: periods.apply_period(period_id=made[index]))
            assert {result.outcome for result in found} == {Outcome.APPLIED}
            assert {result.seq for result in found} == set(range(turn * N + 1, (turn + 1) * N + 1))
    _assert_sums()


def test_sweeps_amendments_and_new_matches_at_once_end_in_a_sound_ledger():
    rng = random.Random(3)
    versions = [make_version() for _number in range(4)]
    for number in range(6):
        play_period(some_pairs(versions, 4, rng), ref=f"old-{number}", rng=rng)
    periods.sweep()
    victims = [rated.match for rated in RatedMatch.objects.filter(state="rated").order_by("pk")[:4]]

    def act(index: int) -> str:
        own = random.Random(index)
        try:
            match index % 4:
                case 0:
                    amendments.annul(matches=[victims[index // 4]], actor=None, reason=REASON)
                case 1:  # all of them add to the same period, or to the next when it is closed
                    for match in plan(some_pairs(versions, 2, own), ref="shared"):
                        give_result(match, own.choice([0, 1, None]))
                case 2:
                    play_period(some_pairs(versions, 2, own), ref=f"new-{index}", rng=own)
                case 3:
                    periods.sweep()
        except LockError:
            return "busy"
        return "done"

    with threads(N) as together:
        assert set(together(act)) <= {"done", "busy"}
    periods.sweep()
    assert not RatedMatch.objects.filter(state="pending").exists()
    _assert_sums()


def test_two_amendments_of_one_match_at_once_are_both_kept_and_the_last_counts():
    versions = [make_version() for _number in range(3)]
    (match,) = plan([(versions[0], versions[1])], ref="x")
    give_result(match, 0)
    periods.sweep()

    def act(index: int) -> None:
        if index:
            amendments.overturn(match=match, winner_side=1, actor=None, reason=REASON)
        else:
            amendments.annul(matches=[match], actor=None, reason=REASON)

    with threads(2) as together:
        together(act)
    last = match.amendments.order_by("-pk").first()
    assert match.amendments.count() == 2
    assert RatedMatch.objects.get().state == ("rated" if last.kind == "overturn" else "unrated")
    assert RatingPool.objects.get().current_revision == 3
    _assert_sums_of_last(last.kind)


def _assert_sums_of_last(kind: str) -> None:
    pool = RatingPool.objects.get()
    rows = RatingEvent.objects.filter(revision=pool.current_revision)
    assert rows.count() == (2 if kind == "overturn" else 0)
    assert rebuild.check(pool=pool).is_identical
