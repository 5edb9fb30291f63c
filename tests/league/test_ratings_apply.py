"""A period is applied once: what counts, what does not and why, and what a rebuild makes of it."""

import random
from datetime import timedelta
from itertools import pairwise

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone, translation

from accounts.foundation import lock_one
from games.models import Match
from games.services import matches as match_verbs
from league.errors import LeagueError
from league.models import (
    HeadToHead,
    MatchAmendment,
    PeriodKind,
    RatedMatch,
    RatedState,
    RatingCurrent,
    RatingEvent,
    RatingPeriod,
    RatingPool,
    UnratedReason,
)
from league.rating import BELLA
from league.selectors import ratings
from league.services.ratings import amendments, periods, planning, rebuild
from league.services.ratings.periods import ApplyResult, Outcome
from tests.factories import make_bot_match, make_user, make_version
from tests.league.playing import everything, give_result, refused
from tests.league.rated import move_back, plan, play_period, some_pairs

pytestmark = pytest.mark.django_db
REASON = "The second account of a player."


@pytest.fixture
def versions(db):
    return [make_version() for _number in range(5)]


def _pool() -> RatingPool:
    return RatingPool.objects.get(code="bot-1v1")


def _assert_rebuilt() -> None:
    """Live rows, head and caches are what a replay gives, byte for byte; and so is a new revision written from it."""
    pool = _pool()
    found = rebuild.check(pool=pool)
    assert (found.problem, found.last_hash, found.rows) == ("", pool.last_hash, pool.next_seq - 1)
    columns = [
        field.attname for field in RatingEvent._meta.fields if field.name not in ("id", "revision", "created_at")
    ]
    live = list(RatingEvent.objects.filter(revision=pool.current_revision).order_by("seq").values_list(*columns))
    current = list(
        RatingCurrent.objects.order_by("subject").values_list("subject", "rating_m", "n", "peak_m", "last_seq")
    )
    met = list(HeadToHead.objects.order_by("a", "b").values_list("a", "b", "won_a", "won_b", "drawn"))
    with transaction.atomic():
        written = rebuild.write_revision(pool=lock_one(RatingPool.objects.filter(pk=pool.pk)))
    assert written.last_hash == pool.last_hash
    assert list(
        RatingEvent.objects.filter(revision=written.current_revision).order_by("seq").values_list(*columns)
    ) == live  # fmt: skip
    assert list(
        RatingCurrent.objects.order_by("subject").values_list("subject", "rating_m", "n", "peak_m", "last_seq")
    ) == current  # fmt: skip
    assert list(HeadToHead.objects.order_by("a", "b").values_list("a", "b", "won_a", "won_b", "drawn")) == met


# ---- once


def test_a_period_waits_for_its_last_match_and_is_applied_once(versions):
    first, second = plan([(versions[0], versions[1]), (versions[1], versions[2])], ref="x")
    period = RatingPeriod.objects.get()
    give_result(first, 0)
    before = everything()
    assert periods.apply_period(period_id=period.pk) == ApplyResult(Outcome.NOT_YET)
    assert periods.sweep() == 0
    assert everything() == before
    give_result(second, None)
    assert periods.apply_period(period_id=period.pk) == ApplyResult(Outcome.APPLIED, 1, 4)
    before = everything()
    assert periods.apply_period(period_id=period.pk) == ApplyResult(Outcome.CLOSED_BEFORE, 1, 0)
    assert periods.sweep() == 0
    assert everything() == before
    current = {row.version_id: (row.rating_m, row.n) for row in RatingCurrent.objects.all()}
    assert current == {
        versions[0].pk: (1_516_000, 1), versions[1].pk: (1_484_000, 2), versions[2].pk: (1_500_000, 1),
    }  # fmt: skip


