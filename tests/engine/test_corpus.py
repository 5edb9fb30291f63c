"""Files that somebody could hand to the command line by mistake or from malice: what is said of each is written down.

`corpus/expected.json`: file -> exit statuses of verify, show, stats and convert, and the first complaint of verify.
"""

import json
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from games.engine import EngineError, Position, Rules, card_int, parse_cards, read_deal, read_deals, stream_deals
from games.engine.cli import main

CORPUS = Path(__file__).parent / "corpus"
EXPECTED = json.loads((CORPUS / "expected.json").read_text())
COMMANDS = ("verify", "show", "stats", "convert")


def said(output: str, name: str) -> str:
    """The first complaint; what the JSON reader of this Python adds in brackets is left out."""
    lines = [line for line in output.splitlines() if line.startswith(("error: ", "problem: "))]
    text = lines[0] if lines else ""
    return re.sub(r"(not (?:a deal in )?JSON) \(.*", r"\1", text.replace(str(CORPUS / name), name))


def test_every_file_of_the_corpus_has_its_line() -> None:
    assert sorted(EXPECTED) == sorted(path.name for path in CORPUS.iterdir() if path.name != "expected.json")
    assert len(EXPECTED) >= 70


@pytest.mark.parametrize("name", EXPECTED)
def test_what_is_said_of_a_file_is_what_is_written_down(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    statuses, message = EXPECTED[name]
    shown = []
    for command in COMMANDS:
        status = main([command, str(CORPUS / name)])
        captured = capsys.readouterr()
        shown.append((status, said(captured.err + captured.out, name)))
    assert [status for status, _ in shown] == statuses
    assert shown[0][1] == message
    assert all(bool(text) == bool(status) for status, text in shown)  # nothing is refused without a word


@pytest.mark.parametrize("name", EXPECTED)
def test_a_file_is_a_value_or_an_engine_error_for_every_reader(name: str) -> None:
    data = (CORPUS / name).read_bytes()
    text = data.decode("utf-8", "replace")
    readers: tuple[Callable[[Any], object], ...] = (
        read_deal, read_deals, card_int, parse_cards, Rules.parse, Position.parse,
    )  # fmt: skip
    for read in readers:
        for given in (data, text):
            with suppress(EngineError):
                read(given)
    with suppress(EngineError):
        list(stream_deals(data.splitlines(keepends=True)))


def test_a_file_of_nothing_but_ends_of_lines_is_refused_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "blank"
    file.write_bytes(b"\n" * 2_000_000)
    assert main(["verify", str(file)]) == 1
    assert "too much empty space" in capsys.readouterr().err
