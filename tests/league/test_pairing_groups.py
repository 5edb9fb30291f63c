"""league.pairing.groups: snake, the best thirds, and the way into the bracket."""

import random
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from league.pairing import PairingError
from league.pairing.groups import GroupRow, best_of, group_count, meeting_round, qualifiers, snake
from league.pairing.knockout import bracket, seed_order

SEED = bytes(range(32))


def rows_of(groups, size=4):
    return [
        GroupRow(
            group=group, rank=rank, entry=100 * group + rank, points=2 * (size - rank), played=3, deal_difference=0
        )
        for group in range(groups)
        for rank in range(1, size + 1)
    ]  # fmt: skip


def names(found):
    """ "A1" by seed."""
    return {each.seed: f"{'ABCDEFGHIJKLMNOP'[each.group]}{each.rank}" for each in found}


def first_round(found):
    """Who meets whom in the first round, in bracket order; None: bye."""
    name = names(found)
    return [
        tuple(name.get(source.seed) for source in each.slots) for each in bracket(len(found)) if each.round == 1
    ]  # fmt: skip


def test_the_snake_turns_at_both_ends():
    assert snake(range(1, 13), groups=3) == ((1, 6, 7, 12), (2, 5, 8, 11), (3, 4, 9, 10))
    assert snake(range(1, 10), groups=2) == ((1, 4, 5, 8, 9), (2, 3, 6, 7))


@pytest.mark.parametrize("count", [4, 5, 6, *range(8, 65), 400])
def test_groups_have_four_to_six_entries(count):
    groups = snake(range(count), groups=group_count(count))
    assert sorted(entry for group in groups for entry in group) == list(range(count))
    sizes = {len(group) for group in groups}
    assert sizes <= {4, 5, 6}
    assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("count", [0, 3, 7])
def test_numbers_that_make_no_groups_are_refused(count):
    with pytest.raises(PairingError) as caught:
        group_count(count)
    assert (caught.value.code, caught.value.value) == ("size_limit", str(count))


def test_a_snake_needs_different_entries_enough():
    for entries, groups, code in (([1, 2], 3, "size_limit"), ([1, 1], 2, "already_entered"), ([1], 0, "size_limit")):
        with pytest.raises(PairingError) as caught:
            snake(entries, groups=groups)
        assert caught.value.code == code


def test_two_groups_cross():
    found = qualifiers(rows_of(2), advance=2, seed=SEED)
    assert first_round(found) == [("A1", "B2"), ("B1", "A2")]
    assert found[0].to_reason() == {"code": "group_qualifier", "group": 0, "rank": 1, "flags": []}


def test_four_and_eight_groups_cross_in_pairs():
    assert first_round(qualifiers(rows_of(4), advance=2, seed=SEED)) == [
        ("A1", "B2"), ("D1", "C2"), ("B1", "A2"), ("C1", "D2"),
    ]  # fmt: skip
    pairs = {frozenset(pair) for pair in first_round(qualifiers(rows_of(8), advance=2, seed=SEED))}
    assert {frozenset(pair) for pair in (("A1", "B2"), ("B1", "A2"), ("G1", "H2"), ("H1", "G2"))} <= pairs


@pytest.mark.parametrize("groups", range(1, 33))
@pytest.mark.parametrize("advance", [1, 2])
def test_two_of_one_group_meet_only_in_the_final(groups, advance):
    if groups * advance < 2:
        with pytest.raises(PairingError):
            qualifiers(rows_of(groups), advance=advance, seed=SEED)
        return
    found = qualifiers(rows_of(groups), advance=advance, seed=SEED)
    assert [each.seed for each in found] == list(range(1, groups * advance + 1))
    assert sorted(each.entry for each in found) == sorted(
        100 * group + rank for group in range(groups) for rank in range(1, advance + 1)
    )
    assert [each.group for each in found[:groups]] == list(range(groups))
    size = 1 << (len(found) - 1).bit_length()
    position = {seed: place for place, seed in enumerate(seed_order(size))}
    for one in found:
        for two in found:
            if one.group == two.group and one.rank < two.rank:
                assert meeting_round(position[one.seed], position[two.seed]) == size.bit_length() - 1


