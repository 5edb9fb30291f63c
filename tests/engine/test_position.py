from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine import Deal, EngineError, Position, PositionError, Record, RecordError, Rules
from tests.engine.play import any_deal, case, play_out, state_of

TEXT = case("Q01")["expected"]["position"]
SEEN = case("Q01")["expected"]["position_seat"]


@given(any_deal())
def test_a_position_comes_back_from_its_text_and_plays_on_as_the_deal(deal: Deal) -> None:
    text = deal.position()
    position = Position.parse(text)
    assert str(position) == text
    again = position.deal()
    assert again.position() == text
    assert (again.over, again.turn, again.points, again.table) == (deal.over, deal.turn, deal.points, deal.table)
    assert [sorted(hand) for hand in again.hands] == [sorted(hand) for hand in deal.hands]
    play_on = Random(1)
    while not deal.over:
        card = play_on.choice(sorted(deal.legal()))
        deal.play(card)
        again.play(card)
        assert again.position() == deal.position()
    assert again.result() == deal.result()


@given(any_deal())
def test_a_seats_position_hides_other_hands_and_the_stock(deal: Deal) -> None:
    for seat in range(deal.rules.n):
        text = deal.position(seat)
        position = Position.parse(text)
        assert str(position) == text
        hands = [hand if isinstance(hand, int) else len(hand) for hand in position.hands]
        assert hands == [len(hand) for hand in deal.hands]
        assert position.hands[seat] == tuple(sorted(deal.hands[seat]))
        is_open, is_seen = deal.rules.open != "none", deal.rules.open == "all"
        others = [hand for at, hand in enumerate(position.hands) if at != seat]
        assert all(not hand or isinstance(hand, tuple if is_open else int) for hand in others)
        size = max(deal.stock_size - (deal.rules.trump == "upcard"), 0)
        assert not position.stock or (len(position.stock) if is_seen else position.stock) == size


@given(any_deal())
def test_a_deal_from_a_position_cannot_be_taken_back_past_it(deal: Deal) -> None:
    again = Position.parse(deal.position()).deal()
    before = state_of(again)
    plays = len(play_out(again, Random(2)).plays) - len(before["plays"])
    for _ in range(plays):
        again.undo()
    assert state_of(again) == before
    with pytest.raises(EngineError) as refused:
        again.undo()
    assert refused.value.code == "play.nothing"
    with pytest.raises(RecordError):
        Record.of(again)


def changed(field: int, value: str) -> str:
    words = TEXT.split(" ")
    words[field] = value
    return " ".join(words)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "position.syntax"),
        (None, "position.syntax"),
        ("x" * 5000, "position.syntax"),
        (TEXT + " ", "position.syntax"),
        (TEXT.replace(" ", "  ", 1), "position.syntax"),
        (changed(0, "n=7"), "position.syntax"),
        (changed(0, "n=3"), "position.syntax"),
        (changed(0, "n=2;redraw=A9"), "position.syntax"),
        (changed(1, "FD"), "position.syntax"),
        (changed(1, "FX+"), "position.syntax"),
        (changed(2, "RC7BRB"), "position.syntax"),
        (changed(2, "RC7BRB//ADAS"), "position.syntax"),
        (changed(2, "RC7BRB/"), "position.syntax"),
        (changed(2, "RC7BRB/?x"), "position.syntax"),
        (changed(3, "?1"), "position.syntax"),
        (changed(4, "2"), "position.syntax"),
        (changed(4, "-1"), "position.syntax"),
        (changed(6, "0"), "position.syntax"),
        (changed(6, "0:x"), "position.syntax"),
        (changed(2, "RC7B/ADAS"), "position.cards"),
        (changed(2, "RC7BAD/ADAS"), "position.cards"),
        (changed(2, "RC7BRB/ADAS3D"), "position.cards"),
        (changed(3, "-"), "position.cards"),
        (changed(3, "AD"), "position.cards"),
        (changed(5, "-"), "position.cards"),
        (changed(5, "?28"), "position.cards"),
        (changed(1, "FD-"), "position.cards"),
        (changed(1, "3D+"), "position.cards"),
        (changed(7, "4D5D4C"), "position.cards"),
        (changed(7, "4D5D4C4C"), "position.cards"),
        (changed(0, "n=2;removed=2D,2B"), "position.cards"),
        (SEEN.replace("4D5D4C6S", "4D5D4CRC"), "position.cards"),
        (SEEN.replace("RC7BRB", "RC7BFD"), "position.cards"),
        (changed(6, "1:0"), "position.points"),
    ],
)
def test_text_that_is_no_position_is_refused(text: str, code: str) -> None:
    with pytest.raises(PositionError) as refused:
        Position.parse(text)
    assert refused.value.code == code