def test_the_order_in_which_matches_end_changes_no_byte(versions):
    pairs = some_pairs(versions, 12, random.Random(3))
    rows = []
    for backwards in (False, True):
        with transaction.atomic():
            mark = transaction.savepoint()
            matches = plan(pairs, ref="x")
            codes = sorted(f"AAAA{number:04}" for number in range(len(matches)))
            for match, code in zip(matches, codes, strict=True):
                Match.objects.filter(pk=match.pk).update(code=code)
            for number in sorted(range(len(matches)), reverse=backwards):
                give_result(matches[number], (0, 1, None)[number % 3])
            assert periods.sweep() == 1
            rows.append(list(RatingEvent.objects.order_by("seq").values_list("match", "subject", "after", "hash")))
            transaction.savepoint_rollback(mark)
    assert rows[0] == rows[1]
    assert len(rows[0]) == 24


@pytest.mark.parametrize(
    ("end", "reason"),
    [("forfeit", "forfeit"), ("absent", "forfeit"), ("ruled", "ruled"), ("void", "void")],
)
def test_what_was_not_decided_at_the_table_does_not_count(versions, end, reason):
    one, other = plan([(versions[0], versions[1])] * 2, ref="x")
    give_result(other, 1)
    if end == "void":
        match_verbs.void(match=one, reason="infrastructure")
    else:
        match_verbs.start(match=one)
        match_verbs.finish(match=one, winner_side=0, termination=end)
    assert periods.sweep() == 1
    assert (RatedMatch.objects.get(match=one).state, RatedMatch.objects.get(match=one).reason) == ("unrated", reason)
    assert set(RatingEvent.objects.values_list("match", flat=True)) == {other.code}
    _assert_rebuilt()


@pytest.mark.parametrize("end", ["normal", "fault", "resign"])
def test_faults_and_resigning_are_rated_losses(versions, end):
    (match,) = plan([(versions[0], versions[1])], ref="x")
    match_verbs.start(match=match)
    match_verbs.finish(match=match, winner_side=1, termination=end)
    assert periods.sweep() == 1
    assert RatedMatch.objects.get().state == "rated"


def test_a_period_of_void_matches_alone_is_closed_without_rows(versions):
    (match,) = plan([(versions[0], versions[1])], ref="x")
    match_verbs.void(match=match, reason="infrastructure")
    assert periods.apply_period(period_id=RatingPeriod.objects.get().pk) == ApplyResult(Outcome.APPLIED, 1, 0)
    _assert_rebuilt()


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ("friendly", "friendly"), ("single", "single_deal"), ("seven deals to win", "rules"), ("deals", "rules"),
        ("owner", "same_owner"), ("versions", "same_owner"), ("house", ""), ("plain", ""),
    ],
)  # fmt: skip
def test_whether_a_match_counts_is_decided_when_it_is_made(case, reason):
    one, other = make_version(), make_version()
    rules = {
        "single": "n=2 format=first_to:1", "seven deals to win": "n=2 format=first_to:5", "deals": "n=2 format=deals:4",
    }.get(case, "n=2")  # fmt: skip
    if case in ("owner", "house"):
        other.bot.owner = one.bot.owner
        other.bot.save()
    if case == "house":
        for version in (one, other):
            version.bot.is_house = True
            version.bot.save()
    mode = "league"
    if case == "versions":
        player = one.bot.player
        other = make_version(owner=one.bot.owner)
        type(other).objects.filter(pk=other.pk).update(bot=one.bot, number=2)
        other.refresh_from_db()
        assert other.bot.player == player
        mode = "test"
    match = make_bot_match([one, other], rules=rules, mode=mode)
    planning.plan(matches={"x": [match]}, kind=PeriodKind.BATCH, league=None, rated=case != "friendly")
    row = RatedMatch.objects.get(match=match)
    assert (row.state, row.reason) == ("unrated" if reason else "pending", reason)
    assert RatingPeriod.objects.exists() == (not reason)


@pytest.mark.parametrize("reason", UnratedReason.values)
def test_each_reason_reads_well_in_both_languages(versions, reason):
    match = make_bot_match(versions[:2])
    RatedMatch.objects.create(match=match, state=RatedState.UNRATED, reason=reason)
    said = {}
    for language in ("en", "it"):
        with translation.override(language):
            found = ratings.receipt(match)
            assert (found.state, found.reason, found.rows) == ("unrated", reason, ())
            said[language] = found.reason_text
    assert said["en"] != said["it"]
    assert all(text and "_" not in text for text in said.values())


