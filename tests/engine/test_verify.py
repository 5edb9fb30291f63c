import copy
import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine import (
    Deal,
    MatchScore,
    Record,
    Rules,
    first_dealer,
    format_cards,
    parse_cards,
    shuffled,
    verify_match,
)
from tests.engine.play import SEED, any_rules, played_match

Bundle = dict[str, Any]
BUNDLE = played_match(Rules())
LAST = len(BUNDLE["deals"])


@given(any_rules(), st.binary(min_size=32, max_size=32), st.integers(0, 100))
def test_a_match_played_by_the_rules_has_no_problem(rules: Rules, seed: bytes, chance: int) -> None:
    bundle = json.loads(json.dumps(played_match(rules, seed, chance=chance)))
    assert verify_match(bundle) == []
    assert verify_match(bundle | {"rules": rules.code}) == []


def other_seed(bundle: Bundle) -> None:
    bundle["seed"] = SEED[::-1].hex()


def other_play(bundle: Bundle) -> None:
    deal = bundle["deals"][0]
    record = Record.from_dict({"rules": "n=2"} | {name: deal[name] for name in ("deck", "plays", "dealer")})
    moment = record.replay(3)
    moment.play(next(card for card in moment.legal() if card != record.plays[3]))
    while not moment.over:
        moment.play(moment.legal()[0])
    deal["plays"] = format_cards(moment.plays)


def swap_hidden_cards(bundle: Bundle) -> None:
    deal = bundle["deals"][0]
    deck = deal["deck"]
    deal["deck"] = deck[2:4] + deck[:2] + deck[4:]


def drop_deal(bundle: Bundle) -> None:
    del bundle["deals"][-1]


def repeat_deal(bundle: Bundle) -> None:
    bundle["deals"].append(copy.deepcopy(bundle["deals"][-1]) | {"number": LAST + 1})


@pytest.mark.parametrize(
    ("change", "codes"),
    [
        (lambda b: b.update(engine="bella-2"), {"verify.engine"}),
        (lambda b: b.update(commitment=b["commitment"].upper()), {"verify.commitment"}),
        (lambda b: b.update(first_dealer=1 - b["first_dealer"]), {"verify.first_dealer"}),
        (lambda b: b.update(first_dealer=bool(b["first_dealer"])), {"verify.first_dealer"}),
        (lambda b: b.update(seed="00"), {"verify.bundle"}),
        (lambda b: b.update(seed="0" * 63 + " "), {"verify.bundle"}),
        (lambda b: b.update(salt="a b"), {"verify.bundle"}),
        (lambda b: b.update(rules="n=7"), {"verify.bundle"}),
        (lambda b: b.update(deals={}), {"verify.bundle"}),
        (lambda b: b.update(deals=[None]), {"verify.bundle"}),
        (lambda b: b.update(extra=1), {"verify.bundle"}),
        (lambda b: b.pop("outcome"), {"verify.bundle"}),
        (lambda b: b["deals"][0].pop("turned"), {"verify.bundle"}),
        (lambda b: b["deals"][0].update(comment="x"), {"verify.bundle"}),
        (lambda b: b["deals"][0].update(number=2), {"verify.number"}),
        (lambda b: b["deals"][0].update(points=[60, 60]), {"verify.points"}),
        (lambda b: b["deals"][0].update(points=[float(p) for p in b["deals"][0]["points"]]), {"verify.points"}),
        (lambda b: b["deals"][0].update(winner_side=None), {"verify.winner"}),
        (lambda b: b["deals"][0].update(termination="auto"), {"verify.termination"}),
        (lambda b: b["deals"][0].update(termination="bored"), {"verify.plays"}),
        (lambda b: b["deals"][0].update(fault_seat=0), {"verify.termination"}),
        (lambda b: b["deals"][0].update(end="claim:0"), {"verify.plays"}),
        (lambda b: b["deals"][0].update(plays=b["deals"][0]["plays"][:-2]), {"verify.end", "verify.points"}),
        (lambda b: b["deals"][0].update(plays=b["deals"][0]["plays"] + "AD"), {"verify.plays"}),
        (lambda b: b["deals"][0].update(plays="XX"), {"verify.plays"}),
        (lambda b: b["deals"][0].update(turned="AD"), {"verify.turned", "verify.plays"}),
        (lambda b: b["deals"][0].update(dealer=1 - b["deals"][0]["dealer"]), {"verify.dealer", "verify.points"}),
        (lambda b: b["outcome"].update(winner_side=1 - b["outcome"]["winner_side"]), {"verify.outcome"}),
        (lambda b: b["outcome"].update(wins=[2, 2]), {"verify.outcome"}),
        (lambda b: b["outcome"].update(drawn=1), {"verify.outcome"}),
        (lambda b: b["outcome"].update(termination="fault"), {"verify.outcome"}),
        (lambda b: b["outcome"].update(termination="bored"), {"verify.outcome"}),
        (lambda b: b["outcome"].update(sum=1), {"verify.bundle"}),
        (lambda b: b.update(outcome=None), {"verify.outcome"}),
        (lambda b: b.update(outcome=[]), {"verify.bundle"}),
        (lambda b: b.update(hidden={"seed": "match_not_over"}), {"verify.hidden"}),
        (drop_deal, {"verify.outcome"}),
        (repeat_deal, {"verify.after_end"}),
    ],
)
def test_whatever_is_changed_in_a_bundle_is_found(change: Callable[[Bundle], object], codes: set[str]) -> None:
    bundle = copy.deepcopy(BUNDLE)
    assert verify_match(bundle) == []
    change(bundle)
    found = {problem.code for problem in verify_match(bundle)}
    assert codes <= found


