"""The local runner, and the cache of bots that the arena keeps."""

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from bots import house
from bots.arena import Archive, BotFilesError, unpack
from bots.arena.__main__ import main
from bots.arena.cache import BotCache
from bots.arena.sentences import WHAT_TO_DO
from bots.sandbox import Sandbox, start_sandbox
from tests.bots.arena_driver import FIRST, SEED

GUIDE = Path(__file__).parents[2] / "docs" / "bot-authors.md"
#: The question that the guide for authors shows.
REQUEST = next(line for line in re.findall(r"^\{.*\}$", GUIDE.read_text(), re.MULTILINE) if '"play"' in line)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with start_sandbox() as started:
        yield started


def test_a_deal_is_played_on_the_command_line_and_again_from_its_seed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "greedy", "random", "--deals", "4", "--seed", SEED.hex()]) == 0
    first = capsys.readouterr().out.splitlines()
    assert main(["play", "greedy", "random", "--deals", "4", "--seed", SEED.hex()]) == 0
    second = capsys.readouterr().out.splitlines()
    assert first[0] == second[0]
    assert first[0].startswith("greedy ")
    assert first[1].endswith(f"seed {SEED.hex()}")
    points = [int(word) for word in first[0].split("points ")[1].split(" : ")]
    assert sum(points) == 480


def test_a_faulting_bot_is_shown_with_its_traceback(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bot = tmp_path / "mine.py"
    bot.write_text("def play(view):\n    return view.nothing\n")
    assert main(["play", "first_legal", str(bot), "--deals", "2"]) == 1
    out = capsys.readouterr().out
    assert out.startswith(f"first_legal 2 : 0 {bot}")
    assert f"fault of {bot}: crash AttributeError: 'View' object has no attribute 'nothing' exit 1" in out
    assert 'File "bot.py", line 2, in play' in out


def test_a_fault_that_comes_again_is_told_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bot = tmp_path / "mine.py"
    bot.write_text("def play(view):\n    return view.nothing\n")
    assert main(["play", str(bot), "greedy", "--deals", "4"]) == 1
    out = capsys.readouterr().out
    assert out.count("fault of") == 1
    assert out.endswith("the same 4 times\n")


def test_the_checks_of_an_upload_are_made_here(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "greedy", "--seed", SEED.hex()]) == 0
    lines = capsys.readouterr().out.splitlines()
    checks = [line.split()[1].rstrip(":") for line in lines]
    assert checks[:7] == ["syntax", "form", "start", "self_play", "against_random", "against_greedy", "cold"]
    assert lines[-1] == "ok    verdict: The version is qualified."


def test_a_failed_check_says_where_and_what_to_do_and_gives_the_request_to_ask_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = tmp_path / "mine.py"
    bot.write_text("def play(view):\n    return view.hand[0] if len(view.tricks) < 3 else view.hand[9]\n")
    assert main(["check", str(bot)]) == 1
    lines = capsys.readouterr().out.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("FAIL"))
    assert (
        lines[at] == "FAIL  self_play: bot.py:2 The bot ended by itself (exit 1): IndexError: tuple index out of range"
    )
    assert lines[at + 1].strip() == WHAT_TO_DO["fix.crash"]
    assert lines[-1] == "FAIL  verdict: The version is rejected."
    request = lines[at + 2].strip()
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{request}\n\n"))
    assert main(["ask", str(bot)]) == 1
    told = capsys.readouterr().out
    assert told.startswith("fault: The bot ended by itself (exit 1): IndexError: tuple index out of range\n")
    assert 'File "bot.py", line 2, in play' in told
    monkeypatch.setattr("sys.stdin", io.StringIO(request))
    assert main(["ask", "first_legal"]) == 0
    assert capsys.readouterr().out.split()[0] == json.loads(request)["legal"][0]


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("def play(view):\n    return 'XX'\n", "fault: The bot's answer cannot be read: "),
        ("def play(view):\n    return 'AD' if 'AD' not in view.hand else 'AC'\n", "fault: The bot played a card that "),
        ("x =\n", "fault: The bot ended by itself (exit 1): SyntaxError"),
    ],
)
def test_an_answer_that_is_none_is_told(
    source: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = tmp_path / "mine.py"
    bot.write_text(source)
    monkeypatch.setattr("sys.stdin", io.StringIO(REQUEST))
    assert main(["ask", str(bot)]) == 1
    assert capsys.readouterr().out.startswith(told)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("hello", "line 1 is no request"),
        ('{"type":"play"}', "KeyError"),
        ('{"type":"end"}', "type play"),
        ("[]", "TypeE"),
    ],
)
def test_what_is_no_request_is_refused_in_one_line(
    line: str, words: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(line))
    assert main(["ask", "greedy"]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["play", "greedy", "nobody.py"], "No such file"),
        (["play", "greedy", "random", "--seed", "00"], "64 hex digits"),
        (["play", "greedy", "random", "--seed", "xyz"], "hex"),
        (["play", "greedy", "random", "--deals", "0"], "--deals a number from 1"),
    ],
)
def test_a_wrong_call_is_told_in_one_line(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1


def test_a_bad_archive_is_told_by_its_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bot = tmp_path / "bot.zip"
    bot.write_bytes(b"hello")
    assert main(["play", "greedy", str(bot)]) == 2
    assert capsys.readouterr().err == "This is no zip archive, or it is damaged.\n"


def test_the_cache_fetches_a_bot_once_and_drops_the_one_that_was_not_used_for_longest(sandbox: Sandbox) -> None:
    archives = [unpack(f"# {number}\n{FIRST}".encode()) for number in range(3)]
    stored = {archive.sha256: archive.stored() for archive in archives}
    fetched: list[str] = []

    def fetch(sha256: str) -> bytes | None:
        fetched.append(sha256)
        return stored.get(sha256)

    cache = BotCache(sandbox.store, fetch, most=2)
    one, two, three = (archive.sha256 for archive in archives)
    first = cache.folder(one)
    assert (first / "bot.py").read_bytes() == archives[0].files[0][1]
    cache.folder(two)
    assert cache.folder(one) == first
    cache.folder(three)
    assert fetched == [one, two, three]
    assert first.exists()
    cache.folder(two)
    assert fetched == [one, two, three, two]
    assert not first.exists()


def test_the_cache_takes_nothing_but_what_was_asked_for(sandbox: Sandbox) -> None:
    right = unpack(house.source("medio"))
    other = unpack(house.source("greedy")).stored()
    unsafe = Archive(files=(("../bot.py", b"x = 1\n"),)).stored()
    for answer, reason in ((None, "no_files"), (other, "wrong_files"), (unsafe, "wrong_files"), (b"x", "wrong_files")):
        cache = BotCache(sandbox.store, lambda _, answer=answer: answer)
        with pytest.raises(BotFilesError) as refused:
            cache.folder(right.sha256)
        assert refused.value.reason == reason
