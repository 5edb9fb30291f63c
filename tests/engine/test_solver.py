from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine import Deal, Position, Rules, SolverError, card_code, card_int, solve
from tests.engine.play import new_deal, play_out


def ending(chance: int, plies: int = 0) -> Deal:
    """A two-player deal with an empty stock, `plies` random cards into the last three tricks."""
    rng = Random(chance)
    deal = new_deal(Rules(), rng)
    while deal.stock_size:
        deal.play(rng.choice(deal.legal()))
    for _ in range(plies):
        deal.play(rng.choice(deal.legal()))
    return deal


def searched(deal: Deal) -> int:
    """Difference of the points at the end under best play, by playing everything out."""
    if deal.over:
        return deal.points[0] - deal.points[1]
    choose = max if deal.turn == 0 else min
    values = []
    for card in deal.legal():
        deal.play(card)
        values.append(searched(deal))
        deal.undo()
    return choose(values)


@given(st.integers(0, 2**32), st.integers(0, 5))
def test_the_ending_is_that_of_plain_search_and_its_line_gets_there(chance: int, plies: int) -> None:
    deal = ending(chance, plies)
    banked = deal.points[0] - deal.points[1]
    solution = solve(deal)
    assert solution.value == searched(deal) - banked
    assert set(solution.values) == set(map(card_code, deal.legal()))
    for code, value in solution.values.items():
        deal.play(card_int(code))
        assert value == searched(deal) - banked
        deal.undo()
    choose = max if deal.turn == 0 else min
    assert solution.best == tuple(c for c, v in solution.values.items() if v == choose(solution.values.values()))
    for code in solution.line:
        deal.play(card_int(code))
    assert deal.over
    assert deal.points[0] - deal.points[1] - banked == solution.value


def test_300_whole_endings_are_those_of_plain_search() -> None:
    for chance in range(300):
        deal = ending(chance)
        assert solve(deal).value == searched(deal) - (deal.points[0] - deal.points[1])


@given(st.integers(0, 2**32), st.integers(0, 5))
def test_swapping_the_seats_turns_the_value_round(chance: int, plies: int) -> None:
    deal = ending(chance, plies)
    swapped = Deal(deal.rules, deal.deck, 1 - deal.dealer)
    for card in deal.plays:
        swapped.play(card)
    assert solve(swapped).value == -solve(deal).value


@given(st.integers(0, 2**32), st.integers(0, 5))
def test_an_ending_is_solved_alike_from_deal_position_and_what_the_seat_sees(chance: int, plies: int) -> None:
    deal = ending(chance, plies)
    solution = solve(deal)
    assert solve(Position.parse(deal.position())) == solution
    assert solve(deal.observe(deal.turn)) == solution


def test_what_is_no_ending_of_two_is_refused() -> None:
    rng = Random(1)
    early = new_deal(Rules(), rng)
    deal = ending(3)
    over = play_out(ending(3), rng)
    for subject, code in (
        (early, "solver.too_big"),
        (early.observe(early.turn), "solver.too_big"),
        (Position.parse(early.position()), "solver.too_big"),
        (new_deal(Rules(n=3), rng), "solver.sides"),
        (new_deal(Rules(n=4), rng).observe(0), "solver.sides"),
        (Position.parse(deal.position(deal.turn)), "solver.hidden"),
        (deal.observe(1 - deal.turn), "solver.hidden"),
        (deal.observe(None), "solver.hidden"),
        (over, "solver.over"),
    ):
        with pytest.raises(SolverError) as refused:
            solve(subject)
        assert refused.value.code == code
