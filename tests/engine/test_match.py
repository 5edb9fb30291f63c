import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine import DealResult, MatchError, MatchScore, Rules
from tests.engine.play import any_rules


def result_of(rules: Rules, winner: int | None, margin: int = 2) -> DealResult:
    """A finished deal won by `winner` with `margin` points more than the next side, or drawn."""
    count = rules.side_count
    base, rest = divmod(120 - margin * (winner is not None), count)
    sides = [base + margin * (side == winner) for side in range(count)]
    if winner is not None:
        sides[winner] += rest
    points = [0] * rules.n
    for side, number in enumerate(sides):
        points[rules.seats_of(side)[0]] = number
    return DealResult(tuple(points), tuple(sides), winner, 120 - sum(sides), rules.tricks)


@st.composite
def matches(draw: st.DrawFn) -> tuple[Rules, list[DealResult]]:
    rules = draw(any_rules())
    winners = draw(st.lists(st.none() | st.integers(0, rules.side_count - 1), min_size=1, max_size=30))
    return rules, [result_of(rules, winner, draw(st.sampled_from((2, 20, 60)))) for winner in winners]


@given(matches(), st.integers(0, 1))
def test_a_match_never_goes_on_after_its_end_and_drawn_deals_change_no_wins(
    match: tuple[Rules, list[DealResult]], first: int
) -> None:
    rules, results = match
    score = MatchScore(rules)
    dealer = first
    for count, result in enumerate(results):
        assert score.deals == count <= rules.deal_cap
        assert score.next_dealer(first) == dealer
        if score.is_over:
            with pytest.raises(MatchError) as refused:
                score.add(result)
            assert refused.value.code == "match.over"
            return
        assert score.winner_side is None
        after = score.add(result)
        if result.winner_side is None:
            assert (after.wins, after.drawn) == (score.wins, score.drawn + 1)
        else:
            assert sum(after.wins) == sum(score.wins) + 1
            assert after.wins[result.winner_side] == score.wins[result.winner_side] + 1
        assert after.points == tuple(a + b for a, b in zip(score.points, result.side_points, strict=True))
        stays = result.winner_side is None and rules.tie_dealer == "same"
        dealer = dealer if stays else (dealer + 1) % rules.n
        score = after


@given(matches(), st.randoms(use_true_random=False))
def test_the_winner_does_not_depend_on_the_names_of_the_sides(
    match: tuple[Rules, list[DealResult]], chance: object
) -> None:
    rules, results = match
    names = list(range(rules.side_count))
    chance.shuffle(names)  # type: ignore[attr-defined]
    score, renamed = MatchScore(rules), MatchScore(rules)
    for result in results:
        if score.is_over:
            break
        score = score.add(result)
        sides = tuple(result.side_points[names.index(side)] for side in range(rules.side_count))
        winner = None if result.winner_side is None else names[result.winner_side]
        renamed = renamed.add(DealResult(result.points, sides, winner, result.unplayed, result.tricks))
    assert renamed.is_over == score.is_over
    assert renamed.winner_side == (None if score.winner_side is None else names[score.winner_side])


def fold(code: str, *deals: tuple[int, int]) -> MatchScore:
    rules = Rules.parse(code)
    score = MatchScore(rules)
    for points in deals:
        score = score.add(DealResult.from_points(rules, points))
    return score


