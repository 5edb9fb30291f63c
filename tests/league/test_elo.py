"""league.rating.elo and performance: published and reference vectors, and what integer arithmetic promises."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.rating import elo
from league.rating.elo import BELLA, PPM, EloParameters, Population, div_round, k_factor, match_rater
from league.rating.errors import RatingInputError
from league.rating.performance import performance, rating_difference

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "ratings.json").read_text())

#: Groups that no test here or in test_ledger and test_scoring runs, and why.
OUT_OF_SCOPE = {
    "forza": "league.rating.strength: Bradley-Terry comes with the strength estimate",
    "fishtest_get_elo": "league.rating.sprt: tests between versions come later",
    "fishtest_LLR_logistic": "league.rating.sprt: tests between versions come later",
    "fishtest_LLR_normalized": "league.rating.sprt: optional",
    "fishtest_SPRT_elo": "league.rating.sprt: tests between versions come later",
    "openbench": "league.rating.sprt: cross-check of its simple form",
    "ordo_los": "league.rating.strength: likelihood of superiority",
    "bo3_transform": "league.rating.strength: forecast of a match",
    "aiarena_divisions": "split and merge of divisions",
    "glicko2_lichess": "reference only",
    "bayeselo": "reference only",
}
IN_SCOPE = {
    "bella_elo_match",
    "bella_elo_period",
    "ledger_chain",
    "logistic_table_ppm",
    "fide_rating_change",
    "fide_performance_rating",
    "aiarena_elo",
    "fide_8_1_2_expected_score",
    "fide_1_4_9_dp",
    "fide_k_rules",
    "tiebreaks",
}


def fide_table() -> tuple[int, ...]:
    """FIDE table 8.1.2 as expectations by lead: whole percents in bands."""
    group = GOLDEN["fide_8_1_2_expected_score"]
    table, percent = [], group["pd_percent_start"]
    for bound in group["upper_bounds"]:
        table += [percent * 10_000] * (bound + 1 - len(table))
        percent += 1
    return (*table, PPM)


def fide_k(_population: Population, games: int, highest: int) -> tuple[int, int]:
    """FIDE 8.3.3: 40 for the first 30 games, 10 for ever after 2400, else 20; K times games at most 700."""
    return (10 if highest >= 2400 else 40 if games < 30 else 20), 700


FIDE_B02 = EloParameters(
    code="fide-b02", table=fide_table(), clamp=400, unit=1, start=1400, floor=0, k_rule=fide_k
)  # fmt: skip
AIARENA = EloParameters(
    code="aiarena", table=BELLA.table, clamp=800, unit=1, start=1600, floor=0, k_rule=lambda *_: (8, 10_000)
)  # fmt: skip

ratings = st.integers(min_value=400_000, max_value=3_500_000)
scores = st.sampled_from((elo.LOSS, elo.DRAW, elo.WIN))
factors = st.integers(min_value=1, max_value=40)


def test_every_golden_group_is_run_or_has_a_reason_not_to():
    assert IN_SCOPE | set(OUT_OF_SCOPE) == set(GOLDEN)
    assert not IN_SCOPE & set(OUT_OF_SCOPE)


def test_the_expectation_table_is_the_published_one():
    group = GOLDEN["logistic_table_ppm"]
    assert elo.table_sha256(BELLA.table) == group["sha256"] == elo.TABLE_SHA256
    assert [[d, BELLA.table[d]] for d, _ in group["cases"]] == group["cases"]
    assert [BELLA.table[d] for d in (0, 1, 100, 200, 400, 800)] == [500000, 501439, 640065, 759747, 909091, 990099]
    assert len(BELLA.table) == 801


def test_the_start_check_passes_and_refuses_another_table(monkeypatch):
    elo.check_tables()
    wrong = (*BELLA.table[:-1], BELLA.table[-1] + 1)
    monkeypatch.setattr(elo, "BELLA", replace(BELLA, table=wrong))
    with pytest.raises(RuntimeError, match="SHA-256"):
        elo.check_tables()


@given(st.integers(), st.integers(min_value=1, max_value=10**9))
def test_div_round_is_the_nearest_integer_with_halves_away_from_zero(a, b):
    exact = Fraction(a, b)
    expected = int(abs(exact) + Fraction(1, 2)) * (1 if a >= 0 else -1)
    assert div_round(a, b) == expected
    assert div_round(-a, b) == -expected


@pytest.mark.parametrize("case", GOLDEN["bella_elo_match"]["cases"])
def test_one_match_moves_both_sides_as_the_reference_says(case):
    population = Population(case["population"])
    k = {
        side: k_factor(BELLA, population=population, games_before=case[f"n_{side}"], games=1, highest=0).effective
        for side in "ab"
    }
    expected, delta_a, delta_b = match_rater(BELLA)(
        case["before_a"], case["before_b"], case["score_a_ppm"], k["a"], k["b"]
    )
    assert (k["a"], k["b"]) == (case["k_a"], case["k_b"])
    assert (expected, delta_a, delta_b) == (case["e_a_ppm"], case["delta_a"], case["delta_b"])
    for side, delta in (("a", delta_a), ("b", delta_b)):
        floor = max(0, BELLA.floor - case[f"before_{side}"] - delta)
        assert floor == case[f"floor_{side}"]
        assert case[f"before_{side}"] + delta + floor == case[f"after_{side}"]


@pytest.mark.parametrize("case", GOLDEN["fide_rating_change"]["cases"])
def test_fide_parameters_give_the_published_changes(case):
    _, change, _ = match_rater(FIDE_B02)(case["r"], case["opp"], int(case["score"] * PPM), case["k"], case["k"])
    assert change == case["diff"]


def test_fide_table_bands_end_where_the_table_says():
    bounds = GOLDEN["fide_8_1_2_expected_score"]["upper_bounds"]
    assert [FIDE_B02.table[bound] for bound in bounds] == [percent * 10_000 for percent in range(50, 100)]
    assert [FIDE_B02.table[bound + 1] for bound in bounds] == [percent * 10_000 for percent in range(51, 101)]


@pytest.mark.parametrize(
    ("games_before", "games", "highest", "effective"),
    [
        (0, 1, 1800, 40),
        (29, 17, 1800, 40),
        (29, 18, 1800, 38),
        (30, 1, 1800, 20),
        (30, 36, 1800, 19),
        (90, 1, 2400, 10),
    ],
)
def test_fide_k_falls_with_experience_and_with_many_games(games_before, games, highest, effective):
    k = k_factor(FIDE_B02, population=Population.HUMAN, games_before=games_before, games=games, highest=highest)
    assert k.effective == effective


def test_aiarena_parameters_give_its_published_ratings():
    group = GOLDEN["aiarena_elo"]
    a, b = group["start"]
    rate = match_rater(AIARENA)
    for result, after in zip(group["results"], group["ratings"], strict=True):
        _, delta_a, delta_b = rate(a, b, {"1": elo.WIN, "2": elo.LOSS, "T": elo.DRAW}[result], 8, 8)
        a, b = a + delta_a, b + delta_b
        assert [a, b] == after


def test_performance_adds_the_table_to_the_mean_of_the_opponents():
    percentages = GOLDEN["fide_1_4_9_dp"]["p_percent_0_100_to_dp"]
    assert [rating_difference(percentage) for percentage in range(101)] == percentages
    for case in GOLDEN["fide_performance_rating"]["cases"]:
        opponents = [1000 * rating for _, rating in case["games"]]
        half_points = sum({"W": 2, "D": 1, "L": 0}[result] for result, _ in case["games"])
        assert performance(opponents=opponents, half_points=half_points) == 1000 * case["perf"]


@pytest.mark.parametrize(("opponents", "half_points", "code"), [([], 0, "no_games"), ([1_500_000], 3, "score_value")])
def test_a_performance_without_games_or_with_too_many_points_is_refused(opponents, half_points, code):
    with pytest.raises(RatingInputError) as caught:
        performance(opponents=opponents, half_points=half_points)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("population", "ks"), [(Population.HUMAN, (40, 20, 16, 16)), (Population.BOT, (32, 16, 12, 8))]
)
def test_k_decays_with_the_rated_games(population, ks):
    assert tuple(BELLA.k_rule(population, n, 0)[0] for n in (0, 20, 30, 60)) == ks


@given(st.sampled_from(Population), st.integers(0, 10_000))
def test_k_is_the_clamped_quotient_of_the_rules(population, n):
    top, low, high, cap = (800, 16, 40, 700) if population is Population.HUMAN else (640, 8, 32, 200)
    assert BELLA.k_rule(population, n, 0) == (min(high, max(low, top // (n + 20))), cap)


@given(st.sampled_from(Population), st.integers(0, 500), st.integers(1, 400))
def test_k_times_games_stays_under_the_cap(population, n, games):
    k = k_factor(BELLA, population=population, games_before=n, games=games, highest=0)
    assert k.effective == min(k.base, max(1, k.cap // games))
    if games <= k.cap:
        assert k.effective * games <= k.cap


@given(ratings, ratings, scores, factors, factors)
def test_expectations_add_up_and_deltas_point_where_the_surprise_points(a, b, score, k_a, k_b):
    expected, delta_a, delta_b = match_rater(BELLA)(a, b, score, k_a, k_b)
    mirrored, mirrored_b, mirrored_a = match_rater(BELLA)(b, a, PPM - score, k_b, k_a)
    assert expected + mirrored == PPM
    assert (delta_a, delta_b) == (mirrored_a, mirrored_b)
    d = max(-800, min(800, div_round(a - b, 1000)))
    assert expected == (BELLA.table[d] if d >= 0 else PPM - BELLA.table[-d])
    assert delta_a == div_round(k_a * (score - expected), 1000)
    assert delta_b == div_round(k_b * (expected - score), 1000)
    assert delta_a * (score - expected) >= 0
    assert delta_b * (score - expected) <= 0


def test_every_lead_and_k_is_rounded_by_the_one_rule_exact_halves_included():
    rate = match_rater(BELLA)
    halves = 0
    for lead in range(-801, 802):
        expected = rate(lead * 1000, 0, elo.WIN, 1, 1)[0]
        for score in (elo.LOSS, elo.DRAW, elo.WIN):
            for k in range(1, 41):
                halves += k * (score - expected) % 1000 == 500
                gain = div_round(k * (score - expected), 1000)
                assert rate(lead * 1000, 0, score, k, k) == (expected, gain, -gain)
    assert halves > 0


@given(ratings, ratings, scores, factors)
def test_equal_k_gives_what_it_takes(a, b, score, k):
    _, delta_a, delta_b = match_rater(BELLA)(a, b, score, k, k)
    assert delta_a + delta_b == 0


@given(ratings, ratings, ratings)
def test_a_higher_rating_never_expects_less(a, higher, b):
    low, high = sorted((a, higher))
    rate = match_rater(BELLA)
    assert rate(low, b, elo.DRAW, 8, 8)[0] <= rate(high, b, elo.DRAW, 8, 8)[0]
