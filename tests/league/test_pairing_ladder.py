"""league.pairing.ladder: nobody starves, the choice is the documented one, throttles hold, reasons say why."""

import random
import statistics
from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from league.pairing import PairingError
from league.pairing.ladder import First, LadderEntry, Met, Opponent, Throttles, choose
from league.pairing.ladder_cycle import CycleEntry, cycle, left_over

SEED = bytes(range(32))
OPEN = Throttles(pair_most=None, most=None)


def bots(count, **known):
    values = {"owner": None, "forza": 1500, "error": 100, "pairings": 10, "waited": 60} | known
    return [LadderEntry(entry=number, **values) for number in range(1, count + 1)]


def both_ways(meetings):
    """{a: {b: Met}} from {(a, b): Met}."""
    met = {}
    for (a, b), each in meetings.items():
        met.setdefault(a, {})[b] = each
        met.setdefault(b, {})[a] = each
    return met


def batches(entries, *, met=None, times=200, throttles=OPEN, count=1):
    """Pairings chosen by many seeds from one situation."""
    return [
        pairing
        for number in range(times)
        for pairing in choose(
            entries, count=count, met=met or {}, seed=SEED, label=f"{number}", throttles=throttles
        ).pairings
    ]


def season(count, choices, *, spread, refresh, batch=20):
    """Play `choices` pairings, one a second; errors are estimated anew every `refresh` batches. Waits by bot."""
    dice = random.Random(1)
    forza = [1500 + int(dice.gauss(0, spread)) for _ in range(count)]
    games, last, met = [0] * count, [0] * count, {number: {} for number in range(count)}
    waits = [[] for _ in range(count)]
    known, errors, now = [0] * count, [350] * count, 0
    for number in range(choices // batch):
        if number % refresh == 0:
            known = games[:]
            errors = [int((1 / (1 / 350**2 + each / 30_000)) ** 0.5) for each in games]
        entries = [
            LadderEntry(
                entry=bot,
                owner=None,
                forza=forza[bot],
                error=errors[bot],
                pairings=games[bot],
                estimated=known[bot],
                waited=now - last[bot],
            )
            for bot in range(count)
        ]
        drawn = choose(entries, count=batch, met=met, seed=SEED, label=f"{number}", throttles=OPEN)
        assert len(drawn.pairings) == batch
        for pairing in drawn.pairings:
            now += 1
            for one, two in (pairing.entries, pairing.entries[::-1]):
                waits[one].append(now - last[one])
                last[one] = now
                games[one] += 1
                met[one][two] = Met(met[one].get(two, Met(0, 0)).pairings + 1, 0)
    for bot in range(count):
        waits[bot].append(now - last[bot])
    return games, waits, met


@pytest.mark.parametrize(("count", "spread"), [(100, 0), (200, 80)])
def test_nobody_starves(count, spread):
    games, waits, met = season(count, 40 * count, spread=spread, refresh=10)
    longest = [max(each) for each in waits]
    means = [statistics.mean(each) for each in waits]
    assert max(longest) <= 3 * statistics.median(longest)
    assert max(means) <= 3 * statistics.median(means)
    # A quarter of the choices serve whoever waits longest: at most so many before it is one's turn.
    assert max(longest) <= 4 * count
    if not spread:
        middle = statistics.median(games)
        assert 0.8 * middle <= min(games) <= max(games) <= 1.2 * middle
    reached, todo = {0}, [0]
    while todo:
        found = set(met[todo.pop()]) - reached
        reached |= found
        todo += found
    assert len(reached) == count, "the graph of who met whom is connected"


def test_a_quarter_of_the_choices_serve_the_longest_waiting():
    entries = [*bots(9), LadderEntry(entry=99, owner=None, forza=1500, error=100, pairings=500, waited=10_000)]
    chosen = batches(entries, times=400)
    longest = [each for each in chosen if each.first is First.LONGEST_WAIT]
    assert 75 <= len(longest) <= 125
    assert all(each.entries[each.chosen] == 99 and each.waited == 10_000 for each in longest)
    other = Counter(each.entries[each.chosen] for each in chosen if each.first is First.FEW_GAMES)
    assert other[99] <= 6, "500 pairings weigh 26 times less than 10"
    assert min(other[each.entry] for each in bots(9)) >= 15


def ratio(one, two):
    """How many times more often the first of two is chosen by weight."""
    chosen = [each for each in batches([one, two], times=1200) if each.first is First.FEW_GAMES]
    found = Counter(each.entries[each.chosen] for each in chosen)
    return found[one.entry] / found[two.entry]


def test_few_games_an_owner_with_nothing_open_and_no_faults_weigh_more():
    one, two = bots(2)
    assert 1.6 < ratio(one, replace(two, pairings=30)) < 2.5
    assert 1.6 < ratio(replace(one, owner=1), replace(two, owner=2, owner_open=6)) < 2.5
    assert 3.2 < ratio(one, replace(two, faulty=True)) < 5.0


def test_the_opponent_is_the_one_from_whom_most_is_learnt():
    me = LadderEntry(entry=1, owner=None, forza=1500, error=50, pairings=0, waited=10**6)
    near = replace(me, entry=2, forza=1520, pairings=10**6, waited=0)
    unsure = replace(near, entry=3, error=200)
    far = replace(unsure, entry=4, forza=2300)
    chosen = [each for each in batches([me, near, unsure, far]) if each.entries[each.chosen] == 1]
    informed = Counter(sum(each.entries) - 1 for each in chosen if each.opponent is Opponent.INFORMATION)
    uniform = Counter(sum(each.entries) - 1 for each in chosen if each.opponent is Opponent.UNIFORM)
    assert set(informed) == {3}
    assert set(uniform) == {2, 3, 4}
    assert 8 <= sum(uniform.values()) <= 40
    # (50^2 + 200^2) / (1 + g/4) falls below (50^2 + 50^2) when they have met 31 times.
    for pairings, best in ((28, 3), (40, 2)):
        met = both_ways({(1, 3): Met(pairings, 10**6)})
        chosen = [each for each in batches([me, near, unsure, far], met=met) if each.entries[each.chosen] == 1]
        informed = {sum(each.entries) - 1 for each in chosen if each.opponent is Opponent.INFORMATION}
        assert informed == {best}
        assert {each.met for each in chosen if 3 in each.entries} == {pairings}


def test_an_error_that_does_not_know_the_last_pairings_counts_for_less():
    me = LadderEntry(entry=1, owner=None, forza=1500, error=50, pairings=0, waited=10**6)
    stale = replace(me, entry=2, error=200, pairings=90, estimated=0, waited=0)
    fresh = replace(me, entry=3, error=100, pairings=90, waited=0)
    chosen = batches([me, stale, fresh])
    assert {
        sum(each.entries) - 1
        for each in chosen
        if each.entries[each.chosen] == 1 and each.opponent is Opponent.INFORMATION
    } == {3}


def test_bots_of_one_owner_never_meet():
    entries = [replace(each, owner=each.entry % 3) for each in bots(9)]
    for each in batches(entries, times=20, count=10):
        assert each.entries[0] % 3 != each.entries[1] % 3
    alone = choose([replace(each, owner=1) for each in bots(3)], count=5, met={}, seed=SEED, label="x")
    assert (alone.pairings, alone.without_opponent) == ((), (1, 2, 3))


def test_a_throttled_pair_rests_and_others_take_its_place():
    often = both_ways({(1, 2): Met(20, 60)})
    entries = bots(3)
    seen = {frozenset(each.entries) for each in batches(entries, met=often, throttles=Throttles())}
    assert seen == {frozenset((1, 3)), frozenset((2, 3))}
    rested = both_ways({(1, 2): Met(20, 3600)})
    seen = {frozenset(each.entries) for each in batches(entries, met=rested, throttles=Throttles())}
    assert frozenset((1, 2)) in seen
    two = choose(bots(2), count=30, met={}, seed=SEED, label="x", throttles=Throttles())
    assert len(two.pairings) == 20, "what the batch itself chose counts"
    assert two.without_opponent == (1, 2)


def test_who_has_played_enough_plays_once_an_hour():
    entries = [replace(each, pairings=200, waited=3599 + (each.entry > 2)) for each in bots(4)]
    drawn = choose(entries, count=9, met={}, seed=SEED, label="x")
    assert [set(each.entries) for each in drawn.pairings] == [{3, 4}]
    assert choose(entries[:2], count=9, met={}, seed=SEED, label="x").pairings == ()


def test_a_batch_counts_its_own_choices():
    drawn = choose(bots(40), count=20, met={}, seed=SEED, label="x", throttles=OPEN)
    times = Counter(entry for each in drawn.pairings for entry in each.entries)
    assert max(times.values()) <= 3
    assert len(times) >= 25
    first = choose(bots(2), count=3, met={}, seed=SEED, label="x", throttles=OPEN)
    assert [each.met for each in first.pairings] == [0, 1, 2]


def test_both_sides_are_first_as_often():
    chosen = batches(bots(2), times=300)
    assert 110 < sum(each.chosen for each in chosen) < 190


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 30), st.randoms(use_true_random=False))
def test_the_order_of_the_entries_changes_nothing(count, dice):
    entries = [
        LadderEntry(
            entry=number,
            owner=dice.choice((None, 1, 2, 3)),
            forza=dice.randint(-2000, 5000),
            error=dice.randint(0, 10**6),
            pairings=dice.randint(0, 300),
            waited=dice.randint(0, 10**6),
            owner_open=dice.randint(0, 50),
            faulty=dice.random() < 0.2,
        )
        for number in range(count)
    ]
    met = both_ways({pair: Met(dice.randint(0, 50), dice.randint(0, 9999)) for pair in combinations(range(count), 2)})
    once = choose(entries, count=10, met=met, seed=SEED, label="x")
    dice.shuffle(entries)
    assert choose(entries, count=10, met=met, seed=SEED, label="x") == once
    by_entry = {each.entry: each for each in entries}
    for each in once.pairings:
        one, two = (by_entry[entry] for entry in each.entries)
        assert one.owner is None or one.owner != two.owner
        assert each.forza == (one.forza, two.forza)
        assert each.to_reason()["code"] == "ladder"


