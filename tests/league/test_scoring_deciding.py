"""league.scoring: a level knockout pairing, and card points of deals that nobody played."""

import pytest

from league.scoring import (
    CARD_POINTS_ORDER,
    EncounterScore,
    Entrant,
    PairingEnd,
    PairingResult,
    ScoringError,
    Step,
    decide,
    is_left_out,
    standings,
    unplayed_cards,
)

SEED = bytes(range(32))


def score(match_points=(2, 2), deals=(3, 3), cards=(360, 360), matches=2):
    return EncounterScore(
        points=(1, 1), match_points=match_points, wins=(0, 0), deals=deals, cards=cards, matches=matches
    )


LEVEL = score()


@pytest.mark.parametrize(
    ("result", "winner", "step"),
    [
        (score(match_points=(1, 3), deals=(4, 2), cards=(500, 220)), 1, Step.MATCHES),
        (score(deals=(4, 2), cards=(220, 500)), 0, Step.DEALS),
        (score(cards=(359, 361)), 1, Step.CARDS),
    ],
)
def test_matches_then_deals_then_cards_decide(result, winner, step):
    found = decide(result, seed=SEED, label="p")
    assert (found.winner, found.step, found.extra) == (winner, step, None)
    assert found.to_dict() == {"winner": winner, "step": step.value}


@pytest.mark.parametrize("before", [0, 1, 2])
def test_up_to_three_extras_follow(before):
    waiting = decide(LEVEL, extras=[LEVEL] * before, seed=SEED, label="p")
    assert (waiting.winner, waiting.step, waiting.extra) == (None, None, before + 1)
    extra = score(match_points=(1, 1), deals=(0, 1), cards=(40, 80), matches=1)
    found = decide(LEVEL, extras=[*[LEVEL] * before, extra], seed=SEED, label="p")
    assert found.to_dict() == {"winner": 1, "step": "extra", "extra": before + 1, "extra_by": "deals"}


def test_a_coin_decides_at_last():
    found = [decide(LEVEL, extras=[LEVEL] * 3, seed=SEED, label=f"{number}") for number in range(100)]
    assert {each.step for each in found} == {Step.COIN}
    assert 30 < sum(each.winner for each in found) < 70
    assert found[0] == decide(LEVEL, extras=[LEVEL] * 3, seed=SEED, label="0")


@pytest.mark.parametrize(
    ("result", "extras"),
    [
        (score(matches=0), []),
        (score(deals=(4, 2)), [LEVEL]),
        (LEVEL, [score(deals=(4, 2)), LEVEL]),
        (LEVEL, [LEVEL] * 4),
    ],
)
def test_what_nothing_asked_for_is_refused(result, extras):
    with pytest.raises(ScoringError) as caught:
        decide(result, extras=extras, seed=SEED, label="p")
    assert caught.value.code == "bad_result"


@pytest.mark.parametrize(
    ("end", "known", "cards"),
    [
        (PairingEnd.BYE, {}, (305, 0)),
        (PairingEnd.FORFEIT, {"winner": 0}, (305, 0)),
        (PairingEnd.FORFEIT, {"winner": 1}, (0, 305)),
        (PairingEnd.FORFEIT, {"winner": 1, "played": (130, 110), "played_deals": 2}, (130, 293)),
        (PairingEnd.BYE, {"matches": 2}, (610, 0)),
        (PairingEnd.DOUBLE_FORFEIT, {"played": (70, 50), "played_deals": 1}, (70, 50)),
        (PairingEnd.VOID, {}, (0, 0)),
        (PairingEnd.HALF_BYE, {}, (0, 0)),
        (PairingEnd.ABSENCE, {}, (0, 0)),
    ],
)
def test_an_unplayed_deal_counts_61_to_0(end, known, cards):
    assert unplayed_cards(end, deals=5, **known) == cards


def test_card_points_are_given_for_unplayed_deals_only():
    for end, played in ((PairingEnd.PLAYED, 0), (PairingEnd.FORFEIT, 6)):
        with pytest.raises(ScoringError) as caught:
            unplayed_cards(end, deals=5, played_deals=played)
        assert caught.value.code == "bad_result"


def test_a_village_tournament_ranks_by_card_points_then_deals_wins_and_direct_encounter():
    """Five deals a match, all played; the sum of card points decides, a bye counts 61 a deal."""

    def game(number, a, b, cards, deals, points):
        wins = (int(points[0] > 1), int(points[1] > 1))
        return PairingResult(
            round=number, entries=(a, b), end=PairingEnd.PLAYED, points=points, wins=wins, deals=deals, cards=cards
        )

    results = [
        game(1, 1, 2, (340, 260), (3, 2), (2, 0)),
        game(2, 2, 3, (345, 255), (2, 2), (1, 1)),
        game(3, 3, 1, (390, 210), (4, 1), (2, 0)),
    ]
    for number, entry in ((1, 3), (2, 1), (3, 2)):
        cards = unplayed_cards(PairingEnd.BYE, deals=5)
        results.append(
            PairingResult(
                round=number, entries=(entry, None), end=PairingEnd.BYE, points=(2, 0), deals=(5, 0), cards=cards
            )
        )
    rows = standings(
        entrants=[Entrant(entry=entry) for entry in (1, 2, 3)], results=results, seed=SEED, order=CARD_POINTS_ORDER
    )
    assert [(row.entry, row.values[0].amount) for row in rows] == [(3, 950), (2, 910), (1, 855)]


def test_who_leaves_before_half_of_the_pairings_goes_out_of_the_standings():
    assert [is_left_out(played=played, due=7) for played in range(8)] == [True] * 4 + [False] * 4
    assert [is_left_out(played=played, due=8) for played in (3, 4)] == [True, False]
