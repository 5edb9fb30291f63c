"""`bella new`: a bot to start from, and its test."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from bots.arena.runner import starter
from bots.arena.runner.interval import interval
from bots.house import greedy
from games.engine import Deal, Rules, card_int, shuffled
from tests.bots.bella import SEED, Bella

PROJECT = Path(__file__).parents[2]


def run(bella: Bella, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *arguments], cwd=bella.folder, env={"PYTHONPATH": str(PROJECT)}, check=False,
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip


def test_the_new_bot_plays_better_than_chance_and_without_a_fault(bella: Bella) -> None:
    done = bella("new", "velabot")
    assert (done.status, done.err) == (0, "")
    assert done.lines == [
        "velabot.py is the bot: look into it, it is short",
        "test_velabot.py is its test: python test_velabot.py",
        "next: bella play velabot.py greedy",
    ]
    found = bella("play", "velabot.py", "random", "--deals", "40", "--json", "--seed", SEED)
    assert (found.status, found.json["interval_95"][0] > 0.5) == (0, True)
    assert bella("play", "velabot.py", "greedy", "--rules", "n=4", "--deals", "4").status == 0


def test_the_new_bot_beats_the_greedy_one() -> None:
    """In mirrored deals, without processes."""
    pairs = []
    for number in range(1, 151):
        deck = shuffled(Rules(), bytes(32), "", number).deck
        pairs.append(sum(won(Deal(Rules(), deck, 1), mine) for mine in (0, 1)) / 2)
    assert interval(pairs)[0] > 0.5


def won(deal: Deal, mine: int) -> float:
    """What the new bot at seat `mine` gets of a deal: 1, a half or 0."""
    while not deal.over:
        card = (starter if deal.turn == mine else greedy).play(deal.observe(deal.turn))
        deal.play(card_int(card))
    return 0.5 if deal.winner_side is None else float(deal.winner_side == mine)


def test_the_new_bot_is_short_and_explained(bella: Bella) -> None:
    bella("new")
    source = bella.read("my_bot.py")
    code = [line for line in source.splitlines() if line.strip() and not line.strip().startswith(('"""', "#"))]
    assert len(code) <= 22
    assert source.splitlines()[0] == '"""A bot for Briscola to start from. Let it play:  bella play my_bot.py greedy"""'
    tree = ast.parse(source)
    assert [node.name for node in tree.body if isinstance(node, ast.FunctionDef)] == ["play", "cost", "beats"]
    assert max(map(len, source.splitlines())) <= 120


@pytest.mark.parametrize("name", ["my_bot", "my_bot2", "X", "velabot.py"])
def test_the_test_of_the_new_bot_passes_with_plain_python_and_with_pytest(bella: Bella, name: str) -> None:
    bella("new", name)
    name = name.removesuffix(".py")
    plain = run(bella, f"test_{name}.py")
    assert (plain.returncode, plain.stderr) == (0, "")
    assert plain.stdout.splitlines() == [
        "passed: test_it_plays_whole_deals_by_the_rules",
        "passed: test_it_plays_the_same_card_in_the_same_position",
    ]
    tested = run(bella, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"test_{name}.py")
    assert tested.returncode == 0, tested.stdout
    assert "2 passed" in tested.stdout


def test_the_test_of_the_new_bot_can_fail(bella: Bella) -> None:
    bella("new")
    bella.write("my_bot.py", "def play(view):\n    return 'AD'\n")
    done = run(bella, "test_my_bot.py")
    assert done.returncode == 1
    assert "'AD' is not in the hand" in done.stderr


@pytest.mark.parametrize("there", ["my_bot.py", "test_my_bot.py"])
def test_nothing_is_overwritten(bella: Bella, there: str) -> None:
    bella.write(there, "mine\n")
    before = sorted(path.name for path in bella.folder.iterdir())
    done = bella("new")
    assert (done.status, done.out) == (2, "")
    assert done.err == f"bella new: {there}: already there, and nothing is overwritten; take another name\n"
    assert bella.read(there) == "mine\n"
    assert sorted(path.name for path in bella.folder.iterdir()) == before


@pytest.mark.parametrize("name", ["3bot", "my-bot", "a/b", "../x", "class", "bot", "games", "è", ""])
def test_a_name_that_is_none_is_refused(bella: Bella, name: str) -> None:
    before = sorted(path.name for path in bella.folder.iterdir())
    done = bella("new", name)
    assert (done.status, done.out) == (2, "")
    assert done.err == f"bella new: {name!a} is no name for a bot: take letters, digits and _, as in my_bot\n"
    assert sorted(path.name for path in bella.folder.iterdir()) == before
