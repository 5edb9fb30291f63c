"""Signs between partners: when they may be made, and what a seat sees of them."""

from random import Random

import pytest

from games.engine import SIGNS, Rules, SignalError, sign
from tests.engine.play import new_deal, play_out

RULES = Rules.preset("chiara", 4)


def refused(deal, signs, seat, code):
    with pytest.raises(SignalError) as found:
        sign(deal, signs, seat, code)
    return found.value.code


def test_a_sign_is_made_once_a_trick_before_the_own_card_from_the_second_trick_on() -> None:
    deal, rng = new_deal(RULES, Random(1)), Random(1)
    assert refused(deal, (), 0, "A") == "signal.too_early"
    for _ in range(4):
        deal.play(rng.choice(deal.legal()))
    leader = deal.leader
    signs = [sign(deal, (), leader, "A")]
    assert signs == [(4, leader, "A")]
    assert refused(deal, signs, leader, "K") == "signal.not_allowed"
    deal.play(rng.choice(deal.legal()))
    assert refused(deal, signs, leader, "K") == "signal.not_allowed"
    partner = (leader + 2) % 4
    signs.append(sign(deal, signs, partner, "!load"))
    assert signs[-1] == (5, partner, "!load")
    assert deal.observe(leader, signs=signs).signs == ((4, leader, "A"), (5, partner, "!load"))
    for _ in range(3):
        deal.play(rng.choice(deal.legal()))
    assert sign(deal, signs, partner, "X") == (8, partner, "X")


def test_signs_that_cannot_be_made_are_refused() -> None:
    deal = new_deal(RULES, Random(2))
    assert refused(deal, (), 0, "Z") == "signal.code"
    assert refused(deal, (), 0, None) == "signal.code"
    assert refused(deal, (), 4, "A") == "signal.not_allowed"
    assert refused(deal, (), True, "A") == "signal.not_allowed"
    assert refused(play_out(deal, Random(3)), (), 0, "A") == "signal.not_allowed"
    assert refused(new_deal(Rules(n=4), Random(1)), (), 0, "A") == "signal.not_allowed"
    assert len(SIGNS) == len(set(SIGNS)) == 14
