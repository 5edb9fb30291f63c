"""league.scoring.points: from deals to matches, from matches to the half-points of a pairing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.scoring import (
    DealScore,
    EncounterScoring,
    MatchScore,
    PairingEnd,
    ScoringError,
    score_encounter,
    tally_deals,
    unplayed_points,
)

OUTCOME, SHARE = EncounterScoring.OUTCOME, EncounterScoring.SHARE

matches = st.lists(
    st.builds(
        MatchScore,
        winner=st.sampled_from((0, 1, None)),
        deals=st.tuples(st.integers(0, 9), st.integers(0, 9)),
        cards=st.tuples(st.integers(0, 1080), st.integers(0, 1080)),
        at_table=st.booleans(),
        void=st.booleans(),
    )
)


def test_an_awarded_deal_counts_a_hundred_and_twenty_to_nothing():
    tally = tally_deals(
        [
            DealScore(cards=(70, 50), winner=0),
            DealScore(cards=(60, 60), winner=None),
            DealScore(cards=(33, 12), winner=1, awarded=True),
        ]
    )
    assert (tally.deals, tally.cards) == ((1, 1), (130, 230))


def test_a_deal_awarded_to_nobody_is_refused():
    with pytest.raises(ScoringError) as caught:
        tally_deals([DealScore(cards=(0, 0), winner=None, awarded=True)])
    assert caught.value.code == "bad_result"


@pytest.mark.parametrize(
    ("winners", "outcome", "share"),
    [
        ((0,), (2, 0), (2, 0)),
        ((1, 1, 0), (0, 2), (2, 4)),
        ((0, 1), (1, 1), (2, 2)),
        ((0, None), (2, 0), (3, 1)),
        ((None, None, None), (1, 1), (3, 3)),
    ],
)
def test_an_encounter_is_scored_by_its_outcome_or_by_every_match(winners, outcome, share):
    played = [MatchScore(winner=winner, deals=(2, 1), cards=(200, 160)) for winner in winners]
    by_outcome, by_share = score_encounter(played, scoring=OUTCOME), score_encounter(played, scoring=SHARE)
    assert (by_outcome.points, by_share.points) == (outcome, share)
    assert by_outcome.match_points == by_share.match_points == share
    assert by_outcome.wins == (winners.count(0), winners.count(1))
    assert by_outcome.deals == (2 * len(winners), len(winners))
    assert by_outcome.cards == (200 * len(winners), 160 * len(winners))


def test_void_matches_count_for_nothing_and_ruled_ones_are_no_wins_at_the_table():
    score = score_encounter(
        [
            MatchScore(winner=1, deals=(0, 2), cards=(80, 160), void=True),
            MatchScore(winner=0, at_table=False),
            MatchScore(winner=0, deals=(2, 0), cards=(150, 90)),
        ],
        scoring=OUTCOME,
    )
    assert (score.points, score.match_points, score.wins, score.matches) == ((2, 0), (4, 0), (1, 0), 2)
    assert (score.deals, score.cards) == ((2, 0), (150, 90))


def test_an_encounter_without_a_counting_match_has_no_points():
    score = score_encounter([MatchScore(winner=0, void=True)], scoring=OUTCOME)
    assert (score.points, score.matches) == ((0, 0), 0)


@given(matches, st.sampled_from(EncounterScoring))
def test_points_are_shared_out_whole_and_do_not_depend_on_the_sides_names(played, scoring):
    score = score_encounter(played, scoring=scoring)
    whole = (2 * score.matches) if scoring is SHARE else (2 if score.matches else 0)
    assert sum(score.points) == whole
    turned = [
        MatchScore(
            winner=None if each.winner is None else 1 - each.winner,
            deals=each.deals[::-1],
            cards=each.cards[::-1],
            at_table=each.at_table,
            void=each.void,
        )
        for each in played
    ]
    mirrored = score_encounter(turned, scoring=scoring)
    assert mirrored.points == score.points[::-1]
    assert (mirrored.wins, mirrored.deals, mirrored.cards) == (score.wins[::-1], score.deals[::-1], score.cards[::-1])


@pytest.mark.parametrize(
    ("end", "options", "points"),
    [
        (PairingEnd.FORFEIT, {"winner": 1}, (0, 2)),
        (PairingEnd.FORFEIT, {"winner": 0, "matches": 10}, (2, 0)),
        (PairingEnd.FORFEIT, {"winner": 0, "matches": 10, "scoring": SHARE}, (20, 0)),
        (PairingEnd.DOUBLE_FORFEIT, {}, (0, 0)),
        (PairingEnd.VOID, {}, (1, 1)),
        (PairingEnd.VOID, {"matches": 4, "scoring": SHARE}, (4, 4)),
        (PairingEnd.VOID, {"void_half": False}, (0, 0)),
        (PairingEnd.BYE, {}, (2, 0)),
        (PairingEnd.HALF_BYE, {}, (1, 0)),
        (PairingEnd.ABSENCE, {}, (0, 0)),
    ],
)
def test_pairings_that_are_not_played_have_fixed_points(end, options, points):
    assert unplayed_points(end, **options) == points


def test_a_played_pairing_has_no_fixed_points():
    with pytest.raises(ScoringError) as caught:
        unplayed_points(PairingEnd.PLAYED)
    assert caught.value.code == "bad_result"
