"""league.pairing.brackets, knockout and double_elimination: who meets whom, who passes, who ends where."""

import random
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from league.pairing import PairingError, double_elimination, knockout
from league.pairing.brackets import (
    Outcome,
    Part,
    Standing,
    Takes,
    dependents,
    resolve,
    rewound,
)
from league.pairing.knockout import Byes, PlaceRange, seed_order

SEED = bytes(range(32))
PLAYED = {Standing.PLAYED, Standing.FORFEIT, Standing.DOUBLE_FORFEIT}


def entries_of(count):
    return [1000 + seed for seed in range(1, count + 1)]


def played_through(bracket, count, winner, *, out=()):
    """Resolve again and again, `winner(place)` giving the side that goes on (None: double forfeit)."""
    seeds, outcomes = entries_of(count), {}
    while True:
        places = resolve(bracket, seeds=seeds, outcomes=outcomes, out=out)
        ready = [place for place in places if place.standing is Standing.READY]
        if not ready:
            return places, outcomes
        for place in ready:
            outcomes[place.pairing.number] = Outcome(winner=winner(place))


def better_seed(place):
    return int(place.entries[1] < place.entries[0])


def ranges(found):
    return {entry: (place.first, place.last) for entry, place in found.items()}


def test_seeds_stand_in_the_usual_order():
    assert seed_order(2) == (1, 2)
    assert seed_order(8) == (1, 8, 4, 5, 2, 7, 3, 6)
    assert seed_order(16) == (1, 16, 8, 9, 4, 13, 5, 12, 2, 15, 7, 10, 3, 14, 6, 11)


@pytest.mark.parametrize("count", [*range(2, 66), 100, 127, 128, 129, 255, 256, 257, 511, 512])
@pytest.mark.parametrize("byes", list(Byes))
def test_a_knockout_of_any_size(count, byes):
    bracket = knockout.bracket(count, byes=byes, seed=SEED)
    size = 1 << (count - 1).bit_length()
    assert [each.number for each in bracket] == list(range(size - 1))
    first = [each for each in bracket if each.round == 1]
    seeds = [source.seed for each in first for source in each.slots]
    assert sorted(filter(None, seeds)) == list(range(1, count + 1))
    passing = [each for each in first if any(source.seed is None for source in each.slots)]
    assert len(passing) == size - count
    assert all(any(source.seed for source in each.slots) for each in first), "a bye meets a bye"
    if byes is Byes.TOP_SEEDS:
        assert {source.seed for each in passing for source in each.slots} - {None} == set(range(1, size - count + 1))
    places, outcomes = played_through(bracket, count, better_seed)
    assert len(outcomes) == count - 1
    assert set(places[-1].entries) == {1001, 1002}, "the best two meet in the final"
    assert all(place.standing.is_end for place in places)
    assert sum(place.standing is Standing.WALKOVER and place.bye for place in places) == size - count
    found = ranges(knockout.places(places, entries=entries_of(count)))
    assert (found[1001], found[1002]) == ((1, 1), (2, 2))
    assert set(found) == set(entries_of(count))
    spans = Counter(found.values())
    assert all(last - first + 1 == people for (first, last), people in spans.items())
    assert min(spans)[0] == 1
    assert all(one[1] + 1 == two[0] for one, two in pairwise(sorted(spans)))


def test_places_of_a_knockout_of_eight_with_third_place():
    bracket = knockout.bracket(8, third_place=True)
    assert [(each.part, each.round) for each in bracket[-2:]] == [(Part.THIRD_PLACE, 3), (Part.WINNERS, 3)]
    places, outcomes = played_through(bracket, 8, better_seed)
    assert len(outcomes) == 8
    found = knockout.places(places, entries=entries_of(8))
    assert ranges(found) == {
        1001: (1, 1), 1002: (2, 2), 1003: (3, 3), 1004: (4, 4),
        1005: (5, 8), 1006: (5, 8), 1007: (5, 8), 1008: (5, 8),
    }  # fmt: skip
    assert found[1005] == PlaceRange(first=5, last=8)


def test_no_place_is_given_while_the_round_is_open():
    bracket = knockout.bracket(8)
    seeds = entries_of(8)
    outcomes = {number: Outcome(winner=0) for number in (0, 1, 2)}
    assert knockout.places(resolve(bracket, seeds=seeds, outcomes=outcomes), entries=seeds) == {}
    outcomes[3] = Outcome(winner=0)
    found = knockout.places(resolve(bracket, seeds=seeds, outcomes=outcomes), entries=seeds)
    assert set(ranges(found).values()) == {(5, 8)}


