"""Protocol 1: what is written can be read, what a bot writes is read strictly."""

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots import protocol
from bots.protocol import (
    Answer,
    AnswerError,
    Match,
    PlayEncoder,
    Result,
    View,
    bot_seed,
    deal_over_message,
    parse_answer,
    play_message,
    request_sha256,
    start_message,
    to_line,
)
from games.engine import Deal, Observation, Rules, shuffled

RULES = [
    Rules(),
    Rules(n=3, redraw="A3R"),
    Rules(n=4, partners_see="always", signals="auto"),
    Rules(n=6, partners_see="stock_empty"),
    Rules(n=4, partners_see="start", stop_at_61="auto"),
    Rules(open="all"),
    Rules(hand=5, trump="none"),
]


def requests_of_a_deal(rules: Rules, seed: int, choices: list[int]) -> list[tuple[Observation, bytes, int, int]]:
    """Every request of a deal: (observation, line, n, bank)."""
    shuffle = shuffled(rules, seed.to_bytes(32, "big"), "", 3)
    deal = Deal(rules, shuffle.deck, seed % rules.n, shuffle.turned)
    encoders: dict[int, PlayEncoder] = {}
    asked = []
    for n, choice in enumerate(choices, 1):
        if deal.over:
            break
        signs = ((0, 1, "X"),) if n % 3 == 0 else ()
        score = (1,) + (0,) * (rules.side_count - 1)
        view = deal.observe(deal.turn, number=3, score=score, drawn=1, signs=signs)
        encoder = encoders.setdefault(deal.turn, PlayEncoder("K7Q2", view))
        asked.append((view, encoder.line(view, n=n, bank_cpu_ms=3000 - n), n, 3000 - n))
        legal = deal.legal()
        deal.play(legal[choice % len(legal)])
    return asked


@given(st.sampled_from(RULES), st.integers(0, 1 << 64), st.lists(st.integers(0, 5), min_size=40, max_size=40))
def test_the_encoder_writes_the_bytes_of_the_plain_message_and_a_view_gives_back_the_observation(
    rules: Rules, seed: int, choices: list[int]
) -> None:
    for view, line, n, bank in requests_of_a_deal(rules, seed, choices):
        assert line == to_line(play_message(view, n=n, match="K7Q2", bank_cpu_ms=bank))
        message = json.loads(line)
        again = View.of(message | {"a key of protocol 1.1": True})
        assert again.clock.bank_cpu_ms == bank
        assert {name: getattr(again, name) for name in view.__slots__} == {
            name: getattr(view, name) for name in view.__slots__
        }


def test_the_request_of_the_first_trick_is_this_line() -> None:
    rules = Rules()
    shuffle = shuffled(rules, bytes(range(32)), "", 1)
    deal = Deal(rules, shuffle.deck, 1)
    deal.play(deal.legal()[0])
    view = deal.observe(1, number=1)
    line = PlayEncoder("K7Q2", view).line(view, n=2, bank_cpu_ms=2950)
    rules_text = json.dumps(rules.to_dict(), separators=(",", ":"))
    assert line.decode() == (
        '{"type":"play","n":2,"protocol":1,"match":"K7Q2","seat":1,"sides":[0,1],"rules":' + rules_text + ',"deal":1,'
        '"score":[0,0],"drawn":0,"dealer":1,"leader":0,"turn":1,"trump":"B","upcard":"5B","upcard_in_stock":true,'
        '"stock":34,"hand":["6D","7D","4D"],"legal":["6D","7D","4D"],"table":[{"seat":0,"card":"5S"}],"tricks":[],'
        '"points":[0,0],"hand_sizes":[2,3],"known":{},"turned":[],"signals":{},"signs":[],'
        '"clock":{"bank_cpu_ms":2950}}\n'
    )


def test_no_request_is_longer_than_the_limit() -> None:
    for rules in RULES:
        lines = [line for _, line, _, _ in requests_of_a_deal(rules, 5, [0] * 40)]
        assert max(map(len, lines)) < protocol.MAX_REQUEST // 8


