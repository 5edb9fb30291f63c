"""league.pairing.draws and lots: by lot, and labels kept apart wherever that is possible."""

import hmac
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from league.pairing import PairingError, coin
from league.pairing.brackets import resolve
from league.pairing.draws import MOST_TRIES, draw_places, draw_round, draw_seeds, places
from league.pairing.knockout import bracket
from league.pairing.lots import Stream

SEED = bytes(range(32))


def clubs(number, size):
    """`number` clubs with `size` members each."""
    return {100 * club + member: f"club {club}" for club in range(1, number + 1) for member in range(size)}


def names_of(pairs, labels):
    return [{labels[one], labels[two]} for one, two in pairs]


def test_the_stream_is_the_documented_hmac():
    block = hmac.digest(SEED, b"name:0", "sha256") + hmac.digest(SEED, b"name:1", "sha256")
    numbers = [int.from_bytes(block[at : at + 4]) for at in range(0, 64, 4)]
    stream = Stream(seed=SEED, label="name")
    assert [stream.below(1 << 32) for _ in range(16)] == numbers
    assert coin(seed=SEED, label="name") == hmac.digest(SEED, b"name", "sha256")[0] % 2


def test_the_stream_is_even():
    stream = Stream(seed=SEED, label="even")
    seen = Counter(stream.below(6) for _ in range(6000))
    assert set(seen) == set(range(6))
    assert all(880 < count < 1120 for count in seen.values())
    orders = Counter(tuple(stream.shuffled("abc")) for _ in range(3000))
    assert len(orders) == 6
    assert all(400 < count < 600 for count in orders.values())
    large = [stream.share(10**30) for _ in range(200)]
    assert 0 <= min(large) < 10**29 < 9 * 10**29 < max(large) < 10**30


@pytest.mark.parametrize(("number", "size"), [(8, 8), (16, 4), (4, 16), (2, 32), (32, 2)])
def test_clubs_are_kept_apart_in_every_draw(number, size):
    labels = clubs(number, size)
    dealt = 0
    tries = 10 if size <= 8 else 3
    for draw in range(tries):
        drawn = draw_round(labels, seed=bytes([draw]) * 32, label="r1", labels=labels)
        assert all(len(names) == 2 for names in names_of(drawn.pairs, labels))
        assert sorted(entry for pair in drawn.pairs for entry in pair) == sorted(labels)
        assert drawn.draw.conflicts == ()
        dealt += drawn.draw.dealt
    if (number, size) == (2, 32):
        assert dealt == tries, "no lot parts two clubs of 32"


@settings(deadline=None, max_examples=60)
@given(st.lists(st.sampled_from(["", "a", "b", "c", "d"]), min_size=2, max_size=30), st.binary(min_size=1))
def test_no_conflict_wherever_one_can_be_avoided(names, seed):
    labels = dict(enumerate(names, start=1))
    drawn = draw_round(labels, seed=seed, label="x", labels=labels)
    paired = [entry for pair in drawn.pairs for entry in pair]
    assert sorted([*paired, *([drawn.bye] if drawn.bye else [])]) == sorted(labels)
    sizes = Counter(labels[entry] for entry in paired if labels[entry])
    unavoidable = max(0, max(sizes.values(), default=0) - len(drawn.pairs))
    assert len(drawn.draw.conflicts) == unavoidable
    same = [len(each) == 1 and each != {""} for each in names_of(drawn.pairs, labels)]
    flags = ["same_label" in drawn.to_reason(index)["flags"] for index in range(len(drawn.pairs))]
    assert flags == same
    assert drawn == draw_round(reversed(labels), seed=seed, label="x", labels=labels)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.sampled_from(["", "a", "b", "c"]), min_size=3, max_size=30), st.data())
