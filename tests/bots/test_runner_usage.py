"""The command line of `bella`: help, bots by name, wrong calls."""

import argparse
import io
import os
import re
import shlex
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from bots import house
from bots.arena.runner.options import parser, version
from tests.bots.bella import CRASHES, FIRST, Bella

COMMANDS = ["play", "replay", "check", "ask", "verify", "new"]


def test_the_help_names_every_command_with_first_steps(bella: Bella) -> None:
    done = bella("--help")
    assert (done.status, done.err) == (0, "")
    for command in COMMANDS:
        assert f"\n    {command} " in done.out
    assert "bella play my_bot.py greedy" in done.out
    assert "exit status: 0 fine, 1 a bot faulted, 2 a wrong call, 130 interrupted" in done.out
    assert max(map(len, done.lines)) <= 120


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_a_command_has_examples_that_can_be_parsed(bella: Bella, command: str) -> None:
    done = bella(command, "--help")
    assert done.status == 0
    assert max(map(len, done.lines)) <= 120
    examples = done.out.split("examples:\n")[1].split("\n\n")[0].splitlines()
    assert examples
    for example in examples:
        words = shlex.split(re.split(" {3,}", example.strip())[0])
        while "bella" in words:
            words = words[words.index("bella") + 1 :]
            ends = [at for at, word in enumerate(words) if word in ("&&", "<", "|")]
            parser().parse_args(words[: ends[0]] if ends else words)


def test_every_option_is_in_the_help_of_its_command() -> None:
    (commands,) = (action for action in parser()._actions if isinstance(action, argparse._SubParsersAction))
    assert list(commands.choices) == COMMANDS
    assert [
        f"{name} {action.dest}"
        for name, command in commands.choices.items()
        for action in command._actions
        if not action.help
    ] == []


def test_the_version_is_that_of_the_project(bella: Bella) -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert bella("--version").out == f"bella {project['version']}\n"
    assert version() == project["version"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "bella: the following arguments are required: COMMAND (see bella --help)"),
        (["dance"], "invalid choice: 'dance'"),
        (["play", "greedy"], "bella play: the following arguments are required: B (see bella play --help)"),
        (
            ["play", "greedy", "nobody.py"],
            "nobody.py: there is no such file, folder or house bot; house bots are ",
        ),
        (["play", "greedy", "\0"], "is no name of a file"),
        (["play", "greedy", "random", "--seed", "00"], "argument --seed: 64 hexadecimal digits are needed"),
        (["play", "greedy", "random", "--seed", "x" * 64], "argument --seed: 64 hexadecimal digits are needed"),
        (["play", "greedy", "random", "--deals", "0"], "a number from 1 to 100000 is needed, not '0'"),
        (["play", "greedy", "random", "--deals", "9" * 5000], "a number from 1 to 100000 is needed"),
        (["play", "greedy", "random", "--deals", "many"], "a number from 1 to 100000 is needed, not 'many'"),
        (["play", "greedy", "random", "--rules", "n=9"], "argument --rules: n must be a whole number from 2 to 8"),
        (["play", "greedy", "random", "--rules", "hand=3"], "argument --rules: Rules begin with the number of seats"),
        (["play", "greedy", "random", "--rules", "n=3"], "need rules with two sides; n=3 format=deals:1 has 3"),
        (["play", "greedy", "random", "--format", "best"], "--format best: format must be first_to:k, deals:k"),
        (
            ["play", "greedy", "random", "--rules", "n=2 format=deals:3", "--format", "first_to:2"],
            "--rules says deals:3, --format first_to:2: give the format once",
        ),
        (["play", "greedy", "random", "--show", "--json"], "both write to standard output"),
        (["play", "greedy", "random", "--slow", "100"], "a factor from 0.1 to 10 is needed, not '100'"),
        (["play", "greedy", "random", "--slow", "nan"], "a factor from 0.1 to 10 is needed, not 'nan'"),
        (["play", "greedy", "random", "--sandbox", "unsafe"], "argument --sandbox: invalid choice: 'unsafe'"),
        (["play", "greedy", "random", "--jsonl", "no/such/folder"], "no/such/folder: No such file or directory"),
        (["play", "greedy", "random", "--record", "."], ".: Is a directory"),
        (["play", "greedy", "first.py", "--record", "first.py"], "first.py would be overwritten: give a name"),
        (["play", "greedy", "first.py", "--jsonl", "bot.ZIP"], "bot.ZIP would be overwritten: give a name"),
        (["play", "greedy", "bad.zip"], "bad.zip: This is no zip archive, or it is damaged."),
        (["play", "greedy", "text.txt"], "text.txt: text.txt is a file of a kind that a bot may not have."),
        (["play", "greedy", "empty"], "empty: bot.py is not in the archive."),
        (["check", "bad.zip"], "bad.zip: This is no zip archive, or it is damaged."),
        (["ask", "nobody.py"], "nobody.py: there is no such file"),
        (["replay", "nothing.json", "greedy"], "nothing.json: No such file or directory"),
    ],
)
def test_a_wrong_call_is_told_in_one_line(bella: Bella, arguments: list[str], words: str) -> None:
    bella.write("bad.zip", "hello")
    bella.write("text.txt", "hello")
    (bella.folder / "empty").mkdir()
    done = bella(*arguments)
    assert (done.status, done.out) == (2, "")
    assert words in done.err
    assert done.err.count("\n") == 1
    assert done.err.startswith("bella")
    assert bella.read("first.py") == FIRST


