from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.engine import Deal, Position, PositionError, Rules, SolverError, card_code, card_int, solve
from tests.engine.play import new_deal, play_out


def ending(chance: int, plies: int = 0, *, rules: str = "n=2", stock: int = 0) -> Deal:
    """A deal with `stock` cards to draw, then `plies` random cards on."""
    rng = Random(chance)
    deal = new_deal(Rules.parse(rules), rng)
    while deal.stock_size > stock:
        deal.play(rng.choice(deal.legal()))
    for _ in range(plies):
        deal.play(rng.choice(deal.legal()))
    return deal


def difference(deal: Deal) -> int:
    """Points of side 0 less those of side 1."""
    mine, other = deal.side_points
    return mine - other


def searched(deal: Deal) -> int:
    """Difference of the points at the end under best play, by playing everything out."""
    if deal.over:
        return difference(deal)
    choose = max if deal.rules.sides[deal.turn] == 0 else min
    values = []
    for card in deal.legal():
        deal.play(card)
        values.append(searched(deal))
        deal.undo()
    return choose(values)


def check(deal: Deal) -> None:
    """The solution is that of plain search, and its line gets there."""
    banked = difference(deal)
    solution = solve(deal)
    assert solution.value == searched(deal) - banked
    assert list(solution.values) == list(map(card_code, sorted(deal.legal())))
    for code, value in solution.values.items():
        deal.play(card_int(code))
        assert value == searched(deal) - banked
        deal.undo()
    choose = max if deal.rules.sides[deal.turn] == 0 else min
    assert solution.best == tuple(c for c, v in solution.values.items() if v == choose(solution.values.values()))
    for code in solution.line:
        assert code == solve(deal).best[0]
        deal.play(card_int(code))
    assert deal.over
    assert difference(deal) - banked == solution.value


@given(st.integers(0, 2**32), st.integers(0, 5), st.sampled_from(("n=2", "n=2 sides=1,0", "n=2 removed=2D,2B")))
def test_the_ending_is_that_of_plain_search_and_its_line_gets_there(chance: int, plies: int, rules: str) -> None:
    check(ending(chance, plies, rules=rules))


@settings(max_examples=15)
@given(st.integers(0, 2**32), st.integers(0, 4), st.sampled_from((2, 4)))
def test_with_a_stock_too(chance: int, plies: int, stock: int) -> None:
    check(ending(chance, plies, stock=stock))


@settings(max_examples=8)
@given(st.integers(0, 2**32), st.integers(0, 11), st.sampled_from(("n=4", "n=4 sides=0,0,1,1")))
def test_the_last_tricks_of_pairs_too(chance: int, plies: int, rules: str) -> None:
    check(ending(chance, plies, rules=rules))


@pytest.mark.parametrize("plies", [6, 9, 13])
def test_and_of_two_teams_of_three(plies: int) -> None:
    for chance in range(3):
        check(ending(chance, plies, rules="n=6"))


@pytest.mark.parametrize("stock", [6, 8, 10])
def test_a_deep_solution_agrees_with_those_that_follow(stock: int) -> None:
    for chance in range(12):
        deal = ending(chance, chance % 3, stock=stock)
        banked, solution = difference(deal), solve(deal)
        for code, value in solution.values.items():
            deal.play(card_int(code))
            assert solve(deal).value + difference(deal) - banked == value
            deal.undo()
        for code in solution.line:
            deal.play(card_int(code))
        assert difference(deal) - banked == solution.value


def test_300_whole_endings_are_those_of_plain_search() -> None:
    for chance in range(300):
        deal = ending(chance)
        assert solve(deal).value == searched(deal) - (difference(deal))


@given(st.integers(0, 2**32), st.integers(0, 5), st.sampled_from((0, 4, 10)))
def test_swapping_the_seats_turns_the_value_round(chance: int, plies: int, stock: int) -> None:
    deal = ending(chance, plies, stock=stock)
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


def test_a_position_is_solved_alike_from_deal_and_string() -> None:
    for rules, stock in (("n=2", 10), ("n=4", 0), ("n=6", 0)):
        deal = ending(5, 1, rules=rules, stock=stock)
        assert solve(deal) == solve(Position.parse(deal.position())) == solve(deal.position())


def test_a_deal_is_played_on_when_the_rules_would_stop_it() -> None:
    whole = ending(3, stock=12)
    stopping = Deal(Rules.parse("n=2 stop_at_61=auto"), whole.deck, whole.dealer)
    for card in whole.plays:
        stopping.play(card)
    while stopping.stock_size > 10:
        for deal in (whole, stopping):
            deal.play(deal.legal()[0])
    assert max(whole.points) <= 60
    assert solve(stopping) == solve(whole)


@pytest.mark.parametrize(("rules", "stock"), [("n=2", 10), ("n=6", 0)])
def test_a_search_that_may_not_go_on_is_given_up(rules: str, stock: int) -> None:
    with pytest.raises(SolverError) as refused:
        solve(ending(1, rules=rules, stock=stock), max_nodes=10)
    assert refused.value.code == "solver.too_big"


def test_what_cannot_be_solved_is_refused() -> None:
    rng = Random(1)
    early = new_deal(Rules(), rng)
    deal = ending(3)
    for subject, code in (
        (early, "solver.too_big"),
        (ending(3, stock=12), "solver.too_big"),
        (ending(3, rules="n=4", stock=4), "solver.too_big"),
        (early.observe(early.turn), "solver.too_big"),
        (Position.parse(early.position()), "solver.too_big"),
        (new_deal(Rules(n=3), rng), "solver.sides"),
        (new_deal(Rules(n=3), rng).observe(0), "solver.sides"),
        (ending(3, rules="n=4").observe(0), "solver.hidden"),
        (Position.parse(deal.position(deal.turn)), "solver.hidden"),
        (deal.position(deal.turn), "solver.hidden"),
        (deal.observe(1 - deal.turn), "solver.hidden"),
        (deal.observe(None), "solver.hidden"),
        (play_out(ending(3), rng), "solver.over"),
        (play_out(ending(3), rng).observe(0), "solver.over"),
        (play_out(new_deal(Rules.parse("n=2 stop_at_61=auto"), Random(4)), Random(4)), "solver.over"),
        (play_out(new_deal(Rules.parse("n=2 stop_at_61=auto"), Random(4)), Random(4)).position(), "solver.over"),
        (None, "solver.subject"),
        (b"x", "solver.subject"),
    ):
        with pytest.raises(SolverError) as refused:
            solve(subject)
        assert refused.value.code == code, subject
    with pytest.raises(PositionError):
        solve("n=2")