def test_byes_by_lot_are_drawn_from_the_seed():
    def passing(seed):
        bracket = knockout.bracket(6, byes=Byes.LOT, seed=seed)
        return tuple(each.board for each in bracket if each.round == 1 and None in {s.seed for s in each.slots})

    drawn = Counter(passing(bytes([number]) * 32) for number in range(120))
    assert len(drawn) == 6
    assert min(drawn.values()) >= 5
    assert passing(SEED) == passing(SEED)


def test_first_leads_alternate_from_a_coin():
    firsts = [knockout.first_lead(seed=SEED, label=f"{number}") for number in range(64)]
    assert 16 < sum(firsts) < 48
    for number, first in enumerate(firsts):
        others = [knockout.first_lead(seed=SEED, label=f"{number}", match=match) for match in (1, 2, 3)]
        assert others == [1 - first, first, 1 - first]


@pytest.mark.parametrize(
    ("make", "count"),
    [
        (knockout.bracket, 1),
        (knockout.bracket, 513),
        (double_elimination.bracket, 3),
        (double_elimination.bracket, 129),
    ],
)
def test_a_bracket_that_is_too_small_or_large_is_refused(make, count):
    with pytest.raises(PairingError) as caught:
        make(count)
    assert (caught.value.code, caught.value.value) == ("size_limit", str(count))


def test_third_place_needs_four():
    with pytest.raises(PairingError) as caught:
        knockout.bracket(3, third_place=True)
    assert (caught.value.code, caught.value.value) == ("size_limit", "3")


# Odd ends.


def test_a_double_forfeit_lets_the_next_one_pass():
    bracket = knockout.bracket(4)
    outcomes = {0: Outcome(winner=None), 1: Outcome(winner=1)}
    places = resolve(bracket, seeds=entries_of(4), outcomes=outcomes)
    assert [place.standing for place in places] == [Standing.DOUBLE_FORFEIT, Standing.PLAYED, Standing.WALKOVER]
    assert (places[2].entries, places[2].vacant, places[2].winner, places[2].bye) == (
        (None, 1003), (True, False), 1003, False,
    )  # fmt: skip
    assert ranges(knockout.places(places, entries=entries_of(4))) == {
        1001: (3, 4), 1002: (3, 4), 1004: (3, 4), 1003: (1, 1),
    }  # fmt: skip


def test_two_empty_slots_make_an_empty_pairing():
    bracket = knockout.bracket(8)
    outcomes = {number: Outcome(winner=None) for number in (0, 1)} | {2: Outcome(winner=0), 3: Outcome(winner=0)}
    places = resolve(bracket, seeds=entries_of(8), outcomes=outcomes)
    assert places[4].standing is Standing.EMPTY
    assert places[6].standing is Standing.WAITING
    outcomes[5] = Outcome(winner=0)
    assert resolve(bracket, seeds=entries_of(8), outcomes=outcomes)[6].standing is Standing.WALKOVER


def test_a_double_forfeit_in_the_final_leaves_no_first_place():
    bracket = knockout.bracket(4, third_place=True)
    outcomes = {0: Outcome(winner=0), 1: Outcome(winner=0), 2: Outcome(winner=None), 3: Outcome(winner=None)}
    places = resolve(bracket, seeds=entries_of(4), outcomes=outcomes)
    assert ranges(knockout.places(places, entries=entries_of(4))) == {
        1001: (2, 2), 1002: (2, 2), 1003: (4, 4), 1004: (4, 4),
    }  # fmt: skip


def test_a_double_forfeit_in_a_semifinal_with_third_place():
    bracket = knockout.bracket(4, third_place=True)
    outcomes = {0: Outcome(winner=None), 1: Outcome(winner=0)}
    places = resolve(bracket, seeds=entries_of(4), outcomes=outcomes)
    assert [place.standing for place in places[2:]] == [Standing.WALKOVER, Standing.WALKOVER]
    assert ranges(knockout.places(places, entries=entries_of(4))) == {
        1001: (4, 4), 1004: (4, 4), 1003: (3, 3), 1002: (1, 1),
    }  # fmt: skip


def test_who_is_out_forfeits_as_soon_as_an_opponent_is_known():
    bracket = knockout.bracket(4)
    seeds = entries_of(4)
    places = resolve(bracket, seeds=seeds, outcomes={0: Outcome(winner=0)}, out={1001})
    assert places[2].standing is Standing.WAITING
    places = resolve(bracket, seeds=seeds, outcomes={0: Outcome(winner=0), 1: Outcome(winner=0)}, out={1001})
    assert (places[0].standing, places[2].standing, places[2].winner) == (Standing.PLAYED, Standing.FORFEIT, 1002)
    places = resolve(bracket, seeds=seeds, outcomes={}, out={1001, 1004})
    assert places[0].standing is Standing.DOUBLE_FORFEIT


