"""league.scoring: standings and tie-breaks against golden values and a slow implementation of the rules."""

import json
import time
from collections import defaultdict
from fractions import Fraction
from hashlib import sha256
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from league.pairing import schedule
from league.scoring import (
    CARD_POINTS_ORDER,
    ROUND_ROBIN_ORDER,
    SWISS_ORDER,
    Criterion,
    Entrant,
    PairingEnd,
    PairingResult,
    ScoringError,
    standings,
)

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "ratings.json").read_text())
SEED = bytes(range(32))
ALONE = {PairingEnd.BYE: 2, PairingEnd.HALF_BYE: 1, PairingEnd.ABSENCE: 0}
UNPLAYED = [PairingEnd.FORFEIT, PairingEnd.DOUBLE_FORFEIT, PairingEnd.VOID]
MINI_TABLE_ORDER = (Criterion.POINTS, Criterion.MINI_TABLE, Criterion.DRAW)
EVERYTHING = (*SWISS_ORDER[:-1], Criterion.CARD_POINTS, Criterion.DEALS_WON, Criterion.DRAW)
ORDERS = (ROUND_ROBIN_ORDER, SWISS_ORDER, CARD_POINTS_ORDER, MINI_TABLE_ORDER, EVERYTHING)


def entrants(*entries):
    return tuple(Entrant(entry=entry) for entry in entries)


def game(number, a, b, points=(2, 0), *, end=PairingEnd.PLAYED, wins=None, deals=(2, 1), cards=(200, 160)):
    if end is not PairingEnd.PLAYED:
        return PairingResult(round=number, entries=(a, b), end=end, points=points)
    wins = wins or (int(points[0] > points[1]), int(points[1] > points[0]))
    return PairingResult(round=number, entries=(a, b), end=end, points=points, wins=wins, deals=deals, cards=cards)


def amounts(rows, criterion):
    return {row.entry: value.amount for row in rows for value in row.values if value.criterion is criterion}


# The rules once more, slowly: fractions of points instead of half-points, no shared sums, straight from the text.


def slow_points(entry, results):
    return sum(Fraction(r.points[r.entries.index(entry)], 2) for r in results if entry in r.entries)


def slow_adjusted(entry, results):
    own = sorted((r for r in results if entry in r.entries), key=lambda r: r.round)
    total = slow_points(entry, results)
    while own and own[-1].end in (PairingEnd.ABSENCE, PairingEnd.HALF_BYE):
        total += Fraction(1, 2) - Fraction(own.pop().points[0], 2)
    return total


def slow_rounds(entry, results):
    """(worth, own points, voluntarily unplayed) of each of the entry's results."""
    for r in (r for r in results if entry in r.entries):
        side = r.entries.index(entry)
        won = Fraction(r.points[side], 2)
        other = r.entries[1 - side]
        if r.end is PairingEnd.PLAYED:
            yield slow_adjusted(other, results), won, False
        elif r.end in (PairingEnd.FORFEIT, PairingEnd.DOUBLE_FORFEIT):
            yield min(slow_points(entry, results), slow_adjusted(other, results)), won, won == 0
        else:
            away = r.end in (PairingEnd.ABSENCE, PairingEnd.HALF_BYE)
            yield slow_points(entry, results), won, away