@settings(deadline=None)
@given(st.integers(2, 16), st.sampled_from([1, 2]), st.data())
def test_the_best_of_the_next_place_never_meet_their_own_group_at_once(groups, advance, data):
    best_next = data.draw(st.integers(1, groups))
    dice = random.Random(data.draw(st.integers(0, 2**32)))
    rows = [
        GroupRow(
            group=row.group,
            rank=row.rank,
            entry=row.entry,
            points=dice.randint(0, 10),
            played=dice.randint(1, 5),
            deal_difference=dice.randint(-9, 9),
        )
        for row in rows_of(groups)
    ]
    found = qualifiers(rows, advance=advance, best_next=best_next, seed=SEED)
    following = [row for row in rows if row.rank == advance + 1]
    chosen = {each.entry for each in found if each.best_of_next}
    worst = min(
        (Fraction(r.points, r.played), Fraction(r.deal_difference, r.played)) for r in following if r.entry in chosen
    )
    left = [
        (Fraction(r.points, r.played), Fraction(r.deal_difference, r.played))
        for r in following
        if r.entry not in chosen
    ]
    assert len(chosen) == best_next
    assert all(other <= worst for other in left)
    dice.shuffle(rows)
    assert qualifiers(rows, advance=advance, best_next=best_next, seed=SEED) == found
    by_seed = {each.seed: each for each in found}
    if groups > 2:
        for each in bracket(len(found)):
            if each.round == 1:
                met = [by_seed[source.seed].group for source in each.slots if source.seed]
                assert len(set(met)) == len(met)


@pytest.mark.parametrize("groups", range(3, 9))
@pytest.mark.parametrize("advance", [1, 2])
def test_whichever_groups_the_best_of_the_next_come_from(groups, advance):
    for best_next in range(1, groups + 1):
        for lucky in combinations(range(groups), best_next):
            rows = [replace(row, points=row.points + 9 * (row.group in lucky)) for row in rows_of(groups)]
            found = qualifiers(rows, advance=advance, best_next=best_next, seed=SEED)
            assert {each.group for each in found if each.best_of_next} == set(lucky)
            pairs = [pair for pair in first_round(found) if None not in pair]
            assert all(one[0] != two[0] for one, two in pairs)


def test_six_groups_and_the_four_best_thirds_fill_sixteen_places():
    found = qualifiers(rows_of(6), advance=2, best_next=4, seed=SEED)
    assert [each.rank for each in found] == [1] * 6 + [2] * 6 + [3] * 4
    assert [each.to_reason()["flags"] for each in found[-4:]] == [["best_of_next"]] * 4


def test_groups_of_different_sizes_are_compared_by_the_pairing():
    small = GroupRow(group=0, rank=3, entry=1, points=3, played=3, deal_difference=0)
    large = GroupRow(group=1, rank=3, entry=2, points=4, played=5, deal_difference=9)
    better = GroupRow(group=2, rank=3, entry=3, points=5, played=5, deal_difference=1)
    assert [row.entry for row in best_of([large, small, better], seed=SEED)] == [3, 1, 2]
    equal = [GroupRow(group=group, rank=3, entry=group, points=2, played=2, deal_difference=0) for group in range(6)]
    orders = {tuple(row.entry for row in best_of(equal, seed=bytes([n]) * 32)) for n in range(9)}
    assert len(orders) > 1
    nothing = GroupRow(group=5, rank=3, entry=9, points=0, played=0, deal_difference=0)
    assert best_of([nothing, small], seed=SEED)[-1].entry == 9


@pytest.mark.parametrize(
    ("rows", "advance", "best_next", "code"),
    [
        (rows_of(2), 3, 0, "size_limit"),
        (rows_of(2), 0, 2, "size_limit"),
        (rows_of(2), 2, 3, "size_limit"),
        ([], 1, 0, "size_limit"),
        (rows_of(2, size=1), 2, 0, "unknown_entry"),
        (rows_of(2, size=2), 2, 1, "unknown_entry"),
    ],
)
def test_what_does_not_make_a_bracket_is_refused(rows, advance, best_next, code):
    with pytest.raises(PairingError) as caught:
        qualifiers(rows, advance=advance, best_next=best_next, seed=SEED)
    assert caught.value.code == code
