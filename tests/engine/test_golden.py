"""Every golden case of the rules, kind by kind; a kind that no test knows fails."""

from collections.abc import Callable
from typing import Any

import pytest

from games.engine import (
    POINTS,
    RANKS,
    Deal,
    DealResult,
    EngineError,
    MatchScore,
    Position,
    Record,
    Rules,
    card_code,
    card_int,
    format_cards,
    luck,
    parse_cards,
    read_deal,
    solve,
    write_deal,
)
from games.engine.cards import FRENCH_FIGURES, RANK_POINTS, beats
from games.engine.shuffle import redraw_action
from tests.engine.play import CASES

Case = dict[str, Any]


def deal_of(given: Case) -> Deal:
    rules = Rules.parse(given["rules"]) if "rules" in given else Rules(n=given["players"])
    return Deal(rules, parse_cards(given["deck"]), given["dealer"])


def check_trick(given: Case, expected: Case) -> None:
    cards = [card_int(code) for code in given["cards"]]
    trump = "DCSB".index(given["trump"]) if given["trump"] else None
    winner = 0
    for at, card in enumerate(cards[1:], start=1):
        # without trumps a suit that nobody has played stands in
        suit = trump if trump is not None else next(s for s in range(4) if all(c // 10 != s for c in cards))
        if beats(card, cards[winner], suit):
            winner = at
    assert (winner, sum(POINTS[card] for card in cards)) == (expected["winner_index"], expected["points"])


def check_deck(given: Case, expected: Case) -> None:
    rules = Rules(n=given["players"])
    ranks = [card_code(card)[0] for card in rules.cards]
    found = {
        "cards": len(rules.cards),
        "points": sum(POINTS[card] for card in rules.cards),
        "carichi": sum(rank in "A3" for rank in ranks),
        "figure": sum(rank in "RCF" for rank in ranks),
        "lisci": sum(rank in "24567" for rank in ranks),
        "removed": list(rules.removed),
    }
    assert {name: found[name] for name in expected} == expected


def check_counts(given: Case, expected: Case) -> None:
    rules = Rules(n=given["players"])
    deal = Deal(rules, rules.cards, 0)
    found = {"stock_after_deal": deal.stock_size - 1, "stock_with_upcard": deal.stock_size}
    with_draw = 0
    while not deal.over:
        before = deal.stock_size
        deal.play(deal.legal()[0])
        with_draw += deal.stock_size < before
    found |= {
        "tricks": len(deal.tricks),
        "tricks_with_draw": with_draw,
        "tricks_without_draw": len(deal.tricks) - with_draw,
    }
    assert {name: found[name] for name in expected} == expected


def check_dealing(given: Case, expected: Case) -> None:
    rules = Rules(n=given["players"])
    deck = rules.cards[::-1]
    deal = Deal(rules, deck, 1)
    where = {card: at for at, card in enumerate(deck)}
    assert {
        "hand_of_first_player": [where[card] for card in deal.hands[0]],
        "hand_of_dealer": [where[card] for card in deal.hands[1]],
        "upcard_index": where[deal.upcard],
        "first_drawn_index": where[deal.stock[0]],
        "last_drawn_index": where[deal.stock[-1]],
    } == expected


def check_full_deal(given: Case, expected: Case) -> None:
    deal = deal_of(given)
    holder = None
    while not deal.over:
        deal.play(deal.legal()[0])
        if holder is None and not deal.stock_size:
            holder = next(seat for seat, hand in enumerate(deal.hands) if deal.upcard in hand)
    assert {
        "points": list(deal.points),
        "side_points": list(deal.side_points),
        "winners": [trick.winner for trick in deal.tricks],
        "upcard": card_code(deal.upcard),
        "upcard_drawn_by": holder,
        "plays": format_cards(deal.plays),
    } == expected


def check_draw_order(given: Case, expected: Case) -> None:
    rules = Rules(n=given["players"])
    drawn_last = {"winner_draws": "hidden card", "loser_draws": "upcard"}
    seen = set()
    for rotation in range(40):
        deal = Deal(rules, rules.cards[rotation:] + rules.cards[:rotation], 1)
        while deal.stock_size:
            deal.play(deal.legal()[0])
        winner = deal.tricks[-1].winner
        seen.add(winner)
        assert deal.upcard not in deal.hands[winner]
        assert deal.hands[1 - winner][-1] == deal.upcard
    assert given["last_draw_trick_winner"] in seen
    assert expected == drawn_last


def check_deal_result(given: Case, expected: Case) -> None:
    rules = Rules(n=len(given["points"]))
    assert DealResult.from_points(rules, given["points"]).winner_side == expected["winner_side"]


def check_match(given: Case, expected: Case) -> None:
    rules = Rules(format=given["format"])
    points = {"first": (61, 59), "draw": (60, 60), "second": (59, 61)}
    score = MatchScore(rules)
    for entry in given.get("deals") or [points[name] for name in given["outcomes"]]:
        assert not score.is_over
        score = score.add(DealResult.from_points(rules, entry))
    found = {
        "winner": score.winner_side,
        "wins": list(score.wins),
        "deals": score.deals,
        "over": score.is_over,
        "sum": list(score.points),
        "difference": list(score.differences),
    }
    assert {name: found[name] for name in expected} == expected


def check_redraw(given: Case, expected: Case) -> None:
    rules = Rules(n=given["players"], redraw=given["policy"])
    assert redraw_action(rules, [card_int(code) for code in given["turned"]]) == expected["action"]


def check_french(given: Case, expected: Case) -> None:
    letters = FRENCH_FIGURES[Rules(figures=given["figures"]).figures]
    order = [letters.get(rank, rank) for rank in reversed(RANKS)]
    points = {letters.get(rank, rank): RANK_POINTS[RANKS.index(rank)] for rank in RANKS}
    assert order == expected["order"]
    assert {name: points[name] for name in "KQJ"} == {name: expected[name] for name in "KQJ"}


def check_notation(given: Case, expected: Case) -> None:
    record = Record(
        Rules.parse(given["rules"]), parse_cards(given["deck"]), parse_cards(given["plays"]), given["dealer"]
    )
    assert write_deal(record) == expected["text"]
    assert read_deal(expected["text"]).record == record


def check_position(given: Case, expected: Case) -> None:
    deal = deal_of(given)
    for card in parse_cards(given["plays"]):
        deal.play(card)
    assert deal.turn == expected["turn"]
    assert deal.position() == expected["position"]
    assert deal.position(deal.turn) == expected["position_seat"]
    for text in (expected["position"], expected["position_seat"]):
        assert str(Position.parse(text)) == text


def check_early_end(given: Case, expected: Case) -> None:
    rules = Rules(n=given["players"], stop_at_61=given["stop_at_61"])
    deal = Deal(rules, parse_cards(given["deck"]), given["dealer"])
    for card in parse_cards(given["plays"]):
        assert not deal.over
        deal.play(card)
    result = deal.result()
    assert deal.over
    assert {
        "tricks": result.tricks,
        "points": list(result.points),
        "unplayed": result.unplayed,
        "winner_side": result.winner_side,
    } == expected


def check_luck(given: Case, expected: Case) -> None:
    rules = Rules(n=given["players"])
    record = Record(rules, parse_cards(given["deck"]), parse_cards(given["plays"]), given["dealer"])
    tenths = expected["luck_tenths_seat0"]
    assert luck(record) == (tenths, -tenths)
    assert list(record.result().points) == expected["points"]


def check_solver(given: Case, expected: Case) -> None:
    solution = solve(Position.parse(given["position"]))
    assert solution.value == expected["value_side0_to_come"]
    assert solution.values == expected["card_values"]
    assert sorted(solution.best) == sorted(expected["best"])


def check_error(given: Case, expected: Case) -> None:
    def act() -> None:
        if "notation" in given:
            read_deal(given["notation"])
        elif "deck" in given:
            record = Record(
                Rules.parse(given["rules"]), parse_cards(given["deck"]), parse_cards(given["plays"]), given["dealer"]
            )
            record.replay()
        else:
            Rules(n=given["players"])

    with pytest.raises(EngineError) as refused:
        act()
    error = refused.value
    assert {"error": error.code, **{key: error.detail[key] for key in ("play", "line") if key in expected}} == expected


CHECKS: dict[str, Callable[[Case, Case], None]] = {
    "trick": check_trick,
    "deck": check_deck,
    "counts": check_counts,
    "dealing": check_dealing,
    "full_deal": check_full_deal,
    "draw_order": check_draw_order,
    "deal_result": check_deal_result,
    "match": check_match,
    "redraw": check_redraw,
    "french": check_french,
    "notation": check_notation,
    "position": check_position,
    "early_end": check_early_end,
    "luck": check_luck,
    "solver": check_solver,
    "error": check_error,
}


@pytest.mark.parametrize(
    "entry",
    CASES,
    ids=lambda e: e["id"],
)
def test_the_engine_agrees_with_the_golden_case(entry: Case) -> None:
    CHECKS[entry["kind"]](entry["input"], entry["expected"])


def test_every_kind_of_golden_case_is_checked() -> None:
    assert {entry["kind"] for entry in CASES} == CHECKS.keys()
    assert len(CASES) == 58
