"""What tests of whole ways share."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from config.devservices.arena import ArenaHome
from tests.bots.arena_worker import worker
from tests.bots.bella import Bella
from tests.conftest import process


@pytest.fixture
def arena_and_registrar(
    clean_valkey: None,
    arena: ArenaHome,
    environment: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    settings: Any,
) -> Iterator[None]:
    """A worker of the arena and the registrar; checks play no more games than they must, whoever starts them."""
    settings.CHECK_BUDGET_S = 0
    monkeypatch.setitem(environment, "CHECK_BUDGET_S", "0")
    log = tmp_path / "arena.log"
    log.touch()
    registrar = [sys.executable, "manage.py", "receive_reports"]
    with worker(arena, log), process(*registrar, env=environment, log=tmp_path / "registrar.log"):
        yield


@pytest.fixture
def bella(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Bella:
    """The command in a folder of its own with some bots."""
    return Bella(tmp_path, capsys, monkeypatch)