@pytest.mark.parametrize(
    ("line", "card", "note"),
    [
        (b'{"n":23,"card":"AD"}', "AD", None),
        (b'{"n":23,"card":"AD"}\r', "AD", None),
        (b' { "card" : "3C" , "n" : 23 } ', "3C", None),
        ('{"n":23,"card":"AD","note":"tengo il tre, perché sì"}'.encode(), "AD", "tengo il tre, perché sì"),
        (b'{"n":23,"card":"AD","note":"%s"}' % (b"x" * 200), "AD", "x" * 200),
        (b'{"n":23,"card":"AD","note":"a\\u0000b\\ud800c"}', "AD", "a\ufffdb?c"),
    ],
)
def test_a_card_is_read(line: bytes, card: str, note: str | None) -> None:
    assert parse_answer(line, n=23, wanted="card") == Answer(card, note)


@pytest.mark.parametrize(
    ("line", "detail"),
    [
        (b"", "an empty line"),
        (b"\r", "an empty line"),
        (b"AD", "not JSON"),
        (b'{"n":23,"card":"AD"', "not JSON"),
        (b'{"n":23,"card":"AD"} {}', "not JSON"),
        (b'\xef\xbb\xbf{"n":23,"card":"AD"}', "not JSON"),
        ('{"n":23,"card":"AD"}'.encode("utf-16"), "not UTF-8"),
        (b'{"n":23,"card":"A\xff"}', "not UTF-8"),
        (b'{"n":NaN,"card":"AD"}', "NaN is not JSON"),
        (b'{"n":-Infinity,"card":"AD"}', "-Infinity is not JSON"),
        (b'["n",23]', "not an object"),
        (b'"AD"', "not an object"),
        (b'{"n":23,"n":23,"card":"AD"}', "a key twice"),
        (b'{"n":23,"card":"AD","card":"AD"}', "a key twice"),
        (b'{"n":23,"card":"AD","x":1}', "unknown key 'x'"),
        (b'{"n":23,"card":"AD","ready":true}', "unknown key 'ready'"),
        (b'{"card":"AD"}', "the key n is missing"),
        (b'{"n":23}', "the key card is missing"),
        (b'{"n":22,"card":"AD"}', "n is not 23"),
        (b'{"n":23.0,"card":"AD"}', "n is no integer"),
        (b'{"n":"23","card":"AD"}', "n is no integer"),
        (b'{"n":023,"card":"AD"}', "not JSON"),
        (b'{"n":' + b"9" * 3900 + b',"card":"AD"}', "n is not 23"),
        (b'{"n":23,"card":"ad"}', "not a card: 'ad'"),
        (b'{"n":23,"card":"AD\\n"}', "not a card: 'AD\\n'"),
        (b'{"n":23,"card":"1D"}', "not a card: '1D'"),
        (b'{"n":23,"card":null}', "not a card: None"),
        (b'{"n":23,"card":5}', "not a card: 5"),
        (b'{"n":23,"card":["AD"]}', "not a card: ['AD']"),
        (b'{"n":23,"card":"AD","note":5}', "note is no text of at most 200 characters"),
        (b'{"n":23,"card":"AD","note":null}', "note is no text of at most 200 characters"),
        (b'{"n":23,"card":"AD","note":"%s"}' % (b"x" * 201), "note is no text of at most 200 characters"),
        (b"[" * 1900 + b"]" * 1900, "nested too deeply"),
        (b" " * 5000, "longer than 4096 bytes"),
    ],
)
def test_an_answer_that_breaks_the_protocol_is_refused(line: bytes, detail: str) -> None:
    with pytest.raises(AnswerError) as refused:
        parse_answer(line, n=23, wanted="card")
    assert str(refused.value).startswith(detail)


def test_true_is_no_number() -> None:
    with pytest.raises(AnswerError, match="n is no integer"):
        parse_answer(b'{"n":true,"card":"AD"}', n=1, wanted="card")


