"""league.rating.ledger and periods: golden chains, and what a rebuild relies on."""

import json
from dataclasses import replace
from datetime import date, timedelta
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.rating import (
    BELLA,
    START_HASH,
    Period,
    PeriodKind,
    PeriodMatch,
    PeriodSubject,
    Population,
    RatingInputError,
    RatingState,
    canonical_row,
    compute_period,
    differences,
    first_broken,
    replay,
    subject_key,
)

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "ratings.json").read_text())
DAY = date(2026, 3, 1)
PPM = 1_000_000


def described(subjects, population=Population.BOT):
    return tuple(PeriodSubject(subject=subject, population=population) for subject in subjects)


def match(code, a, b, score=PPM):
    side = [(name,) if isinstance(name, str) else tuple(name) for name in (a, b)]
    return PeriodMatch(code=code, sides=(side[0], side[1]), scores=(score, PPM - score))


def period(*matches, seq=1, kind=PeriodKind.ROUND, day=DAY, population=Population.BOT, subjects=None):
    names = sorted({subject for each in matches for side in each.sides for subject in side})
    return Period(
        seq=seq, kind=kind, day=day, matches=matches, subjects=subjects or described(names, population)
    )  # fmt: skip


def golden_row(row):
    return {field: value for field, value in row._asdict().items() if field != "prev_hash"} | {"v": 1}


def by_json(row):
    fields = {field: value for field, value in row._asdict().items() if field not in ("prev_hash", "hash")}
    return json.dumps(fields | {"v": 1}, sort_keys=True, separators=(",", ":"))


