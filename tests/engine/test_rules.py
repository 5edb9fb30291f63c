import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine import Rules, RulesError
from games.engine.presets import PRESETS
from games.engine.rules import CHOICES, FIELDS
from tests.engine.play import SEATS, any_rules


@pytest.mark.parametrize(
    ("n", "cards", "sides", "removed", "tricks"),
    [
        (2, 40, (0, 1), (), 20),
        (3, 39, (0, 1, 2), ("2C",), 13),
        (4, 40, (0, 1, 0, 1), (), 10),
        (5, 40, (0, 1, 2, 3, 4), (), 8),
        (6, 36, (0, 1, 0, 1, 0, 1), ("2D", "2C", "2S", "2B"), 6),
        (8, 40, tuple(range(8)), (), 5),
    ],
)
def test_each_number_of_seats_has_its_deck_and_sides(
    n: int, cards: int, sides: tuple[int, ...], removed: tuple[str, ...], tricks: int
) -> None:
    rules = Rules(n=n)
    assert (len(rules.cards), rules.sides, rules.removed, rules.tricks) == (cards, sides, removed, tricks)
    assert rules.code == f"n={n}"
    assert Rules.parse(rules.code) == rules


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"n": 1}, "rules.value"),
        ({"n": 9}, "rules.value"),
        ({"n": True}, "rules.value"),
        ({"n": "2"}, "rules.value"),
        ({"n": None}, "rules.value"),
        ({"n": 7}, "rules.deck_size"),
        ({"n": 2, "removed": ("2C",)}, "rules.deck_size"),
        ({"n": 3, "removed": ("2C", "2D")}, "rules.deck_size"),
        ({"n": 3, "removed": ("4C",)}, "rules.value"),
        ({"n": 3, "removed": ("2X",)}, "rules.value"),
        ({"n": 2, "removed": ("2C", "2c")}, "rules.value"),
        ({"n": 2, "removed": "2C"}, "rules.value"),
        ({"n": 2, "removed": ([],)}, "rules.value"),
        ({"n": 4, "sides": (0, 1, 0)}, "rules.sides"),
        ({"n": 4, "sides": (0, 0, 0, 1)}, "rules.sides"),
        ({"n": 4, "sides": (0, 0, 0, 0)}, "rules.sides"),
        ({"n": 4, "sides": (1, 2, 1, 2)}, "rules.sides"),
        ({"n": 2, "sides": (False, True)}, "rules.sides"),
        ({"n": 2, "sides": ("0", "1")}, "rules.sides"),
        ({"n": 2, "sides": [0, 1]}, "rules.value"),
        ({"redraw": "a3"}, "rules.value"),
        ({"redraw": None}, "rules.value"),
        ({"format": "first_to:0"}, "rules.value"),
        ({"format": "first_to:1001"}, "rules.value"),
        ({"format": "first_to:02"}, "rules.value"),
        ({"format": "first_to:\u0662"}, "rules.value"),
        ({"format": "first_to"}, "rules.value"),
        ({"format": "race:60"}, "rules.value"),
        ({"format": "race:10001"}, "rules.value"),
        ({"format": "best_of:3"}, "rules.value"),
        ({"format": 2}, "rules.value"),
        ({"max_deals": -1}, "rules.value"),
        ({"max_deals": 1.0}, "rules.value"),
        ({"signs_from": 0}, "rules.value"),
        ({"first_dealer": "seat:2"}, "rules.value"),
        ({"first_dealer": []}, "rules.value"),
        ({"hand": 4}, "rules.value"),
        ({"hand": 5}, "rules.conflict"),
        ({"hand": True}, "rules.value"),
        ({"hand": 8}, "rules.not_supported"),
        ({"trump": "none"}, "rules.conflict"),
        ({"n": 4, "hand": 5, "trump": "none"}, "rules.conflict"),
        ({"hand": 5, "trump": "none", "redraw": "A3"}, "rules.conflict"),
        ({"trump": "called"}, "rules.not_supported"),
        ({"n": 4, "open": "hands", "signals": "auto"}, "rules.conflict"),
        ({"n": 4, "open": "all", "partners_see": "always"}, "rules.conflict"),
        ({"open": "stock"}, "rules.value"),
        ({"swap": "seven"}, "rules.not_supported"),
        ({"swap": "king"}, "rules.value"),
        ({"stop_at_61": "claim", "format": "sum:3"}, "rules.conflict"),
        ({"stop_at_61": "auto", "format": "difference:3"}, "rules.conflict"),
        ({"stop_at_61": "auto", "format": "race:120"}, "rules.conflict"),
        ({"n": 3, "format": "difference:3"}, "rules.conflict"),
        ({"n": 3, "tie": "last_trick"}, "rules.conflict"),
        ({"n": 2, "partners_see": "start"}, "rules.conflict"),
        ({"n": 3, "signals": "auto"}, "rules.conflict"),
    ],
)
def test_rules_that_make_no_sense_are_refused(fields: dict[str, object], code: str) -> None:
    with pytest.raises(RulesError) as refused:
        Rules(**fields)  # type: ignore[arg-type]
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "rules.value"),
        ("redraw=A3", "rules.value"),
        ("n=two", "rules.value"),
        ("n=2 colour=red", "rules.unknown_field"),
        ("n=2 cards=3", "rules.unknown_field"),
        ("n=2 n=2", "rules.unknown_field"),
        ("n=2 redraw", "rules.unknown_field"),
        ("n=2 sides=0,x", "rules.value"),
        ("n=" + "9" * 5000, "rules.value"),
        ("n=99999999", "rules.value"),
        (None, "rules.value"),
    ],
)
def test_text_that_is_no_rules_is_refused(text: str, code: str) -> None:
    with pytest.raises(RulesError) as refused:
        Rules.parse(text)
    assert refused.value.code == code


