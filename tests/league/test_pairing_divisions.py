"""league.pairing.divisions: promotion, relegation, gaps, newcomers, and the guarantees over all of them."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from league.pairing import PairingError
from league.pairing.divisions import Broken, Move, SeasonEntry, exchanged, moved, next_season


def season(*sizes):
    """Entries 101, 102, ... of division 0, 201, ... of division 1, in the order of their ranks."""
    return [
        SeasonEntry(entry=100 * (number + 1) + rank, division=number, rank=rank, forza=1800 - 100 * number - rank)
        for number, size in enumerate(sizes)
        for rank in range(1, size + 1)
    ]


def in_division(plan, number):
    return [row.entry for row in plan.division(number)]


def test_a_quarter_goes_each_way():
    plan = next_season(season(8, 8, 8))
    assert in_division(plan, 0) == [101, 102, 103, 104, 105, 106, 201, 202]
    assert in_division(plan, 1) == [107, 108, 203, 204, 205, 206, 301, 302]
    assert in_division(plan, 2) == [207, 208, 303, 304, 305, 306, 307, 308]
    assert [row.move for row in plan.division(1)] == [Move.RELEGATED] * 2 + [Move.STAYED] * 4 + [Move.PROMOTED] * 2
    assert plan.broken == ()
    assert plan.division(1)[0].to_reason() == {"code": "division_relegated", "was": 0, "rank": 7}


@pytest.mark.parametrize(("upper", "lower", "number"), [(8, 8, 2), (9, 9, 3), (12, 12, 3), (12, 8, 2), (8, 30, 2)])
def test_how_many_change_places(upper, lower, number):
    assert exchanged(upper, lower) == number


def test_gaps_are_filled_from_below_by_rank():
    entries = [replace(each, left=each.entry in {101, 102, 205}) for each in season(8, 8, 8)]
    plan = next_season(entries)
    assert in_division(plan, 0) == [103, 104, 105, 106, 201, 202, 203, 204]
    assert [row.move for row in plan.division(0)[-2:]] == [Move.FILLED] * 2
    assert in_division(plan, 1) == [107, 108, 206, 301, 302, 303, 304, 305]
    assert in_division(plan, 2) == [207, 208, 306, 307, 308]
    assert plan.broken == (Broken(code="too_small", division=2),)


def test_one_who_would_go_up_may_rise_further_but_a_relegated_one_never_comes_back():
    entries = [replace(each, left=each.division == 1) for each in season(8, 8, 8)]
    plan = next_season(entries)
    assert in_division(plan, 0) == [101, 102, 103, 104, 105, 106, 301, 302]
    assert in_division(plan, 1) == [107, 108, 303, 304, 305, 306, 307, 308]
    assert [row.move for row in plan.division(0)[-2:]] == [Move.PROMOTED] * 2
    assert in_division(plan, 2) == []
    assert plan.broken == (Broken(code="too_small", division=2),)


def test_newcomers_start_at_the_bottom_or_by_forza():
    new = [
        SeasonEntry(entry=1, forza=2500, matches=20),
        SeasonEntry(entry=2, forza=2600, matches=19),
        SeasonEntry(entry=3, forza=1695, matches=50),
        SeasonEntry(entry=4),
    ]
    entries = [replace(each, left=each.entry in {101, 102, 201, 204}) for each in season(8, 8, 8)]
    bottom = next_season([*entries, *new])
    assert {row.division for row in bottom.rows if row.move is Move.NEW} == {2}
    plan = next_season([*entries, *new], by_forza=True)
    places = {row.entry: row.division for row in plan.rows}
    assert [places[number] for number in (1, 2, 3, 4)] == [0, 2, 1, 2]
    assert [len(plan.division(number)) for number in range(3)] == [8, 8, 8]


def test_newcomers_fill_gaps_when_nobody_else_is_below():
    entries = [replace(each, left=each.division == 1 or each.rank == 1) for each in season(8, 8)]
    new = [SeasonEntry(entry=number, forza=forza) for number, forza in enumerate((None, 900, 1000, 1100), start=1)]
    plan = next_season([*entries, *new])
    assert in_division(plan, 0) == [102, 103, 104, 105, 106, 2, 3, 4]
    assert in_division(plan, 1) == [107, 108, 1]


def test_a_move_by_hand_is_marked_and_checked():
    plan = next_season(season(8, 8))
    again = moved(plan, entry=201, division=1, reason="declined")
    row = next(row for row in again.rows if row.entry == 201)
    assert (row.move, row.earned, row.division) == (Move.BY_HAND, Move.PROMOTED, 1)
    assert row.to_reason() == {"code": "division_by_hand", "was": 1, "rank": 1, "reason": "declined"}
    assert again.broken == (
        Broken(code="not_higher", division=1, entry=201),
        Broken(code="too_small", division=0),
    )
    assert moved(again, entry=201, division=0, reason="after all").broken == ()
    assert moved(plan, entry=107, division=0, reason="x").broken == (
        Broken(code="not_lower", division=0, entry=107),
        Broken(code="too_small", division=1),
    )
    assert moved(plan, entry=101, division=1, reason="x").broken[0] == Broken(code="lower", division=1, entry=101)
    for entry, division in ((999, 0), (101, 2), (101, -1)):
        with pytest.raises(PairingError) as caught:
            moved(plan, entry=entry, division=division, reason="x")
        assert caught.value.code == "unknown_entry"


@pytest.mark.parametrize(
    ("entries", "code"),
    [
        ([], "no_legal_pairing"),
        ([replace(each, left=True) for each in season(4)], "no_legal_pairing"),
        (season(4) + season(4), "already_entered"),
        ([each for each in season(4, 4, 4) if each.division != 1], "bad_result"),
        (season(4)[1:], "bad_result"),
    ],
)
def test_a_season_that_makes_no_sense_is_refused(entries, code):
    with pytest.raises(PairingError) as caught:
        next_season(entries)
    assert caught.value.code == code


@settings(deadline=None)
@given(st.lists(st.integers(1, 12), min_size=1, max_size=5), st.integers(0, 2**32), st.booleans())
def test_the_guarantees_hold_whoever_leaves_or_comes(sizes, chance, by_forza):
    dice = random.Random(chance)
    leaving = dice.choice((0, 10, 60))
    entries = [replace(each, left=dice.randrange(100) < leaving) for each in season(*sizes)]
    entries += [
        SeasonEntry(entry=number, forza=dice.choice((None, dice.randint(1000, 2000))), matches=dice.randint(0, 40))
        for number in range(1, dice.randint(1, 20))
    ]
    if all(each.left for each in entries):
        return
    plan = next_season(entries, by_forza=by_forza)
    by_entry = {each.entry: each for each in entries}
    assert sorted(row.entry for row in plan.rows) == sorted(each.entry for each in entries if not each.left)
    assert not [each for each in plan.broken if each.entry is not None]
    for row in plan.rows:
        was, rank = by_entry[row.entry].division, by_entry[row.entry].rank
        if was is None:
            assert row.move is Move.NEW
            continue
        up = exchanged(sizes[was - 1], sizes[was]) if was else 0
        down = exchanged(sizes[was], sizes[was + 1]) if was + 1 < len(sizes) else 0
        if rank <= up:
            assert row.division < was
        elif rank > sizes[was] - down:
            assert row.division > was
        else:
            assert row.division <= was
    dice.shuffle(entries)
    assert next_season(entries, by_forza=by_forza) == plan
    for number in range(len(sizes) - 1):
        if len(plan.division(number)) < sizes[number]:
            below = [row for row in plan.rows if row.division > number]
            assert all(row.earned is Move.RELEGATED for row in below), "a gap stays only when nobody may fill it"