@pytest.mark.parametrize(
    ("line", "detail"),
    [
        (b'{"n":1,"ready":1}', "ready is not true"),
        (b'{"n":1,"ready":false}', "ready is not true"),
        (b'{"n":1,"ready":true,"note":"x"}', "unknown key 'note'"),
        (b'{"n":1,"card":"AD"}', "unknown key 'card'"),
        (b'{"n":1}', "the key ready is missing"),
    ],
)
def test_only_ready_is_ready(line: bytes, detail: str) -> None:
    assert parse_answer(b'{"n":1,"ready":true}', n=1, wanted="ready") == Answer(None)
    with pytest.raises(AnswerError, match=detail):
        parse_answer(line, n=1, wanted="ready")


@given(st.binary(max_size=200) | st.text(max_size=80).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_are_an_answer_or_an_answer_error(line: bytes) -> None:
    for wanted in ("card", "ready"):
        with suppress(AnswerError):
            assert isinstance(parse_answer(line, n=1, wanted=wanted), Answer)


def test_a_request_has_one_hash_whatever_its_number_and_clock() -> None:
    view, line, _, _ = requests_of_a_deal(Rules(), 1, [0])[0]
    same = play_message(view, n=77, match="K7Q2", bank_cpu_ms=1)
    assert request_sha256(line) == request_sha256(same)
    other = play_message(view, n=77, match="K7Q3", bank_cpu_ms=1)
    assert request_sha256(line) != request_sha256(other)


def test_a_seat_s_seed_follows_from_the_match_s_seed() -> None:
    """The digits are those of: printf 'bot|0' | openssl dgst -sha256 -mac HMAC -macopt hexkey:000102..1f."""
    seed = bytes(range(32))
    assert bot_seed(seed, 0) == 0x222CC10F18D87BAB % (1 << 53)
    assert len({bot_seed(seed, seat) for seat in range(8)}) == 8
    assert max(bot_seed(seed, seat) for seat in range(8)) < 1 << 53


def test_start_and_result_reach_a_python_bot_as_values() -> None:
    rules = Rules(n=4)
    message = start_message(n=1, match="K7Q2", seat=2, rules=rules, seed=5, limits={"move_cpu_ms": 100})
    match = Match.of(json.loads(to_line(message)) | {"later": 1})
    assert match == Match(
        match="K7Q2", seat=2, players=4, sides=(0, 1, 0, 1), rules=rules, seed=5, limits={"move_cpu_ms": 100}
    )
    deal = Deal(Rules(), shuffled(Rules(), bytes(32), "", 1).deck, 0)
    while not deal.over:
        deal.play(deal.legal()[0])
    tricks = deal.observe(None).tricks
    notice = deal_over_message(match="K7Q2", deal=2, points=(71, 49), winner=0, termination="normal", tricks=tricks)
    result = Result.of(json.loads(to_line(notice)))
    assert result == Result(match="K7Q2", deal=2, points=(71, 49), winner=0, termination="normal", tricks=tricks)


def test_the_schema_that_is_shipped_is_the_one_of_the_code() -> None:
    shipped = Path(protocol.__file__).with_name("protocol.schema.json").read_text()
    assert json.loads(shipped) == protocol.schema()


def test_the_schema_names_the_keys_of_every_message() -> None:
    kinds = protocol.schema()["$defs"]
    _, line, _, _ = requests_of_a_deal(Rules(), 1, [0])[0]
    assert kinds["play"]["required"] == list(json.loads(line))
    _, line, _, _ = requests_of_a_deal(Rules(open="all"), 1, [0])[0]
    assert set(kinds["play"]["properties"]) == set(json.loads(line))
    assert len(json.loads(line)["stock_cards"]) == 34
    start = start_message(n=1, match="K", seat=0, rules=Rules(), seed=1, limits={})
    assert set(kinds["start"]["properties"]) == set(start)
    over = deal_over_message(match="K", deal=1, points=(1, 2), winner=None, termination="x", tricks=())
    assert set(kinds["deal_over"]["properties"]) == set(over)
    assert kinds["card"]["additionalProperties"] is False
    assert kinds["card"]["required"] == ["n", "card"]
    assert kinds["ready"]["required"] == ["n", "ready"]
