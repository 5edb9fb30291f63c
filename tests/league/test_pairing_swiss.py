"""league.pairing.swiss: legal, cheapest, and the same whatever the order; against brute force and whole tournaments."""

import random
from collections import Counter
from dataclasses import replace
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from league.pairing import PairingError
from league.pairing.swiss import (
    LARGEST,
    MOST_POINTS,
    Float,
    SwissEntry,
    by_hand,
    check_size,
    default_rounds,
    last_late_round,
    pair_round,
)
from league.pairing.swiss_history import SwissEntrant, present_entries
from league.pairing.swiss_matching import WIDTHS, Cost, edge_costs, match, unpacked
from league.scoring import PairingEnd, PairingResult

SEED = bytes(range(32))


def field(count, **known):
    return [SwissEntry(entry=100 + number, number=number, **known) for number in range(1, count + 1)]


def pairs_of(drawn):
    return {frozenset(pairing.entries) for pairing in drawn.pairings}


# The rules once more, slowly: every matching, every cost from the text.


def slow_cost(ranked, upper, lower):
    i = ranked[upper]
    lot = sha256(f"{SEED.hex()}:{i.number}:{ranked[lower].number if lower is not None else 0}".encode()).digest()[:5]
    lot = int.from_bytes(lot)
    if lower is None:
        gap = i.score - min(each.score for each in ranked)
        again = int(gap > 0 and i.floated is Float.DOWN)
        return (int(i.no_bye), gap**2, again, 0, len(ranked) - upper, lot)
    j = ranked[lower]
    gap = i.score - j.score
    again = 0
    if gap:
        again = int(i.floated is Float.DOWN) + int(j.floated is Float.UP)
        distance = lower - upper
    else:
        distance = abs(lower - upper - sum(each.score == i.score for each in ranked) // 2)
    return (int(j.entry in i.met or i.entry in j.met), gap**2, again, int(bool(i.labels & j.labels)), distance, lot)


def all_matchings(ranks):
    """Every way to pair the ranks, one of an odd number left over with None."""
    if not ranks:
        yield []
        return
    first, rest = ranks[0], ranks[1:]
    for other in rest:
        for matching in all_matchings([rank for rank in rest if rank != other]):
            yield [(first, other), *matching]
    if len(ranks) % 2:
        for matching in all_matchings(rest):
            yield [(first, None), *matching]


def slow_round(entries):
    """(cost, pairs) of the best matching, whether it repeats anything."""
    ranked = sorted(entries, key=lambda each: (-each.score, each.number))
    found = []
    for matching in all_matchings(list(range(len(ranked)))):
        costs = [slow_cost(ranked, *pair) for pair in matching]
        total = tuple(map(sum, zip(*costs, strict=True)))
        names = {frozenset((ranked[a].entry, None if b is None else ranked[b].entry)) for a, b in matching}
        found.append((total, names))
    return min(found, key=lambda each: each[0])


@st.composite
def situations(draw, most=8):
    """A round in any state, met lists symmetric."""
    count = draw(st.integers(2, most))
    dice = random.Random(draw(st.integers(0, 2**32)))
    entries = [100 + number for number in range(1, count + 1)]
    met = {frozenset(pair) for pair in [(a, b) for a in entries for b in entries if a < b] if dice.random() < 0.4}
    high = dice.choice((0, 2, 6, MOST_POINTS))
    situation = [
        SwissEntry(
            entry=entry,
            number=number,
            score=dice.randint(0, high),
            met=frozenset(b for pair in met if entry in pair for b in pair if b != entry),
            no_bye=dice.random() < 0.4,
            floated=dice.choice((None, Float.DOWN, Float.UP)),
            labels=frozenset(dice.sample("abc", dice.randint(0, 2))),
            leads=dice.randint(0, 3),
        )
        for number, entry in enumerate(entries, start=1)
    ]
    dice.shuffle(situation)
    return situation


@settings(deadline=None)
@given(situations())
def test_the_round_is_the_cheapest_of_all_matchings_and_repeats_only_when_nothing_else_is_possible(entries):
    drawn = pair_round(entries, round_seed=SEED)
    total, names = slow_round(entries)
    assert pairs_of(drawn) == names
    assert drawn.cost == total
    assert drawn.with_repeats == (total[0] > 0)
    assert sum(pairing.repeat for pairing in drawn.pairings) == total[0]


def test_ten_entries_with_high_scores_are_paired_as_brute_force_does():
    dice = random.Random(10)
    for _ in range(4):
        entries = [replace(each, score=dice.randint(0, MOST_POINTS)) for each in field(10)]
        assert (
            pair_round(entries, round_seed=SEED).cost,
            pairs_of(pair_round(entries, round_seed=SEED)),
        ) == slow_round(entries)


@settings(deadline=None)
@given(situations(most=40), st.randoms(use_true_random=False))
def test_the_order_in_which_entries_are_given_changes_nothing(entries, dice):
    once = pair_round(entries, round_seed=SEED)
    dice.shuffle(entries)
    assert pair_round(entries, round_seed=SEED) == once


@settings(deadline=None)
@given(st.integers(2, 20), st.randoms(use_true_random=False))
def test_the_order_of_the_edges_changes_nothing(half, dice):
    count = 2 * half
    edges = [(a, b, dice.getrandbits(110)) for a in range(count) for b in range(a + 1, count)]
    once = match(count, edges)
    dice.shuffle(edges)
    assert sorted(match(count, edges)) == sorted(once)


def test_the_sum_of_a_largest_round_fits_every_field():
    assert sum(WIDTHS) <= 120
    boards = LARGEST // 2
    most = (boards, boards * MOST_POINTS**2, 2 * boards, boards, boards * LARGEST, boards * (2**40 - 1))
    assert all(value < 1 << width for value, width in zip(most, WIDTHS, strict=True))


def test_a_packed_cost_gives_its_fields_back():
    drawn = pair_round(field(2, score=1, met=frozenset({101, 102})), round_seed=SEED)
    lot = int.from_bytes(sha256(f"{SEED.hex()}:1:2".encode()).digest()[:5])
    assert drawn.pairings[0].cost == Cost(1, 0, 0, 0, 0, lot)
    assert unpacked((1 << 113) - 1) == tuple((1 << width) - 1 for width in WIDTHS)


def test_the_first_round_pairs_the_upper_half_with_the_lower_half():
    drawn = pair_round(field(8), round_seed=SEED)
    assert pairs_of(drawn) == {frozenset((100 + number, 104 + number)) for number in range(1, 5)}
    assert [min(pairing.ranks) for pairing in drawn.pairings] == [1, 2, 3, 4]
    assert not drawn.with_repeats


def test_the_bye_goes_to_the_last_of_the_lowest_score_without_one():
    entries = [replace(each, score=2 * (each.number <= 3)) for each in field(7)]
    assert pair_round(entries, round_seed=SEED).bye == 107
    entries[6] = replace(entries[6], no_bye=True)
    drawn = pair_round(entries, round_seed=SEED)
    assert drawn.bye == 106
    assert drawn.pairings[-1].entries == (106, None)
    assert drawn.pairings[-1].to_reason() == {
        "code": "swiss_bye",
        "ranks": [6, None],
        "scores": [0, None],
        "flags": [],
        "lead": None,
        "cost": list(drawn.pairings[-1].cost),
    }


def test_a_round_that_must_repeat_says_so():
    everyone = frozenset(range(101, 105))
    entries = [replace(each, met=everyone - {each.entry}) for each in field(4)]
    drawn = pair_round(entries, round_seed=SEED)
    assert drawn.with_repeats
    assert [pairing.to_reason()["flags"] for pairing in drawn.pairings] == [["repeat"], ["repeat"]]
    odd = [replace(each, no_bye=True) for each in field(3)]
    drawn = pair_round(odd, round_seed=SEED)
    assert drawn.with_repeats
    assert drawn.pairings[-1].to_reason()["flags"] == ["second_bye"]


def test_who_floated_down_last_time_does_not_again():
    # Three on 2, three on 0: the third of the upper group floats, unless it did just now.
    entries = [replace(each, score=2 * (each.number <= 3)) for each in field(6)]
    floated = {
        entry
        for pairing in pair_round(entries, round_seed=SEED).pairings
        for entry, way in zip(pairing.entries, pairing.floats, strict=True)
        if way is Float.DOWN
    }
    (who,) = floated
    again = [replace(each, floated=Float.DOWN) if each.entry == who else each for each in entries]
    drawn = pair_round(again, round_seed=SEED)
    (pairing,) = [pairing for pairing in drawn.pairings if Float.DOWN in pairing.floats]
    assert who not in pairing.entries
    side = pairing.floats.index(Float.DOWN)
    assert pairing.to_reason()["flags"] == [
        f"float_{way}:{index}" for index, way in enumerate(("down", "up") if side == 0 else ("up", "down"))
    ]


def test_labels_are_kept_apart_when_scores_allow_it():
    entries = [replace(each, labels=frozenset({"club" if each.number in {1, 5} else f"{each}"})) for each in field(8)]
    drawn = pair_round(entries, round_seed=SEED)
    assert frozenset((101, 105)) not in pairs_of(drawn)
    assert drawn.cost.same_label == 0
    pair = pair_round(field(2, labels=frozenset({"club"})), round_seed=SEED).pairings[0]
    assert pair.to_reason()["flags"] == ["same_label"]


def test_who_led_less_often_leads_and_a_coin_decides_between_equals():
    one, two = field(2)
    assert pair_round([replace(one, leads=1), two], round_seed=SEED).pairings[0].entries == (102, 101)
    assert pair_round([one, replace(two, leads=1)], round_seed=SEED).pairings[0].lead == "fewer"
    tossed = [pair_round([one, two], round_seed=bytes([number]) * 32).pairings[0] for number in range(64)]
    assert {each.lead for each in tossed} == {"coin"}
    assert 16 < sum(each.entries == (101, 102) for each in tossed) < 48


@pytest.mark.parametrize(
    ("count", "rounds"),
    [(4, 1), (5, 2), (6, 3), (8, 5), (9, 6), (10, 6), (11, 6), (16, 6), (17, 7), (32, 7), (400, 11)],
)
def test_the_number_of_rounds_on_offer(count, rounds):
    assert default_rounds(count) == rounds
    check_size(count=count, rounds=rounds)


@pytest.mark.parametrize(
    ("count", "rounds", "code"),
    [(3, 1, "size_limit"), (401, 5, "size_limit"), (8, 6, "too_many_rounds"), (10, 8, "too_many_rounds")],
)
def test_a_set_up_whose_rounds_run_out_is_refused(count, rounds, code):
    with pytest.raises(PairingError) as caught:
        check_size(count=count, rounds=rounds)
    assert caught.value.code == code


def test_late_entries_come_until_a_third_of_the_rounds():
    assert [last_late_round(rounds) for rounds in (1, 3, 4, 5, 6, 7, 9)] == [1, 1, 2, 2, 2, 3, 3]


@pytest.mark.parametrize(
    ("entries", "code", "value"),
    [
        ([], "no_legal_pairing", ""),
        (field(1), "no_legal_pairing", "101"),
        (field(401), "size_limit", "401"),
        (field(2, score=61), "size_limit", "61"),
        (field(2, score=-1), "size_limit", "-1"),
        ([*field(2), SwissEntry(entry=101, number=3)], "already_entered", "101"),
        ([*field(2), SwissEntry(entry=103, number=2)], "already_entered", "2"),
    ],
)
def test_what_cannot_be_paired_is_refused(entries, code, value):
    with pytest.raises(PairingError) as caught:
        pair_round(entries, round_seed=SEED)
    assert (caught.value.code, caught.value.value) == (code, value)


# From results to the next round.


def result(number, a, b, points, end=PairingEnd.PLAYED):
    return PairingResult(round=number, entries=(a, b), end=end, points=points)


def test_what_earlier_rounds_leave_behind():
    entrants = [SwissEntrant(entry=100 + number, number=number) for number in range(1, 7)]
    entrants[4] = replace(entrants[4], absent=True)
    entrants[5] = replace(entrants[5], returned=True)
    results = [
        result(1, 101, 102, (2, 0)),
        result(1, 104, 103, (0, 2), PairingEnd.FORFEIT),
        result(1, 105, None, (2, 0), PairingEnd.BYE),
        result(1, 106, None, (1, 0), PairingEnd.HALF_BYE),
        result(2, 104, 101, (1, 1)),
        result(2, 102, 105, (0, 0), PairingEnd.DOUBLE_FORFEIT),
        result(2, 103, None, (0, 0), PairingEnd.ABSENCE),
    ]
    known = {each.entry: each for each in present_entries(entrants, results=results)}
    assert sorted(known) == [101, 102, 103, 104, 106]
    assert {entry: each.score for entry, each in known.items()} == {101: 3, 102: 0, 103: 2, 104: 1, 106: 1}
    assert {entry for entry, each in known.items() if each.no_bye} == {103, 106}
    assert known[104].met == {103, 101}
    assert known[102].met == {101, 105}
    assert {entry: each.leads for entry, each in known.items()} == {101: 1, 102: 0, 103: 0, 104: 1, 106: 0}
    assert known[101].floated is Float.DOWN
    assert (known[104].floated, known[102].floated) == (Float.UP, Float.UP)
    assert (known[103].floated, known[106].floated) == (None, None)


def test_a_bye_above_the_lowest_score_is_a_float_down():
    entrants = [SwissEntrant(entry=entry, number=entry) for entry in (1, 2, 3)]
    results = [
        result(1, 1, 2, (2, 0)),
        result(1, 3, None, (2, 0), PairingEnd.BYE),
        result(2, 3, 2, (2, 0)),
        result(2, 1, None, (2, 0), PairingEnd.BYE),
    ]
    assert present_entries(entrants, results=results)[0].floated is Float.DOWN
    with pytest.raises(PairingError) as caught:
        present_entries(entrants[:2], results=results)
    assert (caught.value.code, caught.value.value) == ("unknown_entry", "3")


@settings(deadline=None)
@given(st.integers(3, 60), st.integers(0, 2**32), st.sampled_from((0, 5, 20)))
def test_whole_tournaments_repeat_nothing_unless_flagged_and_give_one_bye_each(count, chance, trouble):
    """Random results, absences, half-byes, forfeits, late entries and withdrawals (`trouble` in per cent)."""
    dice = random.Random(chance)
    entrants = [
        SwissEntrant(entry=number + 1000, number=number, absent=number > count - count // 8 * (trouble > 0))
        for number in range(1, count + 1)
    ]
    rounds = min(7, max(1, count // 2 - 1))
    results, met, byes = [], Counter(), Counter()
    for number in range(1, rounds + 1):
        if number > 1:
            entrants = [replace(each, absent=dice.randrange(100) < trouble // 2) for each in entrants]
        present = present_entries(entrants, results=results)
        if len(present) < 2:
            break
        drawn = pair_round(present, round_seed=bytes([number]) * 32)
        paired = [entry for pairing in drawn.pairings for entry in pairing.entries if entry is not None]
        assert sorted(paired) == sorted(each.entry for each in present)
        assert drawn == pair_round(present_entries(entrants, results=results[::-1]), round_seed=bytes([number]) * 32)
        for pairing in drawn.pairings:
            first, second = pairing.entries
            if second is None:
                assert not byes[first] or pairing.repeat
                byes[first] += 1
                results.append(result(number, first, None, (2, 0), PairingEnd.BYE))
                continue
            assert bool(met[frozenset(pairing.entries)]) == pairing.repeat
            assert not pairing.repeat or drawn.with_repeats
            met[frozenset(pairing.entries)] += 1
            if dice.randrange(100) < trouble:
                won = dice.choice((0, 1))
                byes[pairing.entries[won]] += 1
                results.append(result(number, first, second, ((2, 0), (0, 2))[won], PairingEnd.FORFEIT))
            else:
                results.append(result(number, first, second, dice.choice(((2, 0), (1, 1), (0, 2)))))
        for each in entrants:
            if each.absent:
                end = dice.choice((PairingEnd.ABSENCE, PairingEnd.HALF_BYE))
                results.append(result(number, each.entry, None, (int(end is PairingEnd.HALF_BYE), 0), end))
    if not trouble and count > 10:
        assert max(met.values()) == 1
        assert max(byes.values(), default=0) <= 1


def test_leads_are_balanced_over_a_long_tournament():
    dice = random.Random(3)
    entrants = [SwissEntrant(entry=number, number=number) for number in range(1, 41)]
    results = []
    for number in range(1, 12):
        drawn = pair_round(present_entries(entrants, results=results), round_seed=bytes([number]) * 32)
        results += [
            result(number, *pairing.entries, dice.choice(((2, 0), (1, 1), (0, 2)))) for pairing in drawn.pairings
        ]
    assert max(each.leads for each in present_entries(entrants, results=results)) <= 8
    assert min(each.leads for each in present_entries(entrants, results=results)) >= 3


def test_the_costs_of_a_group_fall_with_the_distance_from_upper_against_lower():
    entries = sorted(field(6), key=lambda each: each.number)
    drawn = pair_round(entries, round_seed=SEED)
    assert [pairing.cost.distance for pairing in drawn.pairings] == [0, 0, 0]
    assert edge_costs([], round_seed=SEED, repeats=True) == []


# By hand.


@settings(deadline=None)
@given(situations(most=12))
def test_a_drawn_round_made_by_hand_has_the_same_costs(entries):
    drawn = pair_round(entries, round_seed=SEED)
    pairs = [pairing.entries for pairing in drawn.pairings][::-1]
    made = by_hand(entries, pairs=pairs, round_seed=SEED)
    assert (made.cost, made.with_repeats) == (drawn.cost, drawn.with_repeats)
    assert [each.entries for each in made.pairings] == [each.entries for each in drawn.pairings]
    assert {each.lead for each in made.pairings} <= {"hand", None}
    assert [replace(each, lead=None) for each in made.pairings] == [replace(each, lead=None) for each in drawn.pairings]


def test_a_repeat_made_by_hand_is_flagged_and_costs_more():
    entries = [replace(each, met=frozenset({102 if each.number == 1 else 101})) for each in field(4)[:2]] + field(4)[2:]
    made = by_hand(entries, pairs=[(104, 103), (102, 101)], round_seed=SEED)
    assert [(each.entries, each.ranks, each.repeat) for each in made.pairings] == [
        ((102, 101), (2, 1), True),
        ((104, 103), (4, 3), False),
    ]
    assert made.with_repeats
    assert made.cost > pair_round(entries, round_seed=SEED).cost


@pytest.mark.parametrize(
    ("pairs", "value"),
    [
        ([(101, 102)], "103, 104"),
        ([(101, 102), (103, 105)], "104, 105"),
        ([(101, 102), (103, 101)], "104"),
        ([(101, None), (102, None), (103, 104)], "101, 102, 103, 104"),
        ([(None, 101), (102, 103), (104, None)], "101, 102, 103, 104"),
    ],
)
def test_pairs_by_hand_are_everyone_once(pairs, value):
    with pytest.raises(PairingError) as caught:
        by_hand(field(4), pairs=pairs, round_seed=SEED)
    assert (caught.value.code, caught.value.value) == ("no_legal_pairing", value)