def test_a_reason_is_plain_data():
    (pairing,) = choose(bots(2), count=1, met={}, seed=SEED, label="x").pairings
    assert pairing.to_reason() == {
        "code": "ladder",
        "first": pairing.first.value,
        "opponent": pairing.opponent.value,
        "chosen": pairing.chosen,
        "waited": 60,
        "forza": [1500, 1500],
        "error": [100, 100],
        "met": 0,
        "seats": "mirrored",
    }


def test_a_ladder_of_nobody_chooses_nothing_and_one_twice_is_refused():
    assert choose([], count=3, met={}, seed=SEED, label="x").pairings == ()
    assert choose(bots(1), count=3, met={}, seed=SEED, label="x").without_opponent == (1,)
    for refuse in (
        lambda: choose(bots(1) * 2, count=1, met={}, seed=SEED, label="x"),
        lambda: cycle([CycleEntry(entry=1)] * 2, number=1, seed=SEED),
    ):
        with pytest.raises(PairingError) as caught:
            refuse()
        assert caught.value.code == "already_entered"


# Cycles.


@pytest.mark.parametrize("count", [0, 1, 2, 3, 7, 20, 65])
def test_each_cycle_every_two_meet_once(count):
    entries = [CycleEntry(entry=number) for number in range(count)]
    pairings = cycle(entries, number=3, seed=SEED)
    assert sorted(tuple(sorted(each.entries)) for each in pairings) == list(combinations(range(count), 2))
    if count > 2:
        assert pairings != cycle(entries, number=4, seed=SEED)
        assert pairings == cycle(entries[::-1], number=3, seed=SEED)
    per_round = count // 2
    for start in range(0, len(pairings), max(1, per_round)):
        busy = Counter(entry for each in pairings[start : start + per_round] for entry in each.entries)
        assert not busy or max(busy.values()) == 1, "nobody plays twice while another waits"


def test_a_new_entry_meets_the_references_first():
    entries = [CycleEntry(entry=number, owner=number // 2, reference=number in {0, 5}) for number in range(9)]
    entries.append(CycleEntry(entry=9, owner=100, new=True))
    pairings = cycle(entries, number=1, seed=SEED)
    assert {frozenset(each.entries) for each in pairings[:2]} == {frozenset((9, 0)), frozenset((9, 5))}
    assert [each.calibration for each in pairings] == [True, True] + [False] * (len(pairings) - 2)
    assert pairings[0].to_reason() == {
        "code": "ladder_cycle", "cycle": 1, "flags": ["calibration"], "seats": "mirrored",
    }  # fmt: skip
    assert len(pairings) == 45 - 4, "two of one owner do not meet"
    played = {frozenset(each.entries) for each in pairings[:7]}
    assert left_over(pairings, played=played) == pairings[7:]