def slow_value(criterion, entry, results, tied=()):  # noqa: PLR0911 (one return a criterion)
    mine = [(r, r.entries.index(entry)) for r in results if entry in r.entries]
    at_table = [(r, side) for r, side in mine if r.end is PairingEnd.PLAYED]
    rounds = list(slow_rounds(entry, results))
    match criterion:
        case Criterion.POINTS:
            return 2 * slow_points(entry, results)
        case Criterion.BUCHHOLZ:
            return 2 * sum(worth for worth, _, _ in rounds)
        case Criterion.BUCHHOLZ_CUT1:
            unplayed = [worth for worth, _, voluntary in rounds if voluntary]
            worths = [worth for worth, _, _ in rounds]
            return 2 * (sum(worths) - min(unplayed or worths or [0]))
        case Criterion.SONNEBORN_BERGER:
            return 4 * sum(worth * won for worth, won, _ in rounds)
        case Criterion.PROGRESSIVE:
            last = max((r.round for r in results), default=0)
            return sum(
                r.points[side] for number in range(1, last + 1) for r, side in mine if r.round <= number
            )  # fmt: skip
        case Criterion.WINS:
            return sum(r.wins[side] for r, side in at_table)
        case Criterion.DEAL_DIFFERENCE:
            return sum(r.deals[side] - r.deals[1 - side] for r, side in at_table)
        case Criterion.CARD_DIFFERENCE:
            return sum(r.cards[side] - r.cards[1 - side] for r, side in at_table)
        case Criterion.CARD_POINTS:
            return sum(r.cards[side] for r, side in mine)
        case Criterion.DEALS_WON:
            return sum(r.deals[side] for r, side in mine)
        case Criterion.DRAW:
            return int(sha256(f"{SEED.hex()}:tiebreak:{entry}".encode()).hexdigest(), 16)
        case Criterion.DIRECT_ENCOUNTER:
            if any(not any({a, b} == set(r.entries) for r in results) for a, b in combinations(tied, 2)):
                return None
            return sum(r.points[side] for r, side in mine if r.entries[1 - side] in tied)


def slow_mini_table(group, results):
    """The group parted by points, then deal difference, among itself, and each part again by its own."""
    among = [r for r in results if set(r.entries) <= set(group)]
    found = defaultdict(list)
    for entry in group:
        deals = slow_value(Criterion.DEAL_DIFFERENCE, entry, among)
        found[slow_points(entry, among), deals].append(entry)
    if len(found) == 1:
        return [group]
    return [part for key in sorted(found, reverse=True) for part in slow_mini_table(found[key], results)]


def slow_order(entries, results, order):
    """Entries from first to last, each criterion parting those whom the ones before left equal."""
    groups = [sorted(entries)]
    for criterion in order:
        parted = []
        for group in groups:
            if criterion is Criterion.MINI_TABLE:
                parted += slow_mini_table(group, results)
                continue
            found = defaultdict(list)
            for entry in group:
                found[slow_value(criterion, entry, results, group) or 0].append(entry)
            parted += [found[value] for value in sorted(found, reverse=True)]
        groups = parted
    return [entry for group in groups for entry in group]


@st.composite
def tournaments(draw, largest=9):
    """Results of some rounds between a few entries: random pairings, ends, points; byes, absences; not always all."""
    size = draw(st.integers(2, largest))
    entries = draw(st.permutations(range(101, 101 + size)))
    results = []
    for number in range(1, draw(st.integers(0, 6)) + 1):
        waiting = draw(st.permutations(entries))
        while len(waiting) > 1 and draw(st.integers(0, 9)):
            a, b, *waiting = waiting
            end = draw(st.sampled_from([PairingEnd.PLAYED] * 6 + UNPLAYED))
            small = st.integers(0, 3)
            if end is PairingEnd.PLAYED:
                points = draw(st.sampled_from([(2, 0), (1, 1), (0, 2)]))
                deals = draw(st.tuples(small, small))
                cards = draw(st.tuples(st.integers(0, 240), st.integers(0, 240)))
                wins = draw(st.tuples(small, small))
                results.append(game(number, a, b, points, wins=wins, deals=deals, cards=cards))
            else:
                points = {PairingEnd.FORFEIT: (2, 0), PairingEnd.DOUBLE_FORFEIT: (0, 0), PairingEnd.VOID: (1, 1)}[end]
                results.append(game(number, a, b, draw(st.sampled_from([points, points[::-1]])), end=end))
        for entry in waiting:
            end = draw(st.sampled_from([*ALONE, None]))
            if end:
                results.append(game(number, entry, None, (ALONE[end], 0), end=end))
    return list(entries), results


