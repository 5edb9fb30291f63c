"""Jobs of a card under fire: whatever stands in their messages, they are played or refused, and no seed is repeated."""

import json
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from bots.arena import MoveJob, WireError
from bots.arena.moves import _question
from tests.bots.moving import messages, move_job, text, view_after

VIEW = view_after(9)
JOB = move_job("ab" * 32, VIEW)
START, REQUEST = messages(VIEW, JOB.limits, JOB.bank_cpu_us)
KEYS = [("start", key) for key in START] + [("request", key) for key in REQUEST]
SEED = str(START["seed"])
names = st.text(max_size=8) | st.sampled_from(["0", "1", "seat", "card", "n"])
values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 1 << 54) | st.floats() | st.text(max_size=8)
    | st.sampled_from(["AD", "3C", "D", "0", 0, 1, 40]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
    max_leaves=8,
)  # fmt: skip


def judged(**texts: str) -> str:
    """`played`, or the place that was refused."""
    try:
        question = _question(MoveJob.from_dict(JOB.to_dict() | texts))
    except WireError as error:
        return refusal(error)
    assert question.view.seat == question.view.turn == JOB.seat
    assert set(question.view.legal) <= set(question.view.hand)
    assert 0 <= question.ply <= 40
    return "played"


def refusal(error: WireError) -> str:
    assert SEED not in str(error)
    assert len(str(error)) < 300
    return error.path


def test_the_job_itself_makes_sense() -> None:
    assert judged() == "played"


@settings(max_examples=600, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
@given(changes=st.lists(st.tuples(st.sampled_from(KEYS), values), min_size=1, max_size=2), gone=st.booleans())
@example(changes=[(("request", "rules"), {"n": "x"})], gone=False)
@example(changes=[(("request", "known"), {"x": 1})], gone=False)
@example(changes=[(("request", "clock"), [])], gone=False)
@example(changes=[(("request", "legal"), [[]])], gone=False)
def test_a_changed_message_is_played_or_refused(changes: list[tuple[tuple[str, str], Any]], gone: bool) -> None:
    changed = {"start": dict(START), "request": dict(REQUEST)}
    for (message, key), value in changes:
        changed[message][key] = value
        if gone:
            del changed[message][key]
    judged(**{name: json.dumps(message) for name, message in changed.items()})
    if gone:
        assert judged(**{name: text(message) for name, message in changed.items()}) != "played"


@settings(max_examples=300, deadline=None, database=None)
@given(st.text(max_size=200), st.sampled_from(["start", "request"]))
def test_any_text_is_refused(said: str, name: str) -> None:
    said = said.encode("utf-8", "replace").decode().replace("\0", "")
    assert judged(**{name: said}).startswith(f"MoveJob.{name}")
