"""league.pairing: Berger tables, seats, byes and lots."""

import hmac
import json
import time
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from league.pairing import PairingError, drawn_order, lot, schedule

TABLES = json.loads((Path(__file__).parent.parent / "golden" / "berger.json").read_text())["tables"]
SIZES = range(3, 65)


def seats(rounds, entry):
    """The entry's seat in each round, None where it rests."""
    taken = []
    for each in rounds:
        boards = [board for board in each.boards if entry in (board.seat_0, board.seat_1)]
        assert len(boards) == (each.resting != entry)
        taken.append((0 if boards[0].seat_0 == entry else 1) if boards else None)
    return taken


def longest_run(taken):
    """Longest row of equal seats, rests left out."""
    played = [seat for seat in taken if seat is not None]
    longest = run = 1
    for before, after in pairwise(played):
        run = run + 1 if before == after else 1
        longest = max(longest, run)
    return longest


@pytest.mark.parametrize("size", TABLES)
def test_the_closed_form_is_the_published_berger_table(size):
    rounds = schedule(range(1, int(size) + 1))
    found = [[[board.seat_0, board.seat_1] for board in each.boards] for each in rounds]
    assert found == TABLES[size]


@pytest.mark.parametrize("size", TABLES)
def test_an_odd_number_plays_the_table_above_without_its_last_number(size):
    odd = int(size) - 1
    rounds = schedule(range(1, odd + 1))
    for each, published in zip(rounds, TABLES[size], strict=True):
        kept = [pair for pair in published if int(size) not in pair]
        assert [[board.seat_0, board.seat_1] for board in each.boards] == kept
        assert [each.resting] == [number for pair in published if int(size) in pair for number in pair if number <= odd]


@pytest.mark.parametrize("size", SIZES)
def test_everyone_meets_everyone_once_and_sits_evenly(size):
    entries = [1000 + number for number in range(size)]
    rounds = schedule(entries)
    assert len(rounds) == size - 1 + size % 2
    assert [each.number for each in rounds] == list(range(1, len(rounds) + 1))
    met = sorted(tuple(sorted((board.seat_0, board.seat_1))) for each in rounds for board in each.boards)
    assert met == list(combinations(entries, 2))
    for entry in entries:
        taken = seats(rounds, entry)
        assert abs(taken.count(0) - taken.count(1)) <= 1
        assert taken.count(None) == size % 2


@pytest.mark.parametrize("size", SIZES)
def test_a_double_round_robin_exchanges_seats_and_keeps_none_for_long(size):
    rounds = schedule(range(size), double=True)
    half = len(rounds) // 2
    assert [each.cycle for each in rounds] == [1] * half + [2] * half
    games = [(board.seat_0, board.seat_1) for each in rounds for board in each.boards]
    assert sorted(games) == [(a, b) for a in range(size) for b in range(size) if a != b]
    for entry in range(size):
        taken = seats(rounds, entry)
        assert longest_run(taken) <= 2
        assert taken.count(0) == taken.count(1) == size - 1


def test_without_the_swap_of_two_rounds_a_seat_would_be_kept_three_times():
    single = schedule(range(1, 7))
    seat_runs = []
    for entry in range(1, 7):
        first = seats(single, entry)
        seat_runs.append(longest_run(first + [1 - seat for seat in first]))
    assert max(seat_runs) == 3


@pytest.mark.parametrize("size", [0, 2, 65])
def test_too_few_or_too_many_entries_are_refused(size):
    with pytest.raises(PairingError) as caught:
        schedule(range(size))
    assert (caught.value.code, caught.value.value) == ("size_limit", str(size))


def test_an_entry_given_twice_is_refused():
    with pytest.raises(PairingError) as caught:
        schedule([7, 8, 9, 8])
    assert (caught.value.code, caught.value.value) == ("already_entered", "8")


def test_lots_are_hmacs_of_the_seed_and_order_the_entries():
    seed = bytes(range(32))
    assert lot(seed=seed, label="numbers:5", entry=12) == hmac.digest(seed, b"numbers:5:12", "sha256")
    order = drawn_order([1, 2, 3, 4, 5, 6, 7, 8], seed=seed, label="numbers:5")
    assert sorted(order) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert order == tuple(sorted(order, key=lambda entry: lot(seed=seed, label="numbers:5", entry=entry)))
    assert order != drawn_order(range(1, 9), seed=seed, label="numbers:6")
    assert order != drawn_order(range(1, 9), seed=bytes(32), label="numbers:5")


@settings(deadline=None)
@given(st.permutations(range(20)), st.binary(min_size=32, max_size=32))
def test_the_order_drawn_does_not_depend_on_the_order_given(entries, seed):
    assert drawn_order(entries, seed=seed, label="x") == drawn_order(range(20), seed=seed, label="x")


def test_the_largest_schedule_is_built_in_no_time():
    best = min(_timed(lambda: schedule(range(64), double=True)) for _ in range(5))
    assert best < 0.1


def _timed(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
