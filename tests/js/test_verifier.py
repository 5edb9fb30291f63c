"""The browser's verifier against the engine: same shuffle, same plays, same refusals; a changed record is found out."""

import copy
import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest

from games.engine import Rules, commitment, first_dealer, format_cards, shuffled
from games.engine.presets import PRESETS
from tests.conftest import PROJECT
from tests.frontend.match import replay_data
from tests.js.conftest import Run

GOLDEN = json.loads((PROJECT / "tests/golden/shuffle.json").read_text())["vectors"]
RULES = [
    "n=2", "n=2 redraw=A3", "n=2 redraw=A3R", "n=2 first_dealer=lowest", "n=2 first_dealer=highest first_lead=before",
    "n=2 first_dealer=seat:1", "n=3 removed=2D redraw=A3R first_dealer=lowest", "n=4", "n=4 redraw=A3",
    "n=6", "n=5", "n=8", "n=2 hand=5 trump=none",
]  # fmt: skip


def test_the_plain_sha_256_is_the_standard_one(run: Run) -> None:
    messages = [bytes(length % 256 for _ in range(length)) for length in (0, 1, 3, 55, 56, 63, 64, 65, 119, 120, 1000)]
    expected = [hashlib.sha256(message).hexdigest() for message in messages]
    assert run("digests", [message.hex() for message in messages]) == expected


def test_the_golden_shuffles_come_out(run: Run) -> None:
    cases = [
        {
            "rules": {"n": vector["players"], "removed": vector["removed"], "redraw": vector["redraw"]},
            "seed": vector["seed"],
            "salt": vector["salt"],
            "numbers": [deal["number"] for deal in vector["deals"]],
        }
        for vector in GOLDEN
    ]
    answers = run("shuffles", cases)
    assert [answer["commitment"] for answer in answers] == [vector["commitment"] for vector in GOLDEN]
    assert [answer["deals"] for answer in answers] == [
        [
            {"deck": deal["deck"], "turned": "".join(deal["turned"]), "attempt": deal["attempt"]}
            for deal in vector["deals"]
        ]
        for vector in GOLDEN
    ]


def test_a_hundred_seeds_give_the_decks_of_the_engine(run: Run) -> None:
    cases = []
    expected = []
    for index in range(100):
        code = RULES[index % len(RULES)]
        rules = Rules.parse(code)
        seed = hashlib.sha256(f"seed {index}".encode()).digest()
        salt = "" if index % 3 else f"salt_{index}"
        numbers = [1, 2, 10 + index]
        cases.append({"rules": code, "seed": seed.hex(), "salt": salt, "numbers": numbers})
        decks = [shuffled(rules, seed, salt, number) for number in numbers]
        expected.append(
            {
                "commitment": commitment(seed),
                "dealer": first_dealer(rules, seed, salt),
                "deals": [
                    {"deck": format_cards(s.deck), "turned": format_cards(s.turned), "attempt": s.attempt}
                    for s in decks
                ],
            }
        )
    assert any(deal["turned"] for case in expected for deal in case["deals"])
    assert any(deal["attempt"] for case in expected for deal in case["deals"])
    assert run("shuffles", cases) == expected


@pytest.mark.parametrize(
    "code",
    ["n=2", "n=2 redraw=A3R", "n=2 stop_at_61=auto", "n=3", "n=4", "n=6", "n=2 format=deals:4", "n=2 format=race:120",
     "n=4 format=sum:3", "n=2 format=difference:2", "n=5 format=race:200", "n=2 tie=last_trick",
     *sorted({Rules.preset(name, n).code for name, seats in PRESETS.items() for n in seats} - {"n=2", "n=3"})],
)  # fmt: skip
def test_a_true_match_passes_every_check(run: Run, code: str) -> None:
    match = replay_data(code)
    [verdict] = run("verdicts", [match])
    deals = [f"{kind}:{deal['number']}" for deal in match["deals"] for kind in ("deck", "play")]
    assert verdict == ["commitment", "dealer", *deals, "outcome"]


