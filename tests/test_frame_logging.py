"""No log line holds a seed, a deck, a hand or a secret, however it got there."""

import json
import os
import subprocess
import sys

import pytest

from config.redaction import REPLACEMENT, clean
from tests.conftest import PROJECT

SECRET = "3f9a77"
#: Each way in which a value can reach a line.
WAYS = {
    "a field": 'log.warning("x", seed=SECRET)',
    "a field inside": 'log.warning("x", job={"seats": [{"deck": SECRET}]})',
    "a compound name": 'log.warning("x", deal_seed=SECRET, hands=[SECRET], secret_key=SECRET)',
    "bound earlier": 'log.bind(hand=SECRET).warning("x")',
    "another library's extra": 'logging.getLogger("celery").warning("x", extra={"seed": SECRET})',
    "a local variable of a traceback": "fail(log)",
    "another library's traceback": 'fail(logging.getLogger("kombu"))',
}
NAMED_OTHERWISE = 'log.warning("x", code=SECRET)'
SCRIPT = """
import logging, structlog, sys, django
django.setup()
SECRET = %(secret)r
log = structlog.get_logger("games")
def fail(log):
    deck = seed = SECRET
    try:
        raise ValueError("no such card")
    except ValueError:
        log.exception("failed")
for way in %(ways)r:
    exec(way)
"""


@pytest.fixture(scope="module")
def lines() -> dict[str, str]:
    """What each way wrote, by the settings of production."""
    ways = [*WAYS.values(), NAMED_OTHERWISE]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT % {"secret": SECRET, "ways": ways}],
        cwd=PROJECT, env=os.environ | {"DJANGO_SETTINGS_MODULE": "config.settings"},
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    return dict(zip(ways, done.stderr.splitlines(), strict=True))


@pytest.mark.parametrize("way", WAYS)
def test_a_secret_does_not_reach_the_log(lines: dict[str, str], way: str) -> None:
    line = lines[WAYS[way]]
    event = json.loads(line)
    assert SECRET not in line
    assert event["level"] in {"warning", "error"}
    assert event["timestamp"].endswith("Z")


def test_the_same_line_with_another_name_does(lines: dict[str, str]) -> None:
    assert json.loads(lines[NAMED_OTHERWISE])["code"] == SECRET


def test_a_traceback_is_kept_without_its_variables(lines: dict[str, str]) -> None:
    (problem,) = json.loads(lines[WAYS["a local variable of a traceback"]])["exception"]
    assert (problem["exc_type"], problem["exc_value"]) == ("ValueError", "no such card")
    assert problem["frames"][0]["name"] == "fail"
    assert "locals" not in problem["frames"][0]


@pytest.mark.parametrize(
    "name", ["seed", "SEED", "deal_seed", "deck", "hands", "hand", "salt", "secret_key", "password"]
)
def test_forbidden_names(name: str) -> None:
    assert clean({"a": [{name: 1}]}) == {"a": [{name: REPLACEMENT}]}


@pytest.mark.parametrize("name", ["handler", "seeded", "deckhand", "tokenizer", "shortcut", "code"])
def test_names_that_only_look_alike(name: str) -> None:
    assert clean({name: (1, 2)}) == {name: [1, 2]}