def test_a_position_with_hidden_cards_cannot_be_played_on() -> None:
    with pytest.raises(PositionError) as refused:
        Position.parse(case("Q01")["expected"]["position_seat"]).deal()
    assert refused.value.code == "position.hidden"


@pytest.mark.parametrize("seat", [2, -1, True, "0"])
def test_a_position_is_seen_from_a_seat_of_the_table(seat: int) -> None:
    deal = Position.parse(TEXT).deal()
    with pytest.raises(PositionError) as refused:
        deal.position(seat)
    assert refused.value.code == "position.seat"


@given(
    st.text(max_size=80) | st.lists(st.sampled_from(["n=2", "FD+", "-", "?3/?3", "0", "0:0", "AD", "/"])).map(" ".join)
)
def test_any_text_is_a_position_or_a_position_error(text: str) -> None:
    try:
        position = Position.parse(text)
    except PositionError:
        return
    assert Position.parse(str(position)) == position


def test_two_rules_with_a_space_stand_with_semicolons() -> None:
    rules = Rules(n=3, redraw="A3R")
    assert Deal(rules, rules.cards, 0).position().startswith("n=3;redraw=A3R ")


@pytest.mark.parametrize(
    ("field", "value", "column"),
    [(0, "n=9", 1), (1, "XX+", 5), (1, "FD", 5), (1, "-", 5), (2, "AD/ZZ", 9), (4, "x", 26), (6, "0:y", 32)],
)
def test_a_field_that_cannot_be_read_is_named_by_its_column(field: int, value: str, column: int) -> None:
    with pytest.raises(PositionError) as refused:
        Position.parse(changed(field, value))
    words = changed(field, value).split(" ")
    assert refused.value.code == "position.syntax"
    assert refused.value.detail["column"] == sum(len(word) + 1 for word in words[:field]) + 1
    assert field > 3 or refused.value.detail["column"] == column


@pytest.mark.parametrize(
    ("text", "code", "field"),
    [
        ("n=2 FD+ RC7BRB/?2/?3 5B 1 ?29 0:0 4D5D4C6S", "position.syntax", 2),
        ("n=2 FD+ RC7BRB/?2 5B 2 ?29 0:0 4D5D4C6S", "position.syntax", 4),
        ("n=2 FD+ RC7BRB/?2 5B 1 ?29 0:0:0 4D5D4C6S", "position.syntax", 6),
        ("n=2 FD+ RC7BRB/?2 5B 1 ?28 0:0 4D5D4C6S", "position.cards", 2),
        ("n=2 FD+ RC7B7B/?2 5B 1 ?29 0:0 4D5D4C6S", "position.cards", 2),
        ("n=2 FD+ RC7BRB/?2 RC 1 ?29 0:0 4D5D4C6S", "position.cards", 3),
        ("n=2 FD+ RC7BRB/?2 5B 1 ?29 0:0 4D5D4CRC", "position.cards", 7),
        ("n=2 FD+ RC7BRB/?2 5B 1 ?29 0:1 4D5D4C6S", "position.points", 6),
    ],
)
def test_what_does_not_fit_is_named_by_its_column_too(text: str, code: str, field: int) -> None:
    with pytest.raises(PositionError) as refused:
        Position.parse(text)
    assert refused.value.code == code
    assert refused.value.detail == {"column": 1 + sum(len(word) + 1 for word in text.split(" ")[:field])}
