"""Every preset plays the matches of its golden file, card by card, and they can be verified."""

import json
from typing import Any

import pytest

from games.engine import Deal, MatchScore, Rules, commitment, first_dealer, format_cards, shuffled, verify_match
from games.engine.presets import CHOICES, PRESETS
from tests.engine.play import GOLDEN

FILE = json.loads((GOLDEN / "presets.json").read_text())
SEED, SALT = bytes.fromhex(FILE["seed"]), FILE["salt"]


@pytest.mark.parametrize(
    "golden", FILE["matches"], ids=lambda match: f"{match['preset']}-{match['n']}-{','.join(match['options'].values())}"
)
def test_a_preset_plays_its_golden_match(golden: dict[str, Any]) -> None:
    rules = Rules.preset(golden["preset"], golden["n"], **golden["options"])
    assert rules.code == golden["rules"]
    first = first_dealer(rules, SEED, SALT)
    score = MatchScore(rules)
    deals = []
    for number, expected in enumerate(golden["deals"], start=1):
        shuffle = shuffled(rules, SEED, SALT, number)
        deal = Deal(rules, shuffle.deck, score.next_dealer(first), shuffle.turned)
        while not deal.over:
            deal.play(deal.legal()[0])
        result = deal.result()
        score = score.add(result)
        assert expected == [
            deal.dealer, format_cards(shuffle.deck[:2]), format_cards(shuffle.turned), format_cards(deal.plays[:4]),
            list(deal.points), result.winner_side,
        ]  # fmt: skip
        deals.append(
            {"number": number, "dealer": deal.dealer, "deck": format_cards(deal.deck), "end": deal.end,
             "turned": format_cards(deal.turned), "plays": format_cards(deal.plays), "points": list(deal.points)}
        )  # fmt: skip
    assert score.is_over
    assert (first, score.winner_side) == (golden["first_dealer"], golden["winner_side"])
    bundle = {
        "engine": "bella-1", "rules": rules.code, "salt": SALT, "seed": SEED.hex(), "commitment": commitment(SEED),
        "first_dealer": first, "deals": deals, "outcome": {"winner_side": score.winner_side},
    }  # fmt: skip
    assert verify_match(bundle) == []


def test_every_preset_and_every_choice_has_a_golden_match() -> None:
    played = {(match["preset"], match["n"]) for match in FILE["matches"]}
    assert played == {(name, n) for name, seats in PRESETS.items() for n in seats}
    chosen = {
        (match["preset"], option, value.partition(":")[0])
        for match in FILE["matches"]
        for option, value in match["options"].items()
    }
    assert chosen == {
        (name, option, value.partition(":")[0])
        for name, choices in CHOICES.items()
        for option, values in choices.items()
        for value in values[1:]
    }