def test_the_code_names_only_what_differs_from_the_usual_in_the_order_of_the_fields() -> None:
    rules = Rules(n=4, sides=(0, 0, 1, 1), tie="last_trick", redraw="A3R", max_deals=5, signals="auto", hand=3)
    assert rules.code == "n=4 sides=0,0,1,1 redraw=A3R tie=last_trick max_deals=5 signals=auto"
    assert Rules.parse("n=4  signals=auto max_deals=5 tie=last_trick redraw=A3R sides=0,0,1,1") == rules
    assert Rules(n=3, removed=("2d",)).code == "n=3 removed=2D"
    assert Rules.parse("n=2 removed=-") == Rules()


@given(any_rules())
def test_rules_come_back_from_their_code_and_their_dict(rules: Rules) -> None:
    for again in (Rules.parse(rules.code), Rules.from_dict(rules.to_dict())):
        assert again == rules
        assert hash(again) == hash(rules)
        assert again.code == rules.code
    assert tuple(rules.to_dict()) == FIELDS


@pytest.mark.parametrize(
    "data", [None, [], "n=2", {"n": 2, "x": 1}, {"n": [2]}, {1: 2}, {"sides": [[], []]}, {"format": {}}]
)
def test_an_object_that_is_no_rules_is_refused(data: object) -> None:
    with pytest.raises(RulesError):
        Rules.from_dict(data)  # type: ignore[arg-type]


def test_options_left_out_of_an_object_take_their_default() -> None:
    assert Rules.from_dict({"n": 3}) == Rules(n=3)


def test_the_first_of_the_choices_is_the_default() -> None:
    plain = Rules()
    assert {name: getattr(plain, name) for name in CHOICES} == {name: values[0] for name, values in CHOICES.items()}


@pytest.mark.parametrize(
    ("code", "cap"), [("n=2", 9), ("n=2 format=first_to:3", 13), ("n=2 format=race:120", 12), ("n=2 format=sum:4", 4),
                      ("n=2 max_deals=5", 5), ("n=2 format=deals:2 max_deals=5", 2)]
)  # fmt: skip
def test_a_match_has_a_most_number_of_deals(code: str, cap: int) -> None:
    assert Rules.parse(code).deal_cap == cap


@pytest.mark.parametrize(
    ("name", "n", "code"),
    [
        ("fantacarte", 2, "n=2"),
        ("fantacarte", 3, "n=3"),
        ("fantacarte", 4, "n=4 direction=cw"),
        ("guida", 2, "n=2 format=deals:1 first_dealer=lowest first_lead=before stop_at_61=claim"),
        ("guida", 4, "n=4 format=deals:1 first_dealer=lowest first_lead=before partners_see=start"),
        ("guida", 8, "n=8 format=deals:1 first_dealer=lowest first_lead=before"),
        ("chiara", 2, "n=2 redraw=A3"),
        ("chiara", 6, "n=6 redraw=A3 signals=signs"),
        ("classica", 3, "n=3 redraw=A3R first_dealer=lowest"),
        ("luciano", 4, "n=4 format=deals:1 signals=auto"),
        ("scoperta", 3, "n=3 open=hands"),
        ("briscolone", 2, "n=2 format=race:121 hand=5 trump=none"),
    ],
)
def test_a_preset_plays_its_source_to_the_letter(name: str, n: int, code: str) -> None:
    assert Rules.preset(name, n).code == code


def test_choices_that_a_source_leaves_open_are_arguments_of_its_preset() -> None:
    assert Rules.preset("chiara", 4, format="race:120").code == "n=4 redraw=A3 format=race:120 signals=signs"
    assert Rules.preset("classica", 2, format="sum:3", redraw="none").code == "n=2 format=sum:3 first_dealer=lowest"
    assert Rules.preset("scoperta", 2, open="all").code == "n=2 open=all"


@pytest.mark.parametrize(
    ("name", "n", "options"),
    [("chess", 2, {}), ("luciano", 3, {}), ("fantacarte", 2, {"redraw": "A3"}), ("chiara", 2, {"format": "first_to:5"}),
     ("chiara", 2, {"tie": "draw"}), ("classica", 2, {"direction": None}), (None, 2, {}), ("guida", "2", {})],
)  # fmt: skip
def test_a_preset_that_its_source_does_not_give_is_refused(name: str, n: int, options: dict[str, str]) -> None:
    with pytest.raises(RulesError) as refused:
        Rules.preset(name, n, **options)
    assert refused.value.code == "rules.preset"


def test_every_preset_makes_rules_for_each_of_its_numbers_of_seats() -> None:
    made = [Rules.preset(name, n) for name, seats in PRESETS.items() for n in seats]
    assert len(made) == 24
    assert {rules.n for rules in made} == set(SEATS)


@given(
    st.text(max_size=60) | st.builds(" ".join, st.lists(st.sampled_from([f"{name}=1" for name in FIELDS]), max_size=4))
)
def test_any_text_is_rules_or_a_rules_error(text: str) -> None:
    try:
        rules = Rules.parse(text)
    except RulesError:
        return
    assert Rules.parse(rules.code) == rules
