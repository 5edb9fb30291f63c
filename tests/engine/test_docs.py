"""The examples in the docstrings and in `docs/engine.md` do what they say."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import games.engine
from games.engine import Position, read_deal, write_deal
from games.engine.rules import FIELDS, LATER

DOCS = (Path(__file__).resolve().parents[2] / "docs" / "engine.md").read_text()
MODULES = [name for _, name, _ in pkgutil.iter_modules(games.engine.__path__) if name != "__main__"]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_are_true(name: str) -> None:
    module = importlib.import_module(f"games.engine.{name}")
    assert doctest.testmod(module).failed == 0


def test_examples_were_found() -> None:
    modules = [importlib.import_module(f"games.engine.{name}") for name in MODULES]
    examples = sum(len(test.examples) for module in modules for test in doctest.DocTestFinder().find(module))
    assert examples >= 6


def test_the_first_example_of_the_docs_runs_and_prints_a_deal_that_can_be_read(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = DOCS.split("```python\n")[1].split("```")[0]
    exec(code, {})
    first, text = capsys.readouterr().out.split("\n", 1)
    deal = read_deal(text.rstrip("\n") + "\n").record.replay()
    assert deal.over
    assert first == f"{deal.points} {deal.winner_side}"


def test_the_text_and_the_position_in_the_docs_are_canonical() -> None:
    text = '[Bella "1"]' + DOCS.split('```\n[Bella "1"]')[1].split("```")[0]
    assert write_deal(read_deal(text)) == text
    position = DOCS.split("## Position\n\n`")[1].split("`")[0]
    assert str(Position.parse(position)) == position


def test_every_option_of_the_rules_is_in_the_docs() -> None:
    table = DOCS.split("## Rules")[1].split("## A deal")[0]
    assert [name for name in FIELDS if f"`{name}`" not in table] == []
    assert all(f"`{name}={value}`" in table for name, values in LATER.items() for value in values[:1] if name != "swap")
