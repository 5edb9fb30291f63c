import json
import pickle
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given

from games.engine import (
    Deal,
    DealResult,
    EngineError,
    IllegalPlay,
    MatchError,
    Record,
    RecordError,
    Rules,
    parse_cards,
)
from tests.engine.play import any_deal, case, new_deal, play_out, state_of

P01 = case("P01")
RECORD = Record(Rules(), parse_cards(P01["input"]["deck"]), parse_cards(P01["expected"]["plays"]), 1)


@given(any_deal())
def test_a_record_gives_back_the_deal_and_comes_back_from_its_dict(deal: Deal) -> None:
    record = Record.of(deal)
    assert state_of(record.replay()) == state_of(deal)
    assert record.result() == deal.result()
    assert Record.from_dict(json.loads(json.dumps(record.to_dict()))) == record


def test_a_record_replays_up_to_any_play() -> None:
    for upto in range(41):
        assert RECORD.replay(upto).plays == RECORD.plays[:upto]
    assert RECORD.replay().over


def test_the_dict_of_a_record_holds_codes() -> None:
    assert RECORD.to_dict() == {
        "rules": "n=2",
        "deck": P01["input"]["deck"],
        "plays": P01["expected"]["plays"],
        "dealer": 1,
        "turned": "",
        "end": "played",
    }


@pytest.mark.parametrize("upto", [-1, 41, True, 1.0, "1"])
def test_a_moment_outside_the_record_is_refused(upto: int) -> None:
    with pytest.raises(RecordError) as refused:
        RECORD.replay(upto)
    assert refused.value.code == "record.plays"


def test_the_first_play_that_is_not_possible_is_named() -> None:
    swapped = (RECORD.plays[1], RECORD.plays[0], *RECORD.plays[2:])
    with pytest.raises(IllegalPlay) as refused:
        replace(RECORD, plays=swapped).replay()
    assert (refused.value.code, refused.value.detail["play"]) == ("play.not_in_hand", 1)
    with pytest.raises(IllegalPlay) as refused:
        replace(RECORD, plays=(*RECORD.plays, RECORD.plays[0])).replay()
    assert (refused.value.code, refused.value.detail["play"]) == ("play.deal_over", 41)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"plays": None}, "record.plays"),
        ({"plays": "AD"}, "record.plays"),
        ({"plays": (99,)}, "card.code"),
        ({"plays": ("6S",)}, "card.code"),
        ({"deck": RECORD.deck[1:]}, "record.deck"),
        ({"dealer": 5}, "record.dealer"),
        ({"turned": (9,)}, "record.turned"),
        ({"end": "claim:0"}, "claim.not_allowed"),
        ({"end": "claim:2"}, "record.end"),
        ({"end": "abandoned"}, "record.end"),
        ({"end": None}, "record.end"),
    ],
)
def test_a_record_that_cannot_be_replayed_is_refused(change: dict[str, object], code: str) -> None:
    with pytest.raises(EngineError) as refused:
        replace(RECORD, **change).replay()  # type: ignore[arg-type]
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"rules": 7}, "rules.value"),
        ({"rules": {"n": 7}}, "rules.deck_size"),
        ({"deck": None}, "card.code"),
        ({"plays": "AX"}, "card.code"),
        ({"dealer": "1"}, "record.dealer"),
        ({"end": 1}, "record.end"),
        ({"points": []}, "record.fields"),
    ],
)
def test_a_dict_that_is_no_record_is_refused(change: dict[str, object], code: str) -> None:
    with pytest.raises(EngineError) as refused:
        Record.from_dict(RECORD.to_dict() | change)
    assert refused.value.code == code


def test_a_dict_without_a_needed_field_is_refused_and_the_others_have_defaults() -> None:
    for name in ("rules", "deck", "plays", "dealer"):
        data = RECORD.to_dict()
        del data[name]
        with pytest.raises(RecordError) as refused:
            Record.from_dict(data)
        assert refused.value.code == "record.fields"
    data = RECORD.to_dict() | {"rules": RECORD.rules.to_dict()}
    del data["turned"], data["end"]
    assert Record.from_dict(data) == RECORD
    with pytest.raises(RecordError):
        Record.from_dict([])  # type: ignore[arg-type]


def test_a_call_of_the_game_is_part_of_the_record() -> None:
    rng = Random(5)
    deal = new_deal(Rules(stop_at_61="claim"), rng)
    while deal.table or deal.points[deal.turn] <= 60:
        deal.play(rng.choice(deal.legal()))
    deal.claim(deal.turn)
    record = Record.of(deal)
    assert record.end == f"claim:{deal.turn}"
    assert record.result() == deal.result()
    assert not record.replay(len(record.plays)).over
    too_early = replace(record, plays=record.plays[:-2])
    with pytest.raises(EngineError):
        too_early.replay()


def test_an_awarded_deal_counts_120_for_the_winner_and_nothing_as_played() -> None:
    assert DealResult.awarded(Rules(n=4), 1) == DealResult((0, 0, 0, 0), (0, 120), 1, 120, 0)
    assert DealResult.forfeited(Rules(n=4), 2) == DealResult((0, 0, 0, 0), (0, 120), 1, 120, 0)
    assert DealResult.forfeited(Rules(n=3), 1) == DealResult((0, 0, 0), (60, 0, 60), None, 120, 0)


@pytest.mark.parametrize("side", [2, -1, True, None, "0"])
def test_a_deal_is_awarded_to_a_side_of_the_table_only(side: int) -> None:
    for call in (lambda: DealResult.awarded(Rules(), side), lambda: DealResult.forfeited(Rules(), side)):
        with pytest.raises(MatchError):
            call()


@pytest.mark.parametrize("points", [(60, 59), (120,), (121, -1), (60.0, 60.0), (True, 119), ()])
def test_points_of_a_played_deal_make_120(points: tuple[int, ...]) -> None:
    with pytest.raises(RecordError) as refused:
        DealResult.from_points(Rules(), points)
    assert refused.value.code == "record.points"


def test_three_sides_need_one_alone_at_the_top() -> None:
    rules = Rules(n=3)
    assert DealResult.from_points(rules, (50, 40, 30)).winner_side == 0
    assert DealResult.from_points(rules, (50, 50, 20)).winner_side is None


def test_errors_of_the_engine_survive_a_pipe_between_processes() -> None:
    with pytest.raises(IllegalPlay) as refused:
        replace(RECORD, plays=(0,)).replay()
    again = pickle.loads(pickle.dumps(refused.value))
    assert (type(again), again.code, again.detail) == (IllegalPlay, "play.not_in_hand", refused.value.detail)
    assert str(again) == "play.not_in_hand: Seat 0 does not hold 2D. (play 1)"


def test_a_played_deal_makes_a_record_of_80_characters_of_plays() -> None:
    record = Record.of(play_out(new_deal(Rules(), Random(3)), Random(3)))
    assert len(record.to_dict()["plays"]) == 80