def test_a_bracket_with_byes_keeps_apart_too(names, data):
    labels = dict(enumerate(names, start=1))
    byes = data.draw(st.integers(0, len(names) // 2))
    if (len(names) - byes) % 2:
        byes += 1
    places = data.draw(st.permutations(range(len(names))))
    meeting = places[byes:]
    pairs = list(zip(meeting[::2], meeting[1::2], strict=True))
    drawn = draw_places(labels, pairs=pairs, labels=labels, seed=SEED, label="x")
    assert sorted(drawn.order) == sorted(labels)
    biggest = max(Counter(name for name in names if name).values(), default=0)
    assert len(drawn.conflicts) == max(0, biggest - (len(pairs) + byes))


def test_an_odd_one_out_passes_by_lot_among_those_that_had_no_bye():
    passed = Counter(draw_round(range(1, 6), seed=bytes([n]) * 32, label="r", had_bye=[1, 2]).bye for n in range(90))
    assert set(passed) == {3, 4, 5}
    assert min(passed.values()) > 15
    everyone = draw_round([1, 2, 3], seed=SEED, label="r", had_bye=[1, 2, 3])
    assert everyone.bye in {1, 2, 3}
    assert everyone.to_reason(None) == {"code": "drawn_bye", "flags": []}
    assert everyone.to_reason(0) == {"code": "drawn", "tries": 1, "flags": []}


def test_both_sides_lead_first_as_often():
    first = sum(draw_round([1, 2], seed=bytes([n]) * 32, label="r").pairs[0] == (1, 2) for n in range(200))
    assert 70 < first < 130


def test_an_impossible_wish_is_not_tried_a_thousand_times():
    labels = dict.fromkeys(range(1, 9), "one club")
    drawn = draw_round(labels, seed=SEED, label="r", labels=labels).draw
    assert (drawn.tries, drawn.dealt, len(drawn.conflicts)) == (1, True, 4)
    assert MOST_TRIES == 1000


@pytest.mark.parametrize(
    ("entries", "code", "value"),
    [([], "no_legal_pairing", ""), ([7], "no_legal_pairing", "7"), ([1, 1], "already_entered", "1")],
)
def test_what_cannot_be_drawn_is_refused(entries, code, value):
    with pytest.raises(PairingError) as caught:
        draw_round(entries, seed=SEED, label="r")
    assert (caught.value.code, caught.value.value) == (code, value)


def test_places_of_rounds_drawn_one_by_one():
    out = [[5, 6, 7], [3, 4], [2]]
    found = {entry: (each.first, each.last) for entry, each in places(out, winner=1, count=7).items()}
    assert found == {5: (5, 7), 6: (5, 7), 7: (5, 7), 3: (3, 4), 4: (3, 4), 2: (2, 2), 1: (1, 1)}
    assert set(places(out[:1], winner=None, count=7)) == {5, 6, 7}
    both = {entry: (each.first, each.last) for entry, each in places([[3, 4], [1, 2]], winner=None, count=4).items()}
    assert both == {3: (3, 4), 4: (3, 4), 1: (2, 2), 2: (2, 2)}


@settings(deadline=None, max_examples=30)
@given(st.integers(2, 64), st.randoms(use_true_random=False))
def test_a_knockout_drawn_round_by_round_ends_with_one(count, dice):
    left, had, out, number = list(range(1, count + 1)), set(), [], 0
    while len(left) > 1:
        number += 1
        drawn = draw_round(left, seed=SEED, label=f"r{number}", had_bye=had)
        if drawn.bye is not None:
            assert drawn.bye not in had or had >= set(left)
            had.add(drawn.bye)
        lost = [dice.choice(pair) for pair in drawn.pairs]
        left = [entry for entry in left if entry not in lost]
        out.append(lost)
    assert number == (count - 1).bit_length()
    found = places(out, winner=left[0], count=count)
    assert sorted(found) == list(range(1, count + 1))
    assert (found[left[0]].first, found[out[-1][0]].first) == (1, 2)


@pytest.mark.parametrize(("number", "size"), [(8, 8), (7, 7), (3, 9), (2, 21)])
def test_a_drawn_bracket_keeps_clubs_apart_in_its_first_round(number, size):
    labels = clubs(number, size)
    made = bracket(len(labels))
    drawn = draw_seeds(labels, bracket=made, labels=labels, seed=SEED, label="seeds")
    assert drawn.conflicts == ()
    assert sorted(drawn.order) == sorted(labels)
    for place in resolve(made, seeds=drawn.order, outcomes={}):
        if place.pairing.round == 1 and None not in place.entries:
            assert len({labels[entry] for entry in place.entries}) == 2