def golden_tournament(case):
    points = {"1-0": (2, 0), "1/2": (1, 1), "0-1": (0, 2)}
    results = [
        game(number, a, b, points[result]) if b else game(number, a, None, (2, 0), end=PairingEnd.BYE)
        for number, pairings in enumerate(case["rounds"], start=1)
        for a, b, result in pairings
    ]
    return entrants(*range(1, case["players"] + 1)), results


@pytest.mark.parametrize("case", GOLDEN["tiebreaks"]["cases"])
@pytest.mark.parametrize(
    ("criterion", "name"),
    [
        (Criterion.POINTS, "points"),
        (Criterion.BUCHHOLZ, "buchholz"),
        (Criterion.BUCHHOLZ_CUT1, "buchholz_cut1"),
        (Criterion.SONNEBORN_BERGER, "sonneborn_berger"),
        (Criterion.PROGRESSIVE, "progressive"),
    ],
)
def test_tie_breaks_are_those_of_an_independent_engine(case, criterion, name):
    players, results = golden_tournament(case)
    found = amounts(standings(entrants=players, results=results, seed=SEED, order=SWISS_ORDER), criterion)
    expected = {int(entry): Fraction(values[name]) for entry, values in case["expected"].items()}
    assert {entry: Fraction(amount, criterion.divisor) for entry, amount in found.items()} == expected


@pytest.mark.parametrize("case", GOLDEN["tiebreaks"]["cases"])
def test_wins_leave_out_the_byes_that_the_golden_count_includes(case):
    players, results = golden_tournament(case)
    found = amounts(standings(entrants=players, results=results, seed=SEED), Criterion.WINS)
    for entry, amount in found.items():
        byes = sum(result.entries == (entry, None) for result in results)
        assert amount + byes == case["expected"][str(entry)]["wins_incl_unplayed"]


@settings(deadline=None)
@given(tournaments(), st.sampled_from(ORDERS))
def test_standings_are_those_of_the_slow_rules(tournament, order):
    entries, results = tournament
    rows = standings(entrants=entrants(*entries), results=results, seed=SEED, order=order)
    assert [row.entry for row in rows] == slow_order(entries, results, order)
    assert [row.rank for row in rows] == list(range(1, len(rows) + 1))
    for criterion in order:
        if criterion not in (Criterion.DIRECT_ENCOUNTER, Criterion.MINI_TABLE):
            expected = {entry: slow_value(criterion, entry, results) for entry in entries}
            assert amounts(rows, criterion) == expected


@settings(deadline=None)
@given(tournaments(), st.sampled_from((ROUND_ROBIN_ORDER, EVERYTHING)), st.randoms(use_true_random=False))
def test_the_order_of_entrants_and_results_changes_nothing(tournament, order, dice):
    entries, results = tournament
    rows = standings(entrants=entrants(*entries), results=results, seed=SEED, order=order)
    turned = [
        PairingResult(
            round=result.round,
            entries=result.entries[::-1],
            end=result.end,
            points=result.points[::-1],
            wins=result.wins[::-1],
            deals=result.deals[::-1],
            cards=result.cards[::-1],
        )
        if result.entries[1] is not None
        else result
        for result in results
    ]
    dice.shuffle(entries)
    dice.shuffle(turned)
    assert standings(entrants=entrants(*entries), results=turned, seed=SEED, order=order) == rows


@settings(deadline=None)
@given(tournaments(), st.sampled_from((EVERYTHING, MINI_TABLE_ORDER)))
def test_every_explanation_adds_up_to_its_value(tournament, order):
    entries, results = tournament
    for row in standings(entrants=entrants(*entries), results=results, seed=SEED, order=order):
        assert [value.criterion for value in row.values] == list(order)
        assert row.points == row.values[0].amount or order[0] is not Criterion.POINTS
        for value in row.values:
            if value.criterion is Criterion.DRAW or value.amount is None:
                continue
            assert sum(part.amount for part in value.parts if part.code != "mini_deals") == value.amount
            for part in value.parts:
                assert part.base is None or part.base * part.weight == part.amount


