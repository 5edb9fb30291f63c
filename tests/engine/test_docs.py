"""The examples in the docstrings and in `docs/engine.md` do what they say."""

import doctest
import importlib
import io
import json
import pkgutil
import re
from contextlib import redirect_stdout
from pathlib import Path

import pytest

import games.engine
from games.engine import Position, Rules, read_deal, write_deal
from games.engine.cli import main
from games.engine.rules import FIELDS, LATER
from tests.engine.play import played_match

DOCS = (Path(__file__).resolve().parents[2] / "docs" / "engine.md").read_text()
MODULES = [name for _, name, _ in pkgutil.iter_modules(games.engine.__path__) if name != "__main__"]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_are_true(name: str) -> None:
    module = importlib.import_module(f"games.engine.{name}")
    assert doctest.testmod(module).failed == 0


def test_every_public_function_and_value_has_an_example() -> None:
    finder = doctest.DocTestFinder(recurse=False)
    lacking = {
        name
        for name in games.engine.__all__
        if callable(thing := getattr(games.engine, name)) and not any(t.examples for t in finder.find(thing, name))
    }
    values_without_a_use_of_their_own = {
        "DealAnalysis", "DealResult", "DealText", "PlayValue", "Problem", "SeenTrick", "Shuffle", "Sign", "Solution",
        "Trick",
    }  # fmt: skip
    errors = {name for name in games.engine.__all__ if name.endswith("Error")} | {"IllegalPlay"}
    assert lacking == values_without_a_use_of_their_own | errors


def test_the_first_example_of_the_docs_runs_and_prints_a_deal_that_can_be_read(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = DOCS.split("```python\n")[1].split("```")[0]
    exec(code, {})
    first, text = capsys.readouterr().out.split("\n", 1)
    deal = read_deal(text.rstrip("\n") + "\n").record.replay()
    assert deal.over
    assert first == f"{deal.points} {deal.winner_side}"


def test_every_other_example_of_the_docs_runs() -> None:
    examples = DOCS.split("```python\n")[2:]
    printed = []
    for example in examples:
        shown = io.StringIO()
        with redirect_stdout(shown):
            exec(example.split("```")[0], {})
        printed.append(shown.getvalue().splitlines())
    (best_play,) = printed
    assert len(best_play) == 2
    assert best_play[0].split()[0].lstrip("-").isdigit()


def test_the_commands_of_the_docs_run(tmp_path: Path) -> None:
    section = DOCS.split("## Verifying a match")[1].split("A bundle has")[0]
    commands = re.findall(r"`((?:python -m games\.engine )?(?:verify|show|deal|convert|stats) [^`]+)`", section)
    assert [command.removeprefix("python -m games.engine ").split()[0] for command in commands] == [
        "verify", "show", "deal", "convert", "stats",
    ]  # fmt: skip
    file = tmp_path / "match.json"
    file.write_text(json.dumps(played_match(Rules())))
    values = {"FILE": str(file), "HEX": "00" * 32, "CODE": "n=2", "N": "1"}
    for command in commands:
        words = command.removeprefix("python -m games.engine ").split()
        assert main([values.get(word, word) for word in words]) == 0


def test_the_text_and_the_position_in_the_docs_are_canonical() -> None:
    text = '[Bella "1"]' + DOCS.split('```\n[Bella "1"]')[1].split("```")[0]
    assert write_deal(read_deal(text)) == text
    position = DOCS.split("## Position\n\n`")[1].split("`")[0]
    assert str(Position.parse(position)) == position


def test_every_option_of_the_rules_is_in_the_docs() -> None:
    table = DOCS.split("## Rules")[1].split("## A deal")[0]
    assert [name for name in FIELDS if f"`{name}`" not in table] == []
    assert all(f"`{name}={value}`" in table for name, values in LATER.items() for value in values[:1] if name != "swap")