def test_another_seed_is_found_by_commitment_and_decks() -> None:
    bundle = copy.deepcopy(BUNDLE)
    other_seed(bundle)
    found = {problem.code for problem in verify_match(bundle)}
    assert {"verify.commitment", "verify.deck"} <= found


def test_a_card_played_otherwise_or_a_deck_stacked_is_found_with_the_number_of_the_deal() -> None:
    for change, code in ((other_play, "verify.points"), (swap_hidden_cards, "verify.deck")):
        bundle = copy.deepcopy(BUNDLE)
        change(bundle)
        problems = verify_match(bundle)
        assert code in {problem.code for problem in problems if problem.deal == 1}
        assert str(problems[0]).startswith("deal 1: ")


def faulty_match(*, faults: int, outcome: Bundle | None, termination: str = "illegal") -> Bundle:
    """A match in which the seat on turn breaks off `faults` deals at the start, each after 5 plays."""
    rules = Rules(n=2)
    first = first_dealer(rules, SEED, "")
    bundle = played_match(rules, salt="")
    deals = []
    score = MatchScore(rules)
    for number in range(1, faults + 1):
        shuffle = shuffled(rules, SEED, "", number)
        deal = Deal(rules, shuffle.deck, score.next_dealer(first))
        for _ in range(5):
            deal.play(deal.legal()[0])
        deals.append(
            {
                "number": number,
                "dealer": deal.dealer,
                "deck": format_cards(deal.deck),
                "turned": "",
                "plays": format_cards(deal.plays),
                "points": list(deal.points),
                "end": "played",
                "termination": termination,
                "fault_seat": deal.turn,
                "winner_side": 1 - deal.turn,
            }
        )
        result = deal.result()
        score = score.add(type(result).awarded(rules, 1 - deal.turn))
    return bundle | {"deals": deals, "outcome": outcome}


@pytest.mark.parametrize(
    "termination", ["timeout", "crash", "illegal", "protocol", "memory", "output", "flag", "resign"]
)
def test_a_deal_awarded_before_its_end_counts_for_the_other_side(termination: str) -> None:
    bundle = faulty_match(faults=1, outcome=None, termination=termination)
    assert verify_match(bundle) == []
    winner = bundle["deals"][0]["winner_side"]
    bundle["outcome"] = {
        "winner_side": winner,
        "wins": [int(side == winner) for side in (0, 1)],
        "termination": "ruled",
    }
    assert verify_match(bundle) == []


def test_a_match_lost_by_faults_is_won_by_the_other_side() -> None:
    bundle = faulty_match(faults=2, outcome=None)
    first, second = (deal["fault_seat"] for deal in bundle["deals"])
    wins = [(first, second).count(1), (first, second).count(0)]
    bundle["outcome"] = {"winner_side": None, "wins": wins, "drawn": 0, "termination": "normal"}
    if first == second:
        bundle["outcome"] |= {"winner_side": 1 - first, "termination": "fault"}
        assert verify_match(bundle) == []
        bundle["outcome"]["winner_side"] = first
    assert [problem.code for problem in verify_match(bundle)] == ["verify.outcome"]


@pytest.mark.parametrize(
    ("change", "codes"),
    [
        ({"fault_seat": None}, ["verify.termination"]),
        ({"fault_seat": 2}, ["verify.termination"]),
        ({"fault_seat": True}, ["verify.termination"]),
        ({"winner_side": None}, ["verify.winner"]),
        ({"plays": ""}, ["verify.points", "verify.termination"]),
        ({"points": [120, 0]}, ["verify.points"]),
        ({"termination": "normal"}, ["verify.end"]),
    ],
)
def test_an_award_that_does_not_fit_its_record_is_found(change: Bundle, codes: list[str]) -> None:
    bundle = faulty_match(faults=1, outcome=None)
    bundle["deals"][0] |= change
    found = [problem.code for problem in verify_match(bundle)]
    assert found
    assert set(found) <= set(codes)


def test_a_deal_that_was_over_cannot_have_been_awarded() -> None:
    bundle = copy.deepcopy(BUNDLE)
    deal = bundle["deals"][0]
    points = deal["points"]
    deal |= {
        "termination": "resign",
        "fault_seat": int(points[0] > points[1]),
        "winner_side": int(points[0] < points[1]),
    }
    assert verify_match(bundle)[0].code == "verify.termination"


def test_mirrored_matches_have_the_same_decks_and_dealers() -> None:
    rules = Rules(tie_dealer="next")
    one, two = (played_match(rules, chance=chance) for chance in (1, 2))
    assert one["first_dealer"] == two["first_dealer"]
    for mine, other in zip(one["deals"], two["deals"], strict=False):
        assert (mine["deck"], mine["dealer"]) == (other["deck"], other["dealer"])
    assert verify_match(one) == verify_match(two) == []


def test_a_called_game_is_verified() -> None:
    rules = Rules(stop_at_61="claim", format="deals:1")
    bundle = played_match(rules)
    rng = Random(1)
    entry = bundle["deals"][0]
    deal = Deal(rules, parse_cards(entry["deck"]), entry["dealer"])
    while deal.table or deal.points[deal.turn] <= 60:
        deal.play(rng.choice(deal.legal()))
    deal.claim(deal.turn)
    entry |= {"plays": format_cards(deal.plays), "points": list(deal.points), "end": deal.end, "termination": "claim"}
    bundle["outcome"] = {"winner_side": deal.turn}
    assert verify_match(bundle) == []
    entry["end"] = f"claim:{1 - deal.turn}"
    assert [problem.code for problem in verify_match(bundle)] == ["verify.plays"]