def test_a_file_that_may_not_be_read_is_told(bella: Bella) -> None:
    (bella.folder / "loop.py").symlink_to("loop.py")
    assert bella("check", "loop.py").err == "bella check: loop.py: Too many levels of symbolic links\n"


def test_verify_is_that_of_the_engine(bella: Bella) -> None:
    missing = bella("verify", "nothing.bella")
    assert (missing.status, missing.err) == (2, "error: nothing.bella: No such file or directory\n")
    bella.write("none.bella", "hello\n")
    assert bella("verify", "none.bella").status == 1
    both = bella("verify", "none.bella", "nothing.bella")
    assert (both.status, both.lines) == (2, ["none.bella:", "nothing.bella:"])


# ---- bots


def test_a_zip_and_a_folder_and_a_file_are_the_same_bot(bella: Bella) -> None:
    (bella.folder / "mine" / "__pycache__").mkdir(parents=True)
    (bella.folder / "mine" / ".venv").mkdir()
    (bella.folder / "mine" / "bot.py").write_text(FIRST)
    (bella.folder / "mine" / "__pycache__" / "bot.pyc").write_bytes(b"compiled")
    (bella.folder / "mine" / ".venv" / "big.so").write_bytes(b"\x7fELF")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("bot.py", FIRST)
    (bella.folder / "mine.zip").write_bytes(packed.getvalue())
    shas = set()
    for name in ("first.py", "mine", "mine/", "mine.zip"):
        (bot, _) = bella("play", name, "greedy", "--deals", "1", "--no-mirror", "--json").json["bots"]
        shas.add(bot["sha256"])
    assert len(shas) == 1


def test_a_folder_may_have_several_files_and_another_entry(bella: Bella) -> None:
    (bella.folder / "big" / "parts").mkdir(parents=True)
    (bella.folder / "big" / "parts" / "choice.py").write_text("def choose(view):\n    return view.legal[0]\n")
    (bella.folder / "big" / "main.py").write_text("from parts.choice import choose as play\n")
    (bella.folder / "big" / "bot.toml").write_text('entry = "main.py"\n')
    done = bella("play", "big", "first.py", "--deals", "2", "--json")
    assert (done.status, [bot["name"] for bot in done.json["bots"]]) == (0, ["big", "first.py"])


def test_a_folder_that_is_no_bot_is_refused_before_all_of_it_is_read(bella: Bella) -> None:
    (bella.folder / "home").mkdir()
    for number in range(70):
        (bella.folder / "home" / f"{number}.py").write_text("")
    assert bella("check", "home").err == "bella check: home: The archive holds too many files: 64 at most.\n"
    (bella.folder / "movie").mkdir()
    with (bella.folder / "movie" / "bot.py").open("wb") as file:
        file.truncate(1 << 40)  # a hole: it takes no place, and nobody could read it all
    assert "is too large" in bella("check", "movie").err


def test_every_house_bot_can_be_called_by_its_name(bella: Bella) -> None:
    for name in house.HOUSE:
        assert bella("play", name, "first_legal", "--show").status == 0


def test_two_files_of_one_name_are_told_apart(bella: Bella) -> None:
    for folder, source in (("old", FIRST), ("new", CRASHES)):
        (bella.folder / folder).mkdir()
        (bella.folder / folder / "bot.py").write_text(source)
    found = bella("play", "old/bot.py", "new/bot.py", "--deals", "2", "--json").json
    assert [bot["name"] for bot in found["bots"]] == ["old/bot.py", "new/bot.py"]


def test_a_reader_that_goes_away_is_no_error(bella: Bella, monkeypatch: pytest.MonkeyPatch) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "bots.arena", "play", "greedy", "first_legal", "--show"],
        cwd=bella.folder, env={"PYTHONPATH": str(Path(__file__).parents[2])}, stdout=write, stderr=subprocess.PIPE,
        check=False, timeout=60,
    )  # fmt: skip
    os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")
