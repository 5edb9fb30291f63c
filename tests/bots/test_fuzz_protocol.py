"""The readers of answers under fire: of a line (`parse_answer`) and of a process's bytes (`BotProcess.ask`)."""

import json
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from bots.protocol import MAX_ANSWER, MAX_NOTE, AnswerError, parse_answer
from bots.sandbox import FaultKind, Limits, Reply, Sandbox, start_sandbox
from games.engine.cards import CODES
from tests.bots.fuzzing import ANSWERS, at_most, mutated, resident

quick = settings(max_examples=500, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
texts = st.text(max_size=40).map(lambda text: text.encode("utf-8", "surrogatepass"))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10) | st.sampled_from(["AD", "3C", 23]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
objects = st.dictionaries(st.sampled_from(["n", "card", "note", "ready", "x", ""]), values, max_size=5)


def read(line: bytes) -> str:
    """What becomes of a line: `read`, or the beginning of what is wrong; true of every one of them."""
    told = "refused"
    for wanted in ("card", "ready"):
        try:
            answer = parse_answer(line, n=23, wanted=wanted)
        except AnswerError as error:
            refusal(error)
            continue
        told = "read"
        value = json.loads(line)  # what is accepted is plain JSON with these keys alone
        assert len(line) <= MAX_ANSWER + 1
        assert value["n"] == 23
        assert type(value["n"]) is int
        if wanted == "ready":
            assert value == {"n": 23, "ready": True}
            continue
        assert set(value) <= {"n", "card", "note"}
        assert answer.card in CODES
        assert answer.card == value["card"]
        if answer.note is not None:
            assert len(answer.note) <= MAX_NOTE
            assert "\0" not in answer.note
            answer.note.encode()
    return told


def refusal(error: AnswerError) -> None:
    assert 0 < len(str(error)) <= 200


def test_the_seeds_are_of_both_kinds() -> None:
    assert {read(line) for line in ANSWERS} == {"read", "refused"}
    assert [read(line) for line in ANSWERS[:4]] == ["read"] * 4


@quick
@given(mutated(ANSWERS) | texts | st.binary(max_size=300))
def test_any_line_is_an_answer_or_an_answer_error(line: bytes) -> None:
    assert read(line) in {"read", "refused"}


@quick
@given(objects)
@example({"n": 23, "card": "AD", "note": "\ud800"})
def test_any_object_is_an_answer_or_an_answer_error(value: dict[str, object]) -> None:
    assert read(json.dumps(value).encode()) in {"read", "refused"}


def test_memory_of_a_line_is_bounded_and_flat() -> None:
    worst = [
        b'{"a":[%s]}' % b",".join([b"{}"] * 1_360),
        b"[" * 4096,
        b'{"a":"' + b"\\u1234" * 680 + b'"}',
        b"1" * (1 << 20),
    ]
    for line in [*ANSWERS, *worst]:
        with at_most(1 << 20):
            read(line)
    before = resident()
    for _ in range(200):
        for line in [*ANSWERS, *worst]:
            read(line)
    assert resident() - before <= 2 << 20


# ---- the reader of bytes: real processes, which do what the request tells them

LIMITS = Limits(start_cpu_ms=1_000, move_cpu_ms=500, bank_cpu_ms=0, move_wall_ms=2_000)
#: Writes pieces to its answers (1) and its log (2), then ends as it is told.
PUPPET = b"""
import json, os, signal
def main(requests, answers):
    script = json.loads(requests.readline())
    for where, what in script["pieces"]:
        os.write(answers.fileno() if where == 1 else 2, bytes.fromhex(what))
    if script["then"] == "exit":
        os._exit(script["code"])
    elif script["then"] == "abort":
        os.abort()
    elif script["then"] == "close":
        os.closerange(0, 16)
        requests = None
    while requests is not None and requests.readline():
        pass
    os._exit(0) if requests is not None else signal.pause()
"""


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with start_sandbox() as started:
        yield started


def puppet(sandbox: Sandbox, folder: object, pieces: list[tuple[int, bytes]], then: str, code: int = 0) -> Reply:
    """The reply of a fresh process that does this."""
    script = {"pieces": [(where, what.hex()) for where, what in pieces], "then": then, "code": code}
    process = sandbox.spawn(folder, limits=LIMITS, seed=1)  # type: ignore[arg-type]
    try:
        return process.ask(json.dumps(script).encode() + b"\n", clock=LIMITS.start_clock())
    finally:
        process.close()


def expected(pieces: list[tuple[int, bytes]], then: str) -> tuple[str, ...]:
    """Kinds that may follow; `line` where one line came and nothing behind it."""
    data = b"".join(what for where, what in pieces if where == 1)
    line, newline, more = data.partition(b"\n")
    if len(line) > MAX_ANSWER:
        return ("output",)
    if newline:  # what came behind a line may come too late to be seen: it is then the next question's fault
        return ("line", "protocol") if more else ("line",)
    return ("timeout",) if then == "wait" else ("crash", "memory")


pieces_of = st.lists(
    st.tuples(
        st.sampled_from([1, 1, 1, 2]), st.binary(max_size=80) | st.sampled_from([b"\n", b"x" * 5_000, *ANSWERS[:3]])
    ),
    max_size=4,
)


@settings(max_examples=120, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(pieces=pieces_of, then=st.sampled_from(["exit", "abort", "close"]), code=st.integers(0, 255))
def test_whatever_a_process_writes_is_one_line_or_a_fault(
    sandbox: Sandbox, pieces: list[tuple[int, bytes]], then: str, code: int
) -> None:
    folder = _folder(sandbox)
    for _ in range(3):
        reply = puppet(sandbox, folder, pieces, then, code)
        if reply.fault is None or reply.fault.kind is not FaultKind.INFRASTRUCTURE:
            break
    assert (reply.line is None) is (reply.fault is not None)
    kind = "line" if reply.fault is None else str(reply.fault.kind)
    assert kind in expected(pieces, then), (reply, pieces)
    assert len(reply.got) <= MAX_ANSWER
    if reply.fault is not None:
        assert reply.fault.detail.isprintable()
        assert len(reply.fault.detail) <= 200


_made: dict[int, object] = {}


def _folder(sandbox: Sandbox) -> object:
    if id(sandbox) not in _made:
        _made[id(sandbox)] = sandbox.store.put({"bot.py": PUPPET})
    return _made[id(sandbox)]


def test_memory_is_flat_over_floods_of_answers_and_log(sandbox: Sandbox) -> None:
    """Four mebibytes offered each time, in every shape; what is taken of them is bounded."""
    sources = [
        b"import os\ndef main(requests, answers):\n    while True: os.write(answers.fileno(), b'x' * 65536)\n",
        b"import os\ndef main(requests, answers):\n    while True: os.write(answers.fileno(), b'{}\\n' * 9000)\n",
        b"import os\ndef main(requests, answers):\n    while True: os.write(2, b'x' * 65536)\n",
        b"import os\ndef main(requests, answers):\n    while os.write(2, b'\\n' * 65536): answers.write(b'y')\n",
    ]
    folders = [sandbox.store.put({"bot.py": source}) for source in sources]

    def floods(times: int) -> None:
        for _ in range(times):
            for folder in folders:
                process = sandbox.spawn(folder, limits=LIMITS, seed=1)
                reply = process.ask(b"{}\n", clock=LIMITS.start_clock())
                assert reply.fault is not None
                assert reply.fault.kind in {FaultKind.OUTPUT, FaultKind.PROTOCOL}
                assert len(process.tail()) <= 16 << 10
                process.close()

    floods(3)
    before = resident()
    floods(8)
    assert resident() - before <= 4 << 20