def test_a_deal_lost_by_a_fault_passes_and_its_winner_is_checked(run: Run) -> None:
    match = replay_data(fault_in=1)
    wrong = copy.deepcopy(match)
    wrong["deals"][0]["winner_side"] = wrong["deals"][0]["fault_seat"]
    true, false = run("verdicts", [match, wrong])
    assert not any(check.startswith("-") for check in true)
    assert "-play:1" in false


def _swap_plays(match: dict[str, Any]) -> None:
    plays = match["deals"][1]["plays"]
    match["deals"][1]["plays"] = plays[2:4] + plays[:2] + plays[4:]


def _set(where: Callable[[dict[str, Any]], dict[str, Any]], key: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda match: where(match).update({key: value})


TAMPERED = {
    "the seed": (_set(lambda m: m, "seed", "ff" * 32), "-commitment"),
    "the promise": (_set(lambda m: m, "commitment", "00" * 32), "-commitment"),
    "the salt": (_set(lambda m: m, "salt", "other"), "-deck:1"),
    "the first dealer": (lambda m: m.update(first_dealer=1 - m["first_dealer"]), "-dealer"),
    "a dealer": (lambda m: m["deals"][1].update(dealer=1 - m["deals"][1]["dealer"]), "-dealer"),
    "a deck": (lambda m: m["deals"][1].update(deck=m["deals"][1]["deck"][2:] + m["deals"][1]["deck"][:2]), "-deck:2"),
    "an upcard turned back": (_set(lambda m: m["deals"][0], "turned", "AD"), "-deck:1"),
    "the points": (lambda m: m["deals"][2].update(points=m["deals"][2]["points"][::-1]), "-play:3"),
    "the order of plays": (_swap_plays, "-play:2"),
    "a missing play": (lambda m: m["deals"][1].update(plays=m["deals"][1]["plays"][:-2]), "-play:2"),
    "the winner": (lambda m: m["deals"][2].update(winner_side=1 - m["deals"][2]["winner_side"]), "-play:3"),
    "the result": (lambda m: m["outcome"].update(winner_side=1 - m["outcome"]["winner_side"]), "-outcome"),
}


@pytest.mark.parametrize("what", TAMPERED)
def test_what_was_changed_is_found(run: Run, what: str) -> None:
    change, found = TAMPERED[what]
    match = replay_data()
    changed = copy.deepcopy(match)
    change(changed)
    assert changed != match
    [verdict] = run("verdicts", [changed])
    assert found in verdict


def test_refusals_carry_the_codes_of_the_engine(run: Run) -> None:
    deal = replay_data()["deals"][0]
    base = {"rules": "n=2", "deck": deal["deck"], "dealer": deal["dealer"]}
    assert run(
        "refusals",
        [
            base | {"plays": deal["plays"]},
            base | {"plays": deal["plays"] + "AD"},
            base | {"plays": deal["deck"][-2:]},
            base | {"plays": "XX"},
            base | {"plays": "", "deck": deal["deck"][:-2] + deal["deck"][:2]},
            base | {"plays": "", "dealer": 2},
        ],
    ) == [None, "play.deal_over", "play.not_in_hand", "card.code", "record.deck", "record.dealer"]


@pytest.mark.parametrize(
    "code", ["n=2 format=race:120", "n=2 format=sum:3", "n=2 format=deals:4", "n=4 format=difference:2"]
)
def test_the_result_of_every_format_is_checked(run: Run, code: str) -> None:
    match = replay_data(code)
    winner = match["outcome"]["winner_side"]
    wrong = match | {"outcome": match["outcome"] | {"winner_side": 0 if winner is None else 1 - winner}}
    true, false = run("verdicts", [match, wrong])
    assert "outcome" in true
    assert "-outcome" in false


def test_a_seed_that_is_none_is_refused(run: Run) -> None:
    assert run("verdicts", [replay_data() | {"seed": "12"}]) == [["shuffle.seed"]]
