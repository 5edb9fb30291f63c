"""Every hostile bot ends as `tests/hostile/expected.json` says, in every tier."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

import bots.sandbox.process
from bots.sandbox import Sandbox, start_sandbox
from tests.bots.sandbox_driver import HONEST, HOSTILE, LONG, SHORT, TIERS, hostile_files, play_case

CASES = json.loads((HOSTILE / "expected.json").read_text())


@pytest.fixture(scope="module", params=TIERS)
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    with start_sandbox(request.param) as started:
        yield started


@pytest.fixture(scope="module")
def listener() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_every_hostile_bot_has_an_expectation() -> None:
    helpers = {"probe", "make_uploads"}
    assert {file.stem for file in HOSTILE.glob("*.py")} - helpers == set(CASES)


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_hostile_bot_is_contained(sandbox: Sandbox, listener: int, name: str) -> None:
    case = CASES[name]
    honest = sandbox.store.put({"bot.py": HONEST})
    secrets = [bots.sandbox.process.__file__, str(Path.cwd() / "pyproject.toml"), str(honest / "bot.py"), "/etc/shadow"]
    hostile = sandbox.store.put(hostile_files(name, {"port": listener, "secret_files": secrets}))
    opponent = hostile if case["kind"] == "covert" else honest
    ending = play_case(sandbox, [hostile, opponent], LONG if case["kind"] == "memory" else SHORT)
    sandbox.store.remove(hostile)
    sandbox.store.remove(honest)
    assert ending.outcome in case["outcome"], ending
    assert ending.seat in (None, 0)
    # a known limit of a tier is told too: where it no longer holds, the documents are to be changed
    is_limit = sandbox.tier not in case.get("tiers", TIERS)
    assert ("ESCAPED" in ending.log) is is_limit
    if ending.outcome == "ok" and not is_limit:
        assert "HOSTILE contained" in ending.log
