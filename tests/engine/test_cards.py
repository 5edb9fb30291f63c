import pytest

from games.engine import POINTS, CardError, card_code, card_int, format_cards, parse_cards
from games.engine.cards import BEATS, CODES, beats


def test_codes_and_numbers_of_all_cards_are_inverse_in_either_case() -> None:
    assert len(set(CODES)) == 40
    for card, code in enumerate(CODES):
        assert card_code(card) == code
        for form in (code, code.lower(), code[0].lower() + code[1], code[0] + code[1].lower()):
            assert card_int(form) == card


def test_suits_and_strengths_make_the_number_of_a_card() -> None:
    assert [card_int(code) for code in ("2D", "AD", "2C", "CC", "7S", "AB")] == [0, 9, 10, 16, 24, 39]


def test_a_suit_has_30_points_and_a_deck_120() -> None:
    assert [sum(POINTS[suit * 10 : suit * 10 + 10]) for suit in range(4)] == [30, 30, 30, 30]
    assert [POINTS[card_int(code)] for code in ("AS", "3S", "RS", "CS", "FS", "7S", "2S")] == [11, 10, 4, 3, 2, 0, 0]


@pytest.mark.parametrize(
    "code", ["", "A", "1D", "AX", "DA", "ADD", "A D", " AD", "A\u017f", "\u00df", None, 9, b"AD", []]
)
def test_anything_else_is_no_card(code: object) -> None:
    with pytest.raises(CardError) as refused:
        card_int(code)  # type: ignore[arg-type]
    assert refused.value.code == "card.code"


@pytest.mark.parametrize("card", [-1, 40, 10**30, "AD", None, 1.5, [], float("nan")])
def test_a_number_that_is_no_card_has_no_code(card: object) -> None:
    for call in (lambda: card_code(card), lambda: format_cards([card])):  # type: ignore[arg-type,list-item]
        with pytest.raises(CardError) as refused:
            call()
        assert refused.value.code == "card.code"


def test_a_run_of_codes_comes_back_from_its_cards() -> None:
    assert parse_cards("ad3cCcfd") == (9, 18, 16, 5)
    assert format_cards((9, 18, 16, 5)) == "AD3CCCFD"
    assert parse_cards("") == ()
    assert format_cards(()) == ""


@pytest.mark.parametrize("text", ["ADD", "AD 3C", "AD,3C", "ADXX", 7, None, b"AD", ("AD",)])
def test_a_run_with_anything_else_in_it_is_refused(text: object) -> None:
    with pytest.raises(CardError) as refused:
        parse_cards(text)  # type: ignore[arg-type]
    assert refused.value.code == "card.code"


def test_each_of_the_two_card_tricks_goes_to_the_highest_trump_else_the_highest_of_the_led_suit() -> None:
    tricks = 0
    for trump in range(4):
        for led in range(40):
            for reply in range(40):
                if led == reply:
                    continue
                trumps = [card for card in (led, reply) if card // 10 == trump]
                following = [card for card in (led, reply) if card // 10 == led // 10]
                winner = max(trumps) if trumps else max(following)
                assert beats(reply, led, trump) == (winner == reply)
                tricks += 1
    assert tricks == 40 * 39 * 4
    assert all(len(table) == 1600 for table in BEATS)