@settings(deadline=None)
@given(tournaments(), st.sampled_from((ROUND_ROBIN_ORDER, SWISS_ORDER)))
def test_a_row_below_is_smaller_by_the_criterion_that_decided(tournament, order):
    entries, results = tournament
    rows = standings(entrants=entrants(*entries), results=results, seed=SEED, order=order)
    assert rows[0].decided_by is None
    for above, row in pairwise(rows):
        at = order.index(row.decided_by)
        assert above.values[at].amount > row.values[at].amount
        for before in range(at):
            if order[before] is not Criterion.DIRECT_ENCOUNTER:
                assert above.values[before].amount == row.values[before].amount


def test_the_lot_decides_when_nothing_has_been_played():
    rows = standings(entrants=entrants(1, 2, 3, 4), results=[], seed=SEED)
    lots = {entry: sha256(f"{SEED.hex()}:tiebreak:{entry}".encode()).hexdigest() for entry in (1, 2, 3, 4)}
    assert [row.entry for row in rows] == sorted(lots, key=lots.__getitem__, reverse=True)
    assert [row.decided_by for row in rows] == [None] + [Criterion.DRAW] * 3
    assert [row.values[-1].to_dict()["value"] for row in rows] == sorted(lots.values(), reverse=True)


def test_without_the_lot_equal_entries_share_a_rank():
    order = (Criterion.POINTS, Criterion.WINS)
    rows = standings(entrants=entrants(4, 3, 2, 1), results=[game(1, 3, 4)], seed=SEED, order=order)
    assert [(row.rank, row.entry, row.decided_by) for row in rows] == [
        (1, 3, None),
        (2, 1, Criterion.POINTS),
        (2, 2, None),
        (2, 4, None),
    ]


def test_the_direct_encounter_counts_both_games_of_a_double_round_robin():
    results = [
        game(1, 1, 2, (2, 0)),
        game(2, 2, 1, (1, 1)),
        game(1, 3, 4, (2, 0)),
        game(2, 4, 3, (2, 0)),
        game(3, 2, 3, (2, 0)),
        game(4, 1, 3, (0, 2)),
    ]
    rows = standings(entrants=entrants(1, 2, 3, 4), results=results, seed=SEED)
    assert [(row.entry, row.points) for row in rows] == [(3, 4), (1, 3), (2, 3), (4, 2)]
    assert rows[2].decided_by is Criterion.DIRECT_ENCOUNTER
    values = {row.entry: row.values[1].to_dict() for row in rows}
    assert values[1] == {
        "code": "direct_encounter",
        "value": 3,
        "parts": [
            {"code": "played", "amount": 2, "round": 1, "opponent": 2},
            {"code": "played", "amount": 1, "round": 2, "opponent": 2},
        ],
    }
    assert values[3] == {"code": "direct_encounter", "value": None, "parts": []}


def test_the_direct_encounter_is_left_out_when_two_of_the_tied_have_not_met():
    results = [game(1, 1, 2), game(1, 3, 4), game(2, 1, 5), game(2, 3, 5), game(3, 1, 6), game(3, 6, 3)]
    rows = standings(entrants=entrants(1, 2, 3, 4, 5, 6), results=results, seed=SEED)
    assert [row.points for row in rows] == [6, 4, 2, 0, 0, 0]
    values = {row.entry: row.values[1] for row in rows}
    assert [(part.code, part.opponent) for part in values[2].parts] == [("not_met", 4)]
    assert [(part.code, part.opponent) for part in values[5].parts] == [("not_met", 2)]
    assert {value.amount for value in values.values()} == {None}
    assert Criterion.DIRECT_ENCOUNTER not in {row.decided_by for row in rows}