def test_nobody_who_is_out_wins_by_a_walkover():
    bracket = knockout.bracket(4, third_place=True)
    outcomes = {0: Outcome(winner=0), 1: Outcome(winner=None)}
    places = resolve(bracket, seeds=entries_of(4), outcomes=outcomes, out={1001, 1004})
    assert [place.standing for place in places[2:]] == [Standing.EMPTY, Standing.EMPTY]
    assert ranges(knockout.places(places, entries=entries_of(4)))[1001] == (2, 2)
    double = double_elimination.bracket(4)
    outcomes = {0: Outcome(winner=0), 1: Outcome(winner=None), 2: Outcome(winner=0)}
    with pytest.raises(PairingError):
        resolve(double, seeds=entries_of(4), outcomes=outcomes)
    del outcomes[2]
    places = resolve(double, seeds=entries_of(4), outcomes=outcomes, out={1001, 1004})
    assert [place.standing for place in places[-2:]] == [Standing.DOUBLE_FORFEIT, Standing.NOT_NEEDED]
    assert places[2].standing is Standing.WALKOVER
    found = ranges(double_elimination.places(places, entries=entries_of(4)))
    assert (found[1001], found[1004]) == ((2, 2), (2, 2))


def test_a_bye_before_a_withdrawal_stays_a_bye():
    bracket = knockout.bracket(3)
    before = resolve(bracket, seeds=entries_of(3), outcomes={1: Outcome(winner=0)})
    after = resolve(bracket, seeds=entries_of(3), outcomes={1: Outcome(winner=0)}, out={1001})
    assert before[0] == after[0]
    assert (after[2].standing, after[2].winner) == (Standing.FORFEIT, 1002)


def test_a_result_without_two_entries_is_refused():
    bracket = knockout.bracket(3)
    for number in (0, 2):
        with pytest.raises(PairingError) as caught:
            resolve(bracket, seeds=entries_of(3), outcomes={number: Outcome(winner=0)})
        assert (caught.value.code, caught.value.value) == ("bad_result", str(number))
    for seeds in ([1, 1, 2], [0, 1, 2]):
        with pytest.raises(PairingError) as caught:
            resolve(bracket, seeds=seeds, outcomes={})
        assert caught.value.code == "already_entered"


def test_a_rewind_annuls_what_depends_on_the_result_and_nothing_else():
    bracket = knockout.bracket(8)
    assert dependents(bracket, 0) == (4, 6)
    assert dependents(bracket, 6) == ()
    _, outcomes = played_through(bracket, 8, better_seed)
    kept, annulled = rewound(bracket, outcomes, 2)
    assert annulled == (5, 6)
    assert sorted(kept) == [0, 1, 3, 4]
    assert dependents(double_elimination.bracket(8), 0) == (4, 6, 7, 9, 10, 11, 12, 13, 14)


def test_reasons_say_where_each_side_comes_from():
    places = resolve(knockout.bracket(3), seeds=entries_of(3), outcomes={1: Outcome(winner=0)})
    assert [place.to_reason() for place in places] == [
        {"code": "bracket", "part": "winners", "round": 1, "from": [{"seed": 1}, {}], "flags": ["bye"]},
        {"code": "bracket", "part": "winners", "round": 1, "from": [{"seed": 2}, {"seed": 3}], "flags": []},
        {"code": "bracket", "part": "winners", "round": 2, "from": [{"winner": 0}, {"winner": 1}], "flags": []},
    ]
    double = double_elimination.bracket(4)
    final, reset = played_through(double, 4, better_seed)[0][-2:]
    assert final.to_reason()["from"] == [{"winner": 2}, {"winner": 4}]
    assert (reset.to_reason()["from"], reset.to_reason()["flags"]) == ([{"loser": 5}, {"winner": 5}], ["not_needed"])
    forfeited = resolve(
        knockout.bracket(4), seeds=entries_of(4), outcomes={0: Outcome(winner=None), 1: Outcome(winner=0)}
    )
    assert forfeited[2].to_reason()["flags"] == ["walkover"]


# Double elimination.


def reachable(bracket, count):
    """Per pairing and side: every (seed, winners' round in which it lost or 0) that can stand there."""
    sides, out_of = [], {}
    for each in bracket[:-1]:
        slots = []
        for source in each.slots:
            if source.pairing is None:
                slots.append({(source.seed, 0)} if source.seed else set())
            else:
                slots.append(out_of[source.pairing, source.takes])
        sides.append(slots)
        both = slots[0] | slots[1]
        out_of[each.number, Takes.WINNER] = both
        if each.part is Part.WINNERS:
            out_of[each.number, Takes.LOSER] = {(seed, each.round) for seed, _ in both}
    return sides