@st.composite
def histories(draw, most=4):
    """A few periods of random matches between six subjects, with pauses, an anchor and a reset here and there."""
    day = DAY
    periods = []
    code = 0
    for seq in range(1, draw(st.integers(1, most)) + 1):
        day += timedelta(days=draw(st.sampled_from((0, 1, 90, 91, 200))))
        kind = draw(st.sampled_from((PeriodKind.ROUND, PeriodKind.ROUND, PeriodKind.ANCHOR, PeriodKind.RESET)))
        if kind in (PeriodKind.ANCHOR, PeriodKind.RESET) and periods:
            anchor = periods[0].matches[0].sides[0][0]
            periods.append(Period(seq=seq, kind=kind, day=day, anchor=anchor))
            continue
        matches = []
        for _ in range(draw(st.integers(1, 30))):
            a, b = draw(st.sampled_from([(a, b) for a in range(1, 7) for b in range(1, 7) if a != b]))
            matches.append(match(f"M{code:05d}", f"v:{a}", f"v:{b}", draw(st.sampled_from((0, PPM // 2, PPM)))))
            code += 1
        periods.append(period(*matches, seq=seq, day=day))
    return periods


@pytest.mark.parametrize("case", GOLDEN["bella_elo_period"]["cases"])
def test_a_period_gives_the_rows_and_hashes_of_the_reference(case):
    matches = [match(code, a, b, score) for code, a, b, score in case["matches"]]
    result = compute_period(
        period(*matches, seq=case["period"], population=Population(case["population"])),
        pool=case["pool"],
        states={subject: RatingState(rating_m=rating, n=n) for subject, (rating, n) in case["before"].items()},
        last_seq=case["seq_before"],
        last_hash=case["prev_hash"],
    )
    assert (result.last_seq, result.last_hash) == (case["seq_after"], case["hash_after"])
    assert golden_row(result.rows[0]) == case["first_row"]
    assert golden_row(result.rows[-1]) == case["last_row"]
    after = {subject: [state.rating_m, state.n] for subject, state in result.states.items()}
    assert {**case["before"], **after} == case["after"]


def test_a_chain_of_single_matches_gives_the_rows_and_hashes_of_the_reference():
    group = GOLDEN["ledger_chain"]
    periods = [
        period(match(*case["match"]), seq=number, kind=PeriodKind.MATCH, population=Population.HUMAN)
        for number, case in enumerate(group["cases"], start=1)
    ]
    results = list(replay(periods, pool=group["pool"], last_hash=group["start_hash"]))
    for result, case in zip(results, group["cases"], strict=True):
        assert [golden_row(row) for row in result.rows] == case["rows"]
    assert group["start_hash"] == START_HASH


@given(histories())
def test_the_format_string_writes_what_json_would_and_the_hash_covers_it(periods):
    previous = START_HASH
    for result in replay(periods, pool="cup-2026:bot-1v1"):
        for row in result.rows:
            assert canonical_row(row) == by_json(row)
            assert row.prev_hash == previous
            assert row.hash == sha256((previous + by_json(row)).encode()).hexdigest()
            previous = row.hash


@given(histories(), st.randoms(use_true_random=False))
def test_shuffling_the_matches_of_a_period_changes_no_byte(periods, dice):
    shuffled = []
    for each in periods:
        matches, subjects = list(each.matches), list(each.subjects)
        dice.shuffle(matches)
        dice.shuffle(subjects)
        shuffled.append(replace(each, matches=tuple(matches), subjects=tuple(subjects)))
    assert list(replay(shuffled, pool="bot-1v1")) == list(replay(periods, pool="bot-1v1"))


@given(histories())
def test_rows_add_up_and_stay_above_the_floor(periods):
    states = {}
    for each, result in zip(periods, replay(periods, pool="bot-1v1"), strict=True):
        running = {}
        games = {}
        for row in result.rows:
            before = states[row.subject].rating_m if row.subject in states else BELLA.start
            assert row.before == before
            assert row.after == running.get(row.subject, before) + row.delta + row.floor
            running[row.subject] = row.after
            games[row.subject] = games.get(row.subject, 0) + 1
        for subject, state in result.states.items():
            assert state.rating_m == running[subject] >= BELLA.floor
            if each.matches:
                before = states.get(subject, RatingState(rating_m=BELLA.start))
                pause = before.last_day is not None and (each.day - before.last_day).days > 90
                assert state.n == (min(before.n, 20) if pause else before.n) + games[subject]
                assert state.last_day == each.day
            assert state.peak_m is None or state.peak_m >= state.rating_m
            assert (state.peak_m is None) == (state.n < 20)
        states.update(result.states)


@given(histories(), st.data())
def test_a_replay_from_the_middle_goes_on_with_the_same_rows(periods, data):
    whole = list(replay(periods, pool="bot-1v1"))
    cut = data.draw(st.integers(0, len(periods)))
    states = {}
    for result in whole[:cut]:
        states.update(result.states)
    seq, chain = (whole[cut - 1].last_seq, whole[cut - 1].last_hash) if cut else (0, START_HASH)
    assert list(replay(periods[cut:], pool="bot-1v1", states=states, last_seq=seq, last_hash=chain)) == whole[cut:]


@given(histories(most=1), histories(most=1))
def test_two_periods_without_common_subjects_may_be_taken_in_either_order(first, second):
    moved = [
        replace(
            each,
            matches=tuple(
                replace(one, sides=tuple((f"v:1{side[0][2:]}",) for side in one.sides)) for one in each.matches
            ),
            subjects=described(f"v:1{subject.subject[2:]}" for subject in each.subjects),
        )
        for each in second
    ]
    ratings = []
    for order in ([*first, *moved], [*moved, *first]):
        states = {}
        for result in replay(order, pool="bot-1v1"):
            states.update(result.states)
        ratings.append({subject: state._replace(last_seq=0) for subject, state in states.items()})
    assert ratings[0] == ratings[1]


@given(histories(), st.data())
def test_one_changed_digit_anywhere_breaks_the_chain_at_that_row(periods, data):
    rows = [row for result in replay(periods, pool="bot-1v1") for row in result.rows]
    assert first_broken(rows) is None
    index = data.draw(st.integers(0, len(rows) - 1))
    row = rows[index]
    field = data.draw(st.sampled_from([name for name in row._fields if isinstance(getattr(row, name), int)]))
    forged = row._replace(**{field: getattr(row, field) + 1})
    assert first_broken([*rows[:index], forged, *rows[index + 1 :]]) == forged
    assert [(each.field, each.stored, each.computed) for each in differences(stored=forged, computed=row)] == [
        (field, str(getattr(row, field) + 1), str(getattr(row, field)))
    ]


def test_a_chain_with_a_row_missing_or_a_quote_in_it_is_broken():
    rows = compute_period(period(match("A", "v:1", "v:2"), match("B", "v:1", "v:3")), pool="x", states={}).rows
    assert first_broken(rows[1:]) == rows[1]
    quoted = rows[2]._replace(reason='rated"')
    assert first_broken([rows[0], rows[1], quoted]) == quoted


def test_k_is_shared_out_when_a_bot_plays_many_matches_in_one_period():
    block = [match(f"{number:03d}", "v:1", "v:2", PPM * (number % 2)) for number in range(100)]
    result = compute_period(period(*block), pool="bot-1v1", states={})
    assert {row.k for row in result.rows} == {2}
    assert {row.before for row in result.rows} == {1_500_000}
    assert [row.n for row in result.rows if row.subject == "v:1"] == list(range(100))
    assert result.states["v:1"] == RatingState(1_500_000, 100, 1_500_000, 199, DAY)


def test_a_human_keeps_the_cap_of_seven_hundred():
    games = [match(f"{number:03d}", "p:1", f"p:{number + 2}") for number in range(20)]
    rows = compute_period(period(*games, population=Population.HUMAN), pool="human-1v1", states={}).rows
    assert {row.k for row in rows if row.subject == "p:1"} == {35}
    assert {row.k for row in rows if row.subject != "p:1"} == {40}


def test_the_floor_is_added_to_the_last_row_of_the_period_only():
    games = [match(f"{number}", "v:1", "v:2", 0) for number in range(3)]
    low = {subject: RatingState(rating_m=400_000, n=0) for subject in ("v:1", "v:2")}
    result = compute_period(period(*games), pool="bot-1v1", states=low)
    rows = [row for row in result.rows if row.subject == "v:1"]
    assert [(row.delta, row.floor, row.after) for row in rows] == [
        (-16_000, 0, 384_000),
        (-16_000, 0, 368_000),
        (-16_000, 48_000, 400_000),
    ]
    assert result.states["v:1"].rating_m == 400_000


def test_a_new_version_starts_at_its_parents_rating_before_the_period():
    states = {"v:1": RatingState(rating_m=1_612_345, n=70, peak_m=1_640_000, last_seq=9, last_day=DAY)}
    subjects = (
        PeriodSubject(subject="v:1", population=Population.BOT),
        PeriodSubject(subject="v:3", population=Population.BOT, ancestors=("v:2", "v:1")),
        PeriodSubject(subject="v:4", population=Population.BOT, ancestors=("v:2",)),
    )
    played = period(match("A", "v:1", "v:4"), match("B", "v:3", "v:4"), subjects=subjects)
    rows = compute_period(played, pool="bot-1v1", states=states).rows
    assert [(row.subject, row.before, row.n) for row in rows] == [
        ("v:1", 1_612_345, 70),
        ("v:4", 1_500_000, 0),
        ("v:3", 1_612_345, 0),
        ("v:4", 1_500_000, 1),
    ]


@pytest.mark.parametrize(("pause", "k", "n"), [(90, 8, 100), (91, 16, 20)])
def test_after_more_than_ninety_days_k_restarts_for_good(pause, k, n):
    states = {name: RatingState(rating_m=1_500_000, n=100, peak_m=1_500_000, last_day=DAY) for name in ("v:1", "v:2")}
    result = compute_period(
        period(match("A", "v:1", "v:2"), day=DAY + timedelta(days=pause)), pool="bot-1v1", states=states
    )
    assert [(row.k, row.n) for row in result.rows] == [(k, n), (k, n)]
    assert result.states["v:1"].n == n + 1


def test_a_late_period_does_not_turn_back_the_day_of_the_last_match():
    states = {"v:1": RatingState(rating_m=1_500_000, n=1, last_seq=2, last_day=DAY)}
    earlier = period(match("A", "v:1", "v:2"), day=DAY - timedelta(days=3))
    result = compute_period(earlier, pool="bot-1v1", states=states)
    assert (result.states["v:1"].last_day, result.states["v:2"].last_day) == (DAY, DAY - timedelta(days=3))


def test_a_peak_counts_from_the_twentieth_match_on():
    states = {"v:1": RatingState(rating_m=1_900_000, n=18), "v:2": RatingState(rating_m=1_500_000, n=19)}
    after = compute_period(period(match("A", "v:1", "v:2", 0)), pool="bot-1v1", states=states).states
    assert after["v:1"].peak_m is None
    assert after["v:2"].peak_m == after["v:2"].rating_m > 1_500_000


def test_partners_move_by_their_own_k_on_the_surprise_of_their_side():
    states = {
        "p:1": RatingState(rating_m=1_600_000, n=0),
        "p:2": RatingState(rating_m=1_500_001, n=60),
        "p:3": RatingState(rating_m=1_500_000, n=0),
        "p:4": RatingState(rating_m=1_500_000, n=20),
    }
    game = match("A", ("p:2", "p:1"), ("p:4", "p:3"))
    rows = compute_period(period(game, population=Population.HUMAN), pool="human-coppie", states=states).rows
    expected = BELLA.table[50]
    assert [(row.subject, row.opp, row.e, row.k) for row in rows] == [
        ("p:2", "p:3+p:4", expected, 16),
        ("p:1", "p:3+p:4", expected, 40),
        ("p:4", "p:1+p:2", PPM - expected, 20),
        ("p:3", "p:1+p:2", PPM - expected, 40),
    ]
    surprise = PPM - expected
    assert [row.delta for row in rows] == [
        round(k * surprise / 1000) * sign for k, sign in ((16, 1), (40, 1), (20, -1), (40, -1))
    ]


def test_an_anchor_shifts_the_whole_pool_and_a_reset_takes_it_a_quarter_back():
    states = {
        "v:2": RatingState(rating_m=1_520_000, n=30, peak_m=1_520_000, last_day=DAY),
        "v:10": RatingState(rating_m=1_499_998, n=3, last_day=DAY),
        "v:1": RatingState(rating_m=405_000, n=3, last_day=DAY),
    }
    shifted = compute_period(
        Period(seq=4, kind=PeriodKind.ANCHOR, day=DAY, anchor="v:2"), pool="bot-1v1", states=states, last_seq=7
    )
    assert [(row.seq, row.subject, row.delta, row.floor, row.after, row.n) for row in shifted.rows] == [
        (8, "v:1", -20_000, 15_000, 400_000, 3),
        (9, "v:2", -20_000, 0, 1_500_000, 30),
        (10, "v:10", -20_000, 0, 1_479_998, 3),
    ]
    assert {(row.kind, row.match, row.opp, row.score, row.e, row.k, row.reason) for row in shifted.rows} == {
        ("anchor", "", "", 0, 0, 0, "anchor")
    }
    assert shifted.states["v:2"] == RatingState(1_500_000, 30, 1_520_000, 9, DAY)
    back = compute_period(Period(seq=5, kind=PeriodKind.RESET, day=DAY), pool="bot-1v1", states=states)
    assert [(row.subject, row.after, row.kind) for row in back.rows] == [
        ("v:1", 678_750, "reset"),
        ("v:2", 1_515_000, "reset"),
        ("v:10", 1_499_998, "reset"),
    ]


def test_an_empty_period_moves_nothing():
    result = compute_period(period(), pool="bot-1v1", states={}, last_seq=5, last_hash="ab" * 32)
    assert (result.rows, result.states, result.last_seq, result.last_hash) == ((), {}, 5, "ab" * 32)


def _scores(*scores):
    return PeriodMatch(code="A", sides=(("v:1",), ("v:2",)), scores=scores)


@pytest.mark.parametrize(
    ("code", "matches"),
    [
        ("score_sum", [_scores(PPM, 1)]),
        ("score_sum", [_scores(0, 0)]),
        ("score_value", [_scores(250_000, 750_000)]),
        ("score_value", [_scores(2 * PPM, -PPM)]),
        ("same_subject", [match("A", "v:1", "v:1")]),
        ("same_subject", [match("A", ("v:1", "v:2"), ("v:3", "v:1"))]),
        ("duplicate_subject", [match("A", ("v:1", "v:1"), ("v:3", "v:4"))]),
        ("unknown_subject", [match("A", "x:1", "v:1")]),
        ("unknown_subject", [match("A", "v:01", "v:1")]),
        ("unknown_subject", [match("A", "v:1", "guest")]),
        ("side_sizes", [match("A", ("v:1", "v:2"), ("v:3",))]),
        ("side_sizes", [match("A", (), ())]),
        ("duplicate_match", [match("A", "v:1", "v:2"), match("A", "v:3", "v:4")]),
        ("bad_text", [match('A"', "v:1", "v:2")]),
        ("bad_text", [match("", "v:1", "v:2")]),
        ("bad_text", [match("Ä", "v:1", "v:2")]),
    ],
)
def test_bad_input_is_refused_with_its_code_and_leaves_the_states_alone(code, matches):
    states = {"v:9": RatingState(rating_m=1_500_000), "x:1": RatingState(rating_m=1_500_000)}
    before = dict(states)
    with pytest.raises(RatingInputError) as caught:
        compute_period(period(match("0", "v:9", "v:8"), *matches), pool="bot-1v1", states=states)
    assert caught.value.code == code
    assert states == before
    if code != "unknown_subject":
        assert caught.value.match == matches[0].code


def test_a_subject_that_the_period_does_not_describe_is_refused():
    with pytest.raises(RatingInputError) as caught:
        compute_period(
            period(match("A", "v:1", "v:2"), subjects=described(["v:1"])), pool="bot-1v1", states={}
        )  # fmt: skip
    assert (caught.value.code, caught.value.value) == ("missing_subject", "v:2")


def test_an_anchor_without_a_rating_and_a_pool_with_a_quote_are_refused():
    for each, pool, code in (
        (Period(seq=1, kind=PeriodKind.ANCHOR, day=DAY, anchor="v:1"), "bot-1v1", "no_anchor"),
        (period(match("A", "v:1", "v:2")), 'bot"1v1', "bad_text"),
    ):
        with pytest.raises(RatingInputError) as caught:
            compute_period(each, pool=pool, states={})
        assert caught.value.code == code


def test_subjects_sort_by_kind_and_number():
    assert sorted(["v:10", "p:3", "v:9", "c:1"], key=subject_key) == ["c:1", "p:3", "v:9", "v:10"]
