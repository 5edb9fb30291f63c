"""The pairings beside independent programs: facts are compared. Skipped where these are not installed."""

import random
from collections import Counter
from fractions import Fraction

import pytest

from league.pairing import double_elimination as ours
from league.pairing import schedule
from league.pairing.brackets import Outcome, Standing, resolve
from league.pairing.swiss import pair_round
from league.pairing.swiss_history import SwissEntrant, present_entries
from league.scoring import PairingEnd, PairingResult


@pytest.mark.parametrize("size", range(4, 65, 2))
def test_the_berger_tables_of_another_program(size):
    engine = pytest.importorskip("caissify_pairings.engines.round_robin")
    for number, mine in enumerate(schedule(range(1, size + 1)), start=1):
        assert [(board.seat_0, board.seat_1) for board in mine.boards] == engine.berger_round(size, number)


@pytest.mark.parametrize("count", [5, 6, 8, 11, 16, 21, 31])
def test_a_swiss_round_is_as_legal_as_that_of_a_dutch_engine_and_no_less_even(count):
    """No repeats, the bye in the lowest group, sum of squared differences of score not above theirs.

    Among few entries the lowest group's bye may cost more than it saves; then the sum alone decides.
    """
    oracle = pytest.importorskip("caissify_pairings")
    dice = random.Random(count)
    entrants = [SwissEntrant(entry=number, number=number) for number in range(1, count + 1)]
    colours = {each.entry: [] for each in entrants}
    floats = {each.entry: [] for each in entrants}
    byes = Counter()
    results, compared = [], 0
    for number in range(1, min(5, count - 3) + 1):
        present = {each.entry: each for each in present_entries(entrants, results=results)}
        met = {(a, b) for a, each in present.items() for b in each.met}
        theirs = oracle.generate_pairings(
            system="dutch",
            players=[
                {
                    "id": entry,
                    "name": str(entry),
                    "score": each.score / 2,
                    "rating": 3000 - entry,
                    "starting_number": entry,
                    "color_hist": colours[entry][:],
                    "float_history": floats[entry][:],
                    "bye_count": byes[entry],
                }
                for entry, each in present.items()
            ],
            previous_pairings=met,
            round_number=number,
            total_rounds=7,
        )
        drawn = pair_round(present.values(), round_seed=bytes([number]) * 32)
        mine = [pairing.entries for pairing in drawn.pairings]
        other = [(pairing["white_id"], pairing["black_id"]) for pairing in theirs]
        lowest = min(each.score for each in present.values())

        def unevenness(pairs, present=present, lowest=lowest):
            return sum(Fraction(present[a].score - (lowest if b is None else present[b].score)) ** 2 for a, b in pairs)

        assert not drawn.with_repeats
        assert not [pair for pair in mine if pair in met]
        is_legal = not [pair for pair in other if pair in met] and len(other) == len(mine)
        if is_legal:
            compared += 1
            assert unevenness(mine) <= unevenness(other)
        if drawn.bye is not None:
            without = [each.score for each in present.values() if not each.no_bye]
            assert count < 8 or present[drawn.bye].score == min(without)
            byes[drawn.bye] += 1
        for pairing in drawn.pairings:
            first, second = pairing.entries
            colours[first].append("white" if second is not None else "none")
            for entry, way in zip(pairing.entries, pairing.floats, strict=True):
                if entry is not None:
                    floats[entry].append(way.value if way else "none")
            if second is None:
                results.append(PairingResult(round=number, entries=(first, None), end=PairingEnd.BYE, points=(2, 0)))
                continue
            colours[second].append("black")
            points = dice.choice(((2, 0), (1, 1), (0, 2)))
            results.append(PairingResult(round=number, entries=(first, second), end=PairingEnd.PLAYED, points=points))
    assert compared >= 2


@pytest.mark.parametrize("count", [4, 5, 6, 7, 8, 11, 16, 23, 32, 64, 100, 128])
@pytest.mark.parametrize("favourite", ["stronger", "weaker"])
def test_double_elimination_plays_as_many_pairings_as_another_program(count, favourite):
    theirs = pytest.importorskip("double_elimination")
    entries = list(range(1, count + 1))
    pick = min if favourite == "stronger" else max

    tournament = theirs.Tournament(entries)
    played, losses = 0, Counter()
    while active := tournament.get_active_matches():
        both = [each.get_competitor() for each in active[0].get_participants()]
        winner = pick(both)
        tournament.add_win(active[0], winner)
        losses[next(each for each in both if each != winner)] += 1
        played += 1

    bracket, outcomes = ours.bracket(count), {}
    while ready := [
        place for place in resolve(bracket, seeds=entries, outcomes=outcomes) if place.standing is Standing.READY
    ]:
        for place in ready:
            outcomes[place.pairing.number] = Outcome(winner=place.entries.index(pick(place.entries)))
    places = resolve(bracket, seeds=entries, outcomes=outcomes)
    champion = pick(entries)
    assert len(outcomes) == played == 2 * count - 2
    assert Counter(place.loser for place in places if place.loser) == losses
    assert tournament.get_winners() == [champion]
    assert places[-2].winner == champion