@pytest.mark.parametrize(
    ("code", "deals", "is_over", "winner"),
    [
        ("n=2", [(61, 59), (60, 60), (61, 59)], True, 0),
        ("n=2", [(61, 59), (59, 61)], False, None),
        ("n=2 max_deals=3", [(61, 59), (60, 60), (60, 60)], True, None),
        ("n=2 format=deals:2", [(61, 59), (59, 61)], True, None),
        ("n=2 format=deals:2", [(120, 0), (60, 60)], True, 0),
        ("n=2 format=deals:3", [(120, 0), (59, 61), (59, 61)], True, 1),
        ("n=2 format=sum:2", [(70, 50), (50, 70)], True, None),
        ("n=2 format=sum:2", [(70, 50), (51, 69)], True, 0),
        ("n=2 format=sum:3", [(120, 0), (120, 0)], False, None),
        ("n=2 format=difference:2", [(70, 50), (45, 75)], True, 1),
        ("n=2 format=race:120", [(60, 60), (60, 60)], False, None),
        ("n=2 format=race:120", [(60, 60), (60, 60), (61, 59)], True, 0),
        ("n=2 format=race:120", [(60, 60)] * 12, True, None),
        ("n=2 format=race:120", [(100, 20), (10, 110)], True, 1),
        ("n=2 format=race:70", [(70, 50)], True, 0),
        ("n=2 format=race:71", [(70, 50)], False, None),
        ("n=2 format=race:61", [(60, 60), (60, 60)], False, None),
        ("n=2 format=race:61", [(60, 60)], False, None),
    ],
)
def test_each_format_ends_when_its_rule_says(
    code: str, deals: list[tuple[int, int]], is_over: bool, winner: int | None
) -> None:
    score = fold(code, *deals)
    assert (score.is_over, score.winner_side) == (is_over, winner)


@pytest.mark.parametrize(("tie_dealer", "dealers"), [("same", [1, 0, 0, 1]), ("next", [1, 0, 1, 0])])
def test_the_dealer_after_a_drawn_deal_follows_the_rules(tie_dealer: str, dealers: list[int]) -> None:
    rules = Rules(tie_dealer=tie_dealer, format="first_to:3")
    score = MatchScore(rules)
    found = [score.next_dealer(1)]
    for points in ((61, 59), (60, 60), (59, 61)):
        score = score.add(DealResult.from_points(rules, points))
        found.append(score.next_dealer(1))
    assert found == dealers


def test_an_awarded_deal_is_a_won_deal_of_120_points() -> None:
    score = MatchScore(Rules()).add(DealResult.awarded(Rules(), 1))
    assert (score.wins, score.points, score.drawn) == ((0, 1), (0, 120), 0)
    assert score.add(DealResult.forfeited(Rules(), 0)).winner_side == 1


@pytest.mark.parametrize(
    ("deals", "losers", "winner"),
    [
        ([], {0}, None),  # neither of the two others is ahead
        ([(50, 40, 30)], {0}, 1),  # no deal each, but more points
        ([(40, 50, 30), (30, 40, 50)], {0}, 1),  # a deal each: 90 points to 80
        ([(50, 35, 35)], {0}, None),
        ([(50, 40, 30)], {1, 2}, 0),
        ([(50, 40, 30)], {0, 1, 2}, None),
    ],
)
def test_when_sides_are_out_the_best_of_the_others_wins(
    deals: list[tuple[int, ...]], losers: set[int], winner: int | None
) -> None:
    rules = Rules(n=3, format="deals:9")
    score = MatchScore(rules)
    for points in deals:
        score = score.add(DealResult.from_points(rules, points))
    assert score.best_without(losers) == winner


def test_a_result_that_does_not_belong_to_the_match_is_refused() -> None:
    rules = Rules()
    for result in (
        DealResult((0, 0), (0, 0), None, 120, 0, is_over=False),
        DealResult((50, 40, 30), (50, 40, 30), 0, 0, 13),
        DealResult((60, 60), (60, 60), 2, 0, 20),
        DealResult((60, 60), (60, 60), True, 0, 20),
    ):
        with pytest.raises(MatchError) as refused:
            MatchScore(rules).add(result)
        assert refused.value.code == "match.result"


@pytest.mark.parametrize("dealer", [-1, 2, True, None, "0"])
def test_the_first_dealer_is_a_seat(dealer: int) -> None:
    with pytest.raises(MatchError) as refused:
        MatchScore(Rules()).next_dealer(dealer)
    assert refused.value.code == "match.dealer"