def test_the_mini_table_is_applied_again_to_those_still_tied():
    results = [
        game(1, 1, 2, (2, 0), deals=(2, 0)),
        game(2, 2, 3, (2, 0), deals=(2, 0)),
        game(3, 3, 1, (2, 0), deals=(2, 1)),
        game(4, 4, 1, (2, 0), deals=(2, 0)),
        game(4, 2, 4, (0, 2), deals=(0, 2)),
        game(5, 3, 4, (0, 2), deals=(0, 2)),
    ]
    rows = standings(entrants=entrants(1, 2, 3, 4), results=results, seed=SEED, order=MINI_TABLE_ORDER)
    assert [(row.entry, row.points) for row in rows] == [(4, 6), (1, 2), (2, 2), (3, 2)]
    parts = {row.entry: row.values[1].parts[-1] for row in rows if row.entry != 4}
    assert {entry: (part.code, part.amount) for entry, part in parts.items()} == {
        1: ("mini_deals", 1),
        2: ("mini_deals", 0),
        3: ("mini_deals", -1),
    }
    level = [*results[:2], game(3, 3, 1, (2, 0), deals=(2, 0)), *results[3:]]
    rows = standings(entrants=entrants(1, 2, 3, 4), results=level, seed=SEED, order=MINI_TABLE_ORDER)
    assert [row.decided_by for row in rows] == [None, Criterion.POINTS, Criterion.DRAW, Criterion.DRAW]


def test_two_equal_in_the_mini_table_of_four_are_parted_by_their_own():
    among = [(1, 2), (3, 4), (1, 3), (2, 4), (4, 1), (2, 3)]
    results = [game(number, a, b) for number, (a, b) in enumerate(among, start=1)]
    results += [game(7, 3, 9), game(8, 4, 9)]
    rows = standings(entrants=entrants(1, 2, 3, 4, 9), results=results, seed=SEED, order=MINI_TABLE_ORDER)
    assert [(row.entry, row.points) for row in rows] == [(1, 4), (2, 4), (3, 4), (4, 4), (9, 0)]
    assert [row.decided_by for row in rows[1:4]] == [Criterion.MINI_TABLE] * 3
    assert [row.values[1].amount for row in rows[:4]] == [2, 0, 2, 0]


def test_a_bye_counts_own_points_and_cut_one_says_what_it_took():
    results = [
        game(1, 1, None, (2, 0), end=PairingEnd.BYE),
        game(1, 2, 3, (2, 0)),
        game(2, 1, 2, (1, 1)),
        game(2, 3, None, (0, 0), end=PairingEnd.ABSENCE),
    ]
    rows = {
        row.entry: row for row in standings(entrants=entrants(1, 2, 3), results=results, seed=SEED, order=SWISS_ORDER)
    }
    cut = rows[1].values[1]
    assert [(part.code, part.amount, part.round, part.opponent) for part in cut.parts] == [
        ("bye", 3, 1, None),
        ("played", 3, 2, 2),
        ("cut", -3, 1, None),
    ]
    # Entry 3 was absent in the last round: to its opponent it counts half a point, its own absence is cut first.
    assert rows[2].values[2].amount == 1 + 3
    assert [(part.code, part.amount) for part in rows[3].values[1].parts] == [("played", 3), ("absence", 0), ("cut", 0)]


def test_a_forfeit_counts_the_smaller_of_own_points_and_opponents_score():
    results = [game(1, 1, 2, (0, 2), end=PairingEnd.FORFEIT), game(2, 1, 3, (2, 0)), game(2, 2, 4, (2, 0))]
    rows = standings(entrants=entrants(1, 2, 3, 4), results=results, seed=SEED, order=SWISS_ORDER)
    assert amounts(rows, Criterion.BUCHHOLZ) == {1: 2 + 0, 2: 2 + 0, 3: 2, 4: 4}
    assert amounts(rows, Criterion.BUCHHOLZ_CUT1) == {1: 0, 2: 2, 3: 0, 4: 0}
    assert amounts(rows, Criterion.WINS) == {1: 1, 2: 1, 3: 0, 4: 0}


