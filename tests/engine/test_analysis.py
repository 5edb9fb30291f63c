"""Analysis of deals: what the ending gave away, and where there is nothing to say."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine import OPEN_TRICKS, Deal, Record, Rules, analyse, luck, parse_cards, shuffled, solve
from games.engine.analysis import first_ply

SEED = bytes(range(32))


def played(rules: Rules, number: int = 1, *, plays: int = 1000) -> Record:
    """A deal of random cards, as far as `plays`."""
    rng = Random(number)
    shuffle = shuffled(rules, SEED, "", number)
    deal = Deal(rules, shuffle.deck, 0, shuffle.turned)
    while not deal.over and len(deal.plays) < plays:
        deal.play(rng.choice(deal.legal()))
    return Record.of(deal)


def ending(plays: str) -> Record:
    """The deal of seed 0..31 with these last six cards."""
    whole = played(Rules(), 1)
    return Record(whole.rules, whole.deck, whole.plays[:34] + parse_cards(plays), whole.dealer)


def test_every_play_of_the_last_tricks_is_valued_and_only_the_last_three_are_exact() -> None:
    found = analyse(played(Rules()), tricks=4)
    assert [(play.ply, play.is_exact) for play in found.plays] == [
        (32, False), (33, False), (34, True), (35, True), (36, True), (37, True), (38, True), (39, True),
    ]  # fmt: skip
    assert all(play.card in play.values and set(play.best) <= set(play.values) for play in found.plays)
    assert [len(play.values) for play in found.plays] == [3, 3, 3, 3, 2, 2, 1, 1]


@given(st.integers(1, 1000))
def test_what_was_lost_in_the_ending_is_the_whole_way_from_its_value_to_the_result(number: int) -> None:
    record = played(Rules(), number)
    found = analyse(record, tricks=3)
    start, end = record.replay(upto=34), record.replay()
    gained = [end.points[seat] - start.points[seat] for seat in (0, 1)]
    given_away = [sum(play.lost for play in found.plays if play.seat == seat) for seat in (0, 1)]
    assert solve(start).value == gained[0] - gained[1] + 2 * (given_away[0] - given_away[1])


@given(st.integers(1, 200))
def test_the_best_line_gives_nothing_away(number: int) -> None:
    record = played(Rules(), number)
    best = solve(record.replay(upto=34)).line
    line = Record(record.rules, record.deck, (*record.plays[:34], *parse_cards("".join(best))), record.dealer)
    assert all(play.lost == 0 and play.card in play.best for play in analyse(line, tricks=3).plays)


def test_luck_is_that_of_the_deal() -> None:
    record = played(Rules())
    assert analyse(record).luck == luck(record)
    assert analyse(played(Rules(), plays=20)).luck is None


def test_an_unfinished_deal_is_analysed_as_far_as_it_was_played() -> None:
    assert [play.ply for play in analyse(played(Rules(), plays=36), tricks=3).plays] == [34, 35]
    assert analyse(played(Rules(), plays=13)).plays == ()


def test_pairs_have_values_with_open_cards_and_three_sides_have_none() -> None:
    pairs = analyse(played(Rules(n=4)))
    assert [play.ply for play in pairs.plays] == list(range(28, 40))
    assert not any(play.is_exact for play in pairs.plays)
    assert pairs.luck is None
    assert analyse(played(Rules(n=3))).plays == ()


@pytest.mark.parametrize(("code", "ply"), [("n=2", 2 * (20 - OPEN_TRICKS)), ("n=4", 28), ("n=6", 18)])
def test_where_the_analysis_begins(code: str, ply: int) -> None:
    assert first_ply(Rules.parse(code)) == ply


def test_where_a_deal_stops_at_61_no_card_is_called_a_mistake() -> None:
    assert analyse(played(Rules.parse("n=2 stop_at_61=auto"), 1)).plays == ()
