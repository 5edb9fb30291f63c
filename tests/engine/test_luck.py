"""The luck of a deal: its symmetry, its mean, and where it has no meaning."""

from math import sqrt
from random import Random
from statistics import fmean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine import LUCK_TABLE, Deal, Record, Rules, luck, shuffled
from games.engine.cards import POINTS
from games.engine.luck import OTHER, TRUMP, card_value
from tests.engine.play import SEED


def played(rules: Rules, number: int, *, seed: bytes = SEED, plays: int = 1000, cheap: float = 0.0) -> Record:
    """A deal in which seat 0 plays its cheapest card with probability `cheap`, else cards are random."""
    rng = Random(number)
    shuffle = shuffled(rules, seed, "", number)
    deal = Deal(rules, shuffle.deck, number % rules.n, shuffle.turned)
    while not deal.over and len(deal.plays) < plays:
        legal = deal.legal()
        if deal.turn == 0 and rng.random() < cheap:
            deal.play(min(legal, key=lambda card: (POINTS[card], card)))
        else:
            deal.play(rng.choice(legal))
    return Record.of(deal)


def test_the_table_is_frozen() -> None:
    assert LUCK_TABLE == "luck-1"
    assert OTHER == (-15, -16, -18, -20, -20, -27, -30, -25, -5, 9)
    assert TRUMP == (-8, -11, -12, -14, -14, 6, 17, 34, 73, 95)
    assert (card_value(9, 0), card_value(9, 1), card_value(18, 1)) == (95, 9, 73)


def test_luck_by_hand() -> None:
    """All 40 cards in ascending order: the trump of the upcard 6D (4th of denari by strength) is denari."""
    deck = tuple(range(40))
    record = Record(Rules(), deck, (), 1)
    deal = record.replay()
    while not deal.over:
        deal.play(deal.legal()[0])
    value = [card_value(card, 0) for card in deck]
    expected = value[0] - value[1] + value[2] - value[3] + value[4] - value[5]
    for trick, at in zip(deal.tricks, range(7, 39, 2), strict=False):
        sign = 1 if trick.winner == 0 else -1
        expected += sign * (value[at] - value[at + 1])
    assert luck(Record.of(deal)) == (expected, -expected)


@given(st.integers(1, 500), st.sampled_from(("n=2", "n=2 removed=2D,2B", "n=2 redraw=A3R", "n=2 first_lead=before")))
def test_what_one_seat_has_the_other_lacks_and_seats_do_not_matter(number: int, code: str) -> None:
    record = played(Rules.parse(code), number)
    found = luck(record)
    assert found is not None
    assert found[0] == -found[1]
    turned_round = Record(record.rules, record.deck, record.plays, 1 - record.dealer, record.turned)
    assert luck(turned_round) == (found[1], found[0])


@pytest.mark.parametrize("cheap", [0.0, 1.0])
def test_the_mean_is_nought_whoever_plays_better(cheap: float) -> None:
    lucks = [found[0] / 10 for number in range(1, 1001) if (found := luck(played(Rules(), number, cheap=cheap)))]
    assert len(lucks) == 1000
    assert abs(fmean(lucks)) <= 4 * stdev(lucks) / sqrt(len(lucks))
    assert 10 < stdev(lucks) < 20


@pytest.mark.parametrize(
    ("code", "plays"), [("n=2", 0), ("n=2", 39), ("n=3", 1000), ("n=4", 1000), ("n=2 stop_at_61=auto", 1000)]
)
def test_there_is_no_luck_of_other_deals(code: str, plays: int) -> None:
    assert luck(played(Rules.parse(code), 2, plays=plays)) is None
