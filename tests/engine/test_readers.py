"""Whatever bytes come in: a value or an EngineError, in time that does not grow beyond the length."""

import time
from collections.abc import Callable
from contextlib import suppress
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine import (
    EngineError,
    Observation,
    Position,
    Record,
    Rules,
    card_int,
    parse_cards,
    read_deal,
    read_deals,
    verify_match,
)
from tests.engine.play import case, played_match

TEXT = case("N05")["expected"]["text"]
POSITION = case("Q04")["expected"]["position"]
READERS: dict[str, Callable[[str], object]] = {
    "card": card_int,
    "cards": parse_cards,
    "rules": Rules.parse,
    "position": Position.parse,
    "deal": read_deal,
    "deals": read_deals,
}
SIZE = 65_536
LONG = {
    "spaces": " " * SIZE,
    "lines": "\n" * SIZE,
    "zeros": "0" * SIZE,
    "brackets": "[" * SIZE,
    "tags": '[A "' * (SIZE // 4),
    "escapes": '[A "' + "\\" * (SIZE - 6) + '"]',
    "quotes": '[A "' + '\\"' * (SIZE // 2 - 3) + '"]',
    "many tags": "\n".join(f'[T{number} "x"]' for number in range(5000)),
    "one tag a deal": '[A "x"]\n*\n' * (SIZE // 10),
    "dots": "1. " * (SIZE // 3),
    "bars": TEXT + "|" * (SIZE - len(TEXT)),
    "spaced trick": TEXT.replace("1. 0:", "1." + " " * 60_000 + "0:"),
    "long trick": TEXT.replace("3B FS", "3B " * 15_000),
    "comments": TEXT.replace("73-47", "{a}\n" * 15_000 + "73-47"),
    "cards": "AD" * (SIZE // 2),
    "wrong card": "AD" * (SIZE // 2 - 1) + "XX",
    "words": "a=b " * (SIZE // 4),
    "slashes": "n=2 FD+ " + "/" * (SIZE - 8),
    "null": "\0" * SIZE,
    "emoji": "\U0001f0cf" * (SIZE // 4),
}


@pytest.mark.parametrize("name", LONG)
def test_64_kib_of_anything_are_read_or_refused_within_50_ms(name: str) -> None:
    for reader, read in READERS.items():
        spent = []
        for _ in range(3):
            start = time.process_time()
            with suppress(EngineError):
                read(LONG[name])
            spent.append(time.process_time() - start)
        assert min(spent) < 0.05, reader


@given(st.text(max_size=300))
def test_any_text_is_a_value_or_an_engine_error_that_can_be_shown(text: str) -> None:
    for read in READERS.values():
        refused = None
        try:
            read(text)
        except EngineError as error:
            refused = error
        assert refused is None or ("." in refused.code and str(refused).encode())


@given(st.binary(max_size=300))
def test_any_bytes_are_a_value_or_an_engine_error(data: bytes) -> None:
    for read in (read_deal, read_deals, card_int, parse_cards, Rules.parse, Position.parse):
        with suppress(EngineError):
            read(data)  # type: ignore[operator]


@pytest.mark.parametrize("text", [TEXT, POSITION, "n=4 sides=0,0,1,1 redraw=A3R tie=last_trick"])
def test_texts_with_random_damage_are_values_or_engine_errors(text: str) -> None:
    rng = Random(11)
    alphabet = sorted(set(text)) + list('\n\r\t "\\{}*|>\u0660\u00b2\u00df')
    refused = 0
    for _ in range(1500):
        letters = list(text)
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(letters))
            match rng.randrange(3):
                case 0:
                    letters[at] = rng.choice(alphabet)
                case 1:
                    letters.insert(at, rng.choice(alphabet))
                case _:
                    del letters[at]
        for read in READERS.values():
            try:
                read("".join(letters))
            except EngineError:
                refused += 1
    assert refused > 5000


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["AD", "n=2", "deck"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
BUNDLE = played_match(Rules())


@given(json_values)
def test_any_json_is_a_value_or_an_engine_error(value: object) -> None:
    for read in (Rules.from_dict, Record.from_dict, Observation.from_dict):
        with suppress(EngineError):
            read(value)  # type: ignore[operator]
    assert verify_match(value)  # type: ignore[arg-type]


@given(json_values, st.data())
def test_any_value_in_any_field_is_checked_without_a_crash(value: object, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(BUNDLE)))
    assert isinstance(verify_match(BUNDLE | {name: value}), list)
    entry = dict(BUNDLE["deals"][0])
    entry[data.draw(st.sampled_from([*entry, "termination", "winner_side", "fault_seat"]))] = value
    assert isinstance(verify_match(BUNDLE | {"deals": [entry, *BUNDLE["deals"][1:]]}), list)
    outcome = BUNDLE["outcome"] | {data.draw(st.sampled_from([*BUNDLE["outcome"], "termination"])): value}
    assert isinstance(verify_match(BUNDLE | {"outcome": outcome}), list)
    record = Record.from_dict(
        {"rules": "n=2"} | {k: v for k, v in BUNDLE["deals"][0].items() if k not in ("number", "points")}
    )
    fields = record.to_dict() | {data.draw(st.sampled_from(sorted(record.to_dict()))): value}
    with suppress(EngineError):
        Record.from_dict(fields).replay()
    seen = record.replay(9).observe(0).to_dict()
    with suppress(EngineError):
        Observation.from_dict(seen | {data.draw(st.sampled_from(sorted(seen))): value})