def test_an_entry_left_out_takes_its_pairings_with_it_and_a_disqualified_one_is_last():
    results = [game(1, 1, 2, (0, 2)), game(2, 1, 3, (2, 0)), game(3, 2, 3, (0, 2)), game(4, 4, 1, (2, 0))]
    players = (Entrant(entry=1), Entrant(entry=2, disqualified=True), Entrant(entry=3), Entrant(entry=4, left_out=True))
    rows = standings(entrants=players, results=results, seed=SEED)
    assert [(row.rank, row.entry, row.points, row.disqualified) for row in rows] == [
        (1, 1, 2, False),
        (2, 3, 2, False),
        (3, 2, 2, True),
    ]
    assert [row.decided_by for row in rows] == [None, Criterion.DIRECT_ENCOUNTER, None]


def test_a_row_counts_its_games_deals_cards_and_form():
    results = [
        game(1, 1, 2, (2, 0), deals=(2, 1), cards=(190, 170)),
        game(2, 2, 1, (2, 0), end=PairingEnd.FORFEIT),
        game(3, 1, 3, (1, 1), deals=(1, 1), cards=(120, 120)),
        game(4, 3, 1, (2, 0), deals=(2, 0), cards=(150, 90)),
        game(5, 1, 2, (0, 0), end=PairingEnd.DOUBLE_FORFEIT),
        game(6, 1, None, (2, 0), end=PairingEnd.BYE),
    ]
    row = next(row for row in standings(entrants=entrants(1, 2, 3), results=results, seed=SEED) if row.entry == 1)
    assert (row.points, row.played, row.won, row.drawn, row.lost) == (5, 3, 1, 1, 1)
    assert (row.deals, row.cards, row.form) == ((3, 4), (400, 440), "LDLLW")


@pytest.mark.parametrize(
    ("code", "players", "results", "order"),
    [
        ("unknown_entry", (1, 2), [game(1, 1, 3)], ROUND_ROBIN_ORDER),
        ("duplicate_entry", (1, 2, 1), [], ROUND_ROBIN_ORDER),
        ("bad_result", (1, 2), [game(1, 1, 1)], ROUND_ROBIN_ORDER),
        ("bad_result", (1, 2), [game(1, 1, None)], ROUND_ROBIN_ORDER),
        ("bad_result", (1, 2), [game(1, 1, 2, end=PairingEnd.BYE)], ROUND_ROBIN_ORDER),
        ("bad_points", (1, 2), [game(1, 1, 2, (2, -1))], ROUND_ROBIN_ORDER),
        ("bad_points", (1, 2), [game(1, 1, 2, (1, 1), end=PairingEnd.FORFEIT)], ROUND_ROBIN_ORDER),
        ("repeated_criterion", (1, 2), [], (Criterion.POINTS, Criterion.POINTS)),
    ],
)
def test_results_that_cannot_be_scored_are_refused(code, players, results, order):
    with pytest.raises(ScoringError) as caught:
        standings(entrants=entrants(*players), results=results, seed=SEED, order=order)
    assert caught.value.code == code


def _whole_swiss(size, rounds=11):
    results = []
    for each in schedule(range(64))[:rounds]:
        for shift in range(0, size, 64):
            for board in each.boards:
                a, b = board.seat_0 + shift, board.seat_1 + shift
                if max(a, b) < size:
                    points = ((2, 0), (1, 1), (0, 2))[(a * 7 + b * each.number) % 3]
                    results.append(game(each.number, a, b, points))
    return entrants(*range(size)), results


def _seconds(size):
    players, results = _whole_swiss(size)
    times = []
    for _ in range(5):
        start = time.process_time()
        standings(entrants=players, results=results, seed=SEED, order=SWISS_ORDER)
        times.append(time.process_time() - start)
    return min(times)


def test_the_time_of_large_standings_grows_with_the_entries_and_not_with_their_square():
    assert _seconds(400) <= 3.0 * _seconds(200)