@pytest.mark.parametrize(("size", "earliest", "rounds"), [(8, 3, 4), (16, 4, 6), (32, 5, 8), (64, 7, 10), (128, 8, 12)])
def test_the_earliest_losers_round_in_which_a_pairing_can_repeat(size, earliest, rounds):
    bracket = double_elimination.bracket(size)
    position = {seed: place for place, seed in enumerate(seed_order(size))}
    sides = reachable(bracket, size)
    losers = [each for each in bracket if each.part is Part.LOSERS]
    assert max(each.round for each in losers) == rounds

    def can_repeat(each):
        one, two = sides[each.number]
        return any(
            (position[a] ^ position[b]).bit_length() == min(lost_a, lost_b) and lost_a != lost_b
            for a, lost_a in one
            for b, lost_b in two
        )

    assert min(each.round for each in losers if can_repeat(each)) == earliest


@pytest.mark.parametrize("count", [*range(4, 66), 95, 96, 97, 127, 128])
def test_double_elimination_of_any_size(count):
    dice = random.Random(count)
    bracket = double_elimination.bracket(count)
    fed = Counter((source.pairing, source.takes) for each in bracket for source in each.slots if source.takes)
    assert set(fed.values()) == {1}, "nobody goes to two slots"
    for each in bracket:
        for target, takes in ((each.winner_to, Takes.WINNER), (each.loser_to, Takes.LOSER)):
            if target is not None:
                source = bracket[target.pairing].slots[target.side]
                assert (source.pairing, source.takes) == (each.number, takes)
    for favourite in (0, 1):
        places, outcomes = played_through(
            bracket,
            count,
            lambda place, favourite=favourite: favourite if place.pairing.part is Part.FINAL else dice.choice((0, 1)),
        )
        assert all(place.standing.is_end for place in places)
        losses = Counter(place.loser for place in places if place.loser is not None)
        champion = places[-1].winner or places[-2].winner
        assert len(outcomes) == 2 * count - 2 + favourite
        assert places[-1].standing is (Standing.PLAYED if favourite else Standing.NOT_NEEDED)
        assert all(losses[entry] == 2 for entry in entries_of(count) if entry != champion)
        assert losses[champion] <= 1
        found = ranges(double_elimination.places(places, entries=entries_of(count)))
        assert set(found) == set(entries_of(count))
        assert found[champion] == (1, 1)
        spans = Counter(found.values())
        assert all(last - first + 1 == people for (first, last), people in spans.items())
        assert all(one[1] + 1 == two[0] for one, two in pairwise(sorted(spans)))


def test_places_of_a_full_double_elimination():
    places, _ = played_through(double_elimination.bracket(16), 16, better_seed)
    spans = Counter(ranges(double_elimination.places(places, entries=entries_of(16))).values())
    assert spans == {(1, 1): 1, (2, 2): 1, (3, 3): 1, (4, 4): 1, (5, 6): 2, (7, 8): 2, (9, 12): 4, (13, 16): 4}


def test_byes_of_the_winners_bracket_pass_in_the_losers_bracket_too():
    places, _ = played_through(double_elimination.bracket(5), 5, better_seed)
    first = [place for place in places if place.pairing.part is Part.LOSERS and place.pairing.round == 1]
    assert sorted(place.standing for place in first) == [Standing.EMPTY, Standing.WALKOVER]
    assert all(place.bye for place in first)


@settings(deadline=None)
@given(st.integers(4, 40), st.integers(0, 2**32))
def test_forfeits_and_withdrawals_anywhere_leave_no_slot_open(count, chance):
    dice = random.Random(chance)
    for make, rank in (
        (knockout.bracket(count, third_place=True), knockout.places),
        (double_elimination.bracket(count), double_elimination.places),
    ):
        out = set(dice.sample(entries_of(count), dice.randint(0, count // 3)))
        places, outcomes = played_through(make, count, lambda _: dice.choice((0, 1, 0, 1, None)), out=out)
        assert all(place.standing.is_end for place in places)
        for place in places:
            assert place.standing not in PLAYED or None not in place.entries
            assert place.standing is not Standing.WALKOVER or place.winner is not None
        found = ranges(rank(places, entries=entries_of(count)))
        assert set(found) == set(entries_of(count))
        assert sum(place == (1, 1) for place in found.values()) <= 1
        if outcomes:
            number = dice.choice(sorted(outcomes))
            kept, annulled = rewound(make, outcomes, number)
            again = resolve(make, seeds=entries_of(count), outcomes=kept, out=out)
            assert again[number].standing is Standing.READY
            restored = resolve(
                make, seeds=entries_of(count), outcomes=kept | {each: outcomes[each] for each in (number, *annulled)},
                out=out,
            )  # fmt: skip
            assert restored == places