# ---- the receipt


def test_receipts_add_up_for_every_row_of_a_long_block(versions, django_assert_max_num_queries):
    matches = plan([(versions[0], versions[1]), (versions[1], versions[0])] * 5 + [(versions[0], versions[2])], ref="x")
    for number, match in enumerate(matches):
        give_result(match, number % 3 and number % 2)
    periods.sweep()
    rows = []
    for match in matches:
        with django_assert_max_num_queries(4):
            found = ratings.receipt(match)
        assert (found.state, found.pool, found.period) == ("rated", "bot-1v1", 1)
        rows += found.rows
    assert len(rows) == 22
    assert [row for row in rows if row.before + row.delta + row.floor != row.after] == []
    assert {row.base for row in rows} == {1_500_000} == {row.opponent_before for row in rows}
    of_first = sorted((row for row in rows if row.subject == f"v:{versions[0].pk}"), key=lambda row: row.seq)
    for earlier, later in pairwise(of_first):
        assert later.before == earlier.after
    assert of_first[-1].after == RatingCurrent.objects.get(version=versions[0]).rating_m
    assert {row.k for row in of_first} == {200 // 11}


def test_the_floor_is_in_the_receipt(versions):
    plan([(versions[0], versions[1])], ref="x")
    RatingCurrent.objects.create(
        pool=_pool(), subject=f"v:{versions[1].pk}", version=versions[1], rating_m=BELLA.floor, n=0
    )
    give_result(Match.objects.get(), 0)
    periods.sweep()
    row = next(row for row in ratings.receipt(Match.objects.get()).rows if row.subject == f"v:{versions[1].pk}")
    assert (row.before, row.after) == (BELLA.floor, BELLA.floor)
    assert row.floor == -row.delta > 0


def test_without_a_row_there_is_no_receipt(versions):
    assert ratings.receipt(make_bot_match(versions[:2], mode="test")) is None


# ---- versions, pauses, ranking


def test_a_new_version_starts_at_the_rating_of_the_one_before(versions):
    for match in plan([(versions[0], versions[1])] * 3, ref="x"):
        give_result(match, 0)
    periods.sweep()
    parent = RatingCurrent.objects.get(version=versions[0]).rating_m
    child = make_version(owner=versions[0].bot.owner)
    type(child).objects.filter(pk=child.pk).update(bot=versions[0].bot, number=2)
    child.refresh_from_db()
    shown = ratings.shown_of_versions([versions[0], child], league=None)
    assert {shown[child.pk]["rating"], shown[versions[0].pk]["rating"]} == {ratings.whole(parent)}
    assert (shown[child.pk]["n"], shown[versions[0].pk]["n"]) == (0, 3)
    (match,) = plan([(child, versions[2])], ref="y")
    give_result(match, 1)
    periods.sweep()
    event = RatingEvent.objects.get(match=match.code, subject=f"v:{child.pk}")
    assert (event.before, event.n, event.k) == (parent, 0, 32)
    assert RatingCurrent.objects.get(version=versions[0]).rating_m == parent
    _assert_rebuilt()


def test_after_a_pause_of_more_than_ninety_days_k_is_large_again(versions):
    pairs = [(versions[0], versions[1]), (versions[1], versions[0])] * 15
    for match in plan(pairs, ref="x"):
        give_result(match, 0)
    move_back(RatingPeriod.objects.get(), days=91)
    periods.sweep()
    assert RatingCurrent.objects.get(version=versions[0]).n == 30
    (match,) = plan([(versions[0], versions[1])], ref="y")
    give_result(match, 0)
    periods.sweep()
    assert set(RatingEvent.objects.filter(match=match.code).values_list("n", "k")) == {(20, 16)}
    assert RatingCurrent.objects.get(version=versions[0]).n == 21
    _assert_rebuilt()


def test_who_was_not_rated_for_half_a_year_leaves_the_ranking(versions):
    pool = RatingPool.objects.create(code="bot-1v1", population="bot")
    today = timezone.now().date()
    for version, days in zip(versions, (0, 180, 181, 10, 10), strict=True):
        RatingCurrent.objects.create(
            pool=pool, subject=f"v:{version.pk}", version=version, n=20, rating_m=1_500_000 + version.pk,
            last_day=today - timedelta(days=days),
        )  # fmt: skip
    RatingCurrent.objects.filter(version=versions[4]).update(n=19)
    assert {row.version for row in ratings.ranking("bot-1v1")} == {versions[0], versions[1], versions[3]}
    assert [row.version for row in ratings.ranking("bot-1v1", provisional=True)] == [versions[4]]


# ---- head to head


def test_head_to_head_is_what_a_recount_gives(versions):
    rng = random.Random(5)
    for number in range(4):
        play_period(some_pairs(versions, 9, rng), ref=str(number), rng=rng)
    periods.sweep()
    counted: dict[tuple[int, int], list[int]] = {}
    for rated in RatedMatch.objects.filter(state="rated").select_related("match"):
        first, second = rated.match.seats.order_by("index").values_list("player_id", flat=True)
        winner = rated.match.winner_side
        who = None if winner is None else (first, second)[winner]
        pair = min(first, second), max(first, second)
        counted.setdefault(pair, [0, 0, 0])[2 if who is None else pair.index(who)] += 1
    stored = {(row.a_id, row.b_id): [row.won_a, row.won_b, row.drawn] for row in HeadToHead.objects.all()}
    assert stored == counted
    assert len(counted) > 5


# ---- senseless input


def test_a_senseless_result_is_logged_and_the_other_periods_go_on(versions):
    bad = make_bot_match([versions[0], versions[0]], mode="test")
    pool = RatingPool.objects.create(code="bot-1v1", population="bot")
    period = RatingPeriod.objects.create(pool=pool, kind="batch", ref="bad")
    RatedMatch.objects.create(match=bad, pool=pool, period=period)
    give_result(bad, 0)
    (good,) = plan([(versions[0], versions[1])], ref="good")
    give_result(good, 0)
    assert periods.sweep() == 1
    period.refresh_from_db()
    assert (period.state, period.seq) == ("open", None)
    assert RatedMatch.objects.get(match=bad).state == "pending"
    assert RatingPeriod.objects.get(ref="good").seq == 1
    _assert_rebuilt()


# ---- queries


def test_applying_takes_the_same_queries_for_few_matches_and_for_many(versions):
    rng = random.Random(1)
    counts = []
    for size in (2, 4, 40):
        for match in plan(some_pairs(versions, size, rng), ref=str(size)):
            give_result(match, 0)
        period = RatingPeriod.objects.get(ref=str(size))
        with CaptureQueriesContext(connection) as captured:
            periods.apply_period(period_id=period.pk)
        counts.append(len(captured))
    assert counts[1] == counts[2]
    assert counts[2] <= 22


# ---- amendments


def _result(match: Match) -> set[tuple[int, str]]:
    events = RatingEvent.objects.filter(match=match.code, revision=_pool().current_revision)
    return set(events.values_list("score", "reason"))


def test_amendments_supersede_each_other_and_old_revisions_stay(versions):
    (match,) = plan([(versions[0], versions[1])], ref="x")
    (other,) = plan([(versions[1], versions[2])], ref="y")
    for one in (match, other):
        give_result(one, 0)
    periods.sweep()
    old = list(RatingEvent.objects.order_by("seq").values())
    staff = make_user(is_staff=True)
    with refused("amendment_no_change"):
        amendments.overturn(match=match, winner_side=0, actor=staff, reason=REASON)
    made = amendments.overturn(match=match, winner_side=1, actor=staff, reason=REASON)
    assert _result(match) == {(0, "overturn"), (1_000_000, "overturn")}
    assert RatingEvent.objects.get(revision=2, match=match.code, subject=f"v:{versions[0].pk}").score == 0
    # What changed: the two of the match, and through their new ratings the one who met them later.
    changed = {row["subject"]: (row["before"], row["after"]) for row in made.changes}
    assert changed[f"v:{versions[0].pk}"] == (1_516_000, 1_484_000)
    assert set(changed) == {f"v:{version.pk}" for version in versions[:3]}
    amendments.annul(matches=[match], actor=staff, reason=REASON)
    assert (_result(match), RatedMatch.objects.get(match=match).reason) == (set(), "annulled")
    with refused("amendment_no_change"):
        amendments.annul(matches=[match], actor=staff, reason=REASON)
    amendments.overturn(match=match, winner_side=None, actor=staff, reason=REASON)
    assert _result(match) == {(500_000, "overturn")}
    assert RatedMatch.objects.get(match=match).state == "rated"
    assert _pool().current_revision == 4
    assert list(RatingEvent.objects.filter(revision=1).order_by("seq").values()) == old
    assert MatchAmendment.objects.filter(match=match, actor=staff, reason=REASON).count() == 3
    _assert_rebuilt()


def test_an_amendment_before_the_period_is_applied_needs_no_new_revision(versions):
    match, other = plan([(versions[0], versions[1]), (versions[0], versions[2])], ref="x")
    give_result(match, 0)
    amendments.annul(matches=[match], actor=None, reason=REASON)
    amendments.overturn(match=match, winner_side=1, actor=None, reason=REASON)
    assert RatedMatch.objects.get(match=match).state == "pending"
    give_result(other, 0)
    periods.sweep()
    assert _pool().current_revision == 1
    assert _result(match) == {(0, "overturn"), (1_000_000, "overturn")}
    _assert_rebuilt()


def test_what_cannot_be_amended(versions):
    (match,) = plan([(versions[0], versions[1])], ref="x")
    with refused("match_not_finished"):
        amendments.annul(matches=[match], actor=None, reason=REASON)
    give_result(match, 0)
    with refused("bad_outcome", status=422):
        amendments.overturn(match=match, winner_side=2, actor=None, reason=REASON)


def test_a_match_that_never_counted_keeps_its_own_reason(versions):
    match = make_bot_match(versions[:2])
    planning.plan(matches={"x": [match]}, kind=PeriodKind.BATCH, league=None, rated=False)
    give_result(match, 0)
    amendments.annul(matches=[match], actor=None, reason=REASON)
    assert RatedMatch.objects.get().reason == "friendly"


# ---- random histories


@pytest.mark.parametrize("seed", range(3))
def test_a_rebuild_of_a_random_history_is_the_live_ledger_byte_for_byte(versions, seed):
    rng = random.Random(seed)
    days = sorted((rng.choice([0, 3, 100, 200]) for _number in range(8)), reverse=True)
    for number, back in enumerate(days):
        if rng.random() < 0.4:
            parent = rng.choice(versions)
            child = make_version(owner=parent.bot.owner)
            number_of = parent.bot.versions.count() + 1
            type(child).objects.filter(pk=child.pk).update(bot=parent.bot, number=number_of)
            child.refresh_from_db()
            versions = [one for one in versions if one.bot_id != parent.bot_id] + [child]
        period = play_period(some_pairs(versions, rng.randrange(1, 30), rng), ref=str(number), rng=rng)
        move_back(period, days=back)
        if rng.random() < 0.8:
            periods.sweep()
        if rng.random() < 0.7:
            _amend(rng)
    periods.sweep()
    assert _pool().current_revision > 1
    _assert_rebuilt()


def _amend(rng: random.Random) -> None:
    match = rng.choice(list(Match.objects.filter(state="finished").order_by("pk")))
    before = everything()
    try:
        if rng.random() < 0.4:
            amendments.annul(matches=[match], actor=None, reason=REASON)
        else:
            amendments.overturn(match=match, winner_side=rng.choice([0, 1, None]), actor=None, reason=REASON)
    except LeagueError as error:
        if error.code != "amendment_no_change" or everything() != before:
            raise
