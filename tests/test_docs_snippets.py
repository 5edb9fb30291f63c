"""What the documents tell people to type does what they say."""

import doctest
import io
import json
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.urls import resolve

from accounts.services import tokens
from bots.arena import unpack
from bots.models import BotVersion, FaultKind
from bots.protocol import Match, Result, View, parse_answer, schema
from bots.upload_texts import ADVICE
from games.engine import Deal, MatchScore, Record, Rules, commitment, first_dealer, format_cards, shuffled
from tests.accounts.factories import make_user
from tests.conftest import PROJECT

DOCS = PROJECT / "docs"
AUTHORS = (DOCS / "bot-authors.md").read_text()
PLAYERS = (DOCS / "players.md").read_text()
OPERATORS = (DOCS / "operators.md").read_text()


def blocks(text: str, language: str) -> list[str]:
    """The fenced blocks of one language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def python(*arguments: str, cwd: Path, stdin: str = "") -> "subprocess.CompletedProcess[str]":
    """A command of the docs, run where its reader would run it, with the project importable."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env={"PYTHONPATH": str(PROJECT), "PATH": "/usr/bin:/bin"},
        check=False,
        capture_output=True,
        text=True,
        input=stdin,
        timeout=120,
    )


# ---- doctests


@pytest.mark.parametrize("name", ["ratings.md", "players.md"])
def test_the_examples_print_what_the_page_says(name: str) -> None:
    found = doctest.testfile(str(DOCS / name), module_relative=False)
    assert found.attempted >= 4
    assert found.failed == 0


# ---- bots


def test_every_bot_of_the_page_plays_in_the_sandbox_without_a_fault(tmp_path: Path) -> None:
    sources = blocks(AUTHORS, "python")
    assert [re.search(r"^(?:def|class) (play|Bot|main)", source, re.MULTILINE)[1] for source in sources] == [  # type: ignore[index]
        "play", "Bot", "main",
    ]  # fmt: skip
    for number, source in enumerate(sources):
        (tmp_path / f"bot{number}.py").write_text(source)
        played = python("-m", "bots.arena", "play", f"bot{number}.py", "random", "--deals", "4", cwd=tmp_path)
        assert (played.returncode, played.stderr) == (0, "")


def test_the_first_bot_is_as_short_as_promised_and_beats_the_greedy_one(tmp_path: Path) -> None:
    first = blocks(AUTHORS, "python")[0]
    assert len([line for line in first.splitlines() if line.strip()]) <= 15
    (tmp_path / "my_bot.py").write_text(first)
    command = next(line for line in commands_of_authors() if line.startswith("bella play my_bot.py"))
    played = bella(f"{command} --seed {4:064x}", tmp_path)
    assert (played.returncode, played.stderr) == (0, "")
    title, head, mine, greedy, _, score, *_ = played.stdout.splitlines()
    assert int(mine.split()[1]) > int(greedy.split()[1])
    printed = AUTHORS.split(command)[1].split("```\n")[2].splitlines()
    assert (printed[0], printed[1].split()) == (title, head.split())

    def shape(line: str) -> str:
        return re.sub(r"[\d.]+", "0", line.partition(": ")[0])

    shown = [line for line in printed if line][2:]
    assert [shape(line).split() for line in shown] == [shape(line).split() for line in (mine, greedy, score)]


def commands_of_authors() -> list[str]:
    return [line for block in blocks(AUTHORS, "sh") for line in block.splitlines()]


def bella(command: str, cwd: Path, stdin: str = "") -> "subprocess.CompletedProcess[str]":
    """A command of the page, as it stands."""
    program, *arguments = shlex.split(command)
    assert program == "bella"
    return python("-m", "bots.arena", *arguments, cwd=cwd, stdin=stdin)


def test_the_commands_of_the_page_do_what_it_says(tmp_path: Path) -> None:
    """One after the other, in one folder, as a reader types them."""
    at_home = AUTHORS.split("## At home")[1].split("\n## ")[0]
    (tmp_path / "my_bot.py").write_text(blocks(AUTHORS, "python")[0])
    (play,) = [line for block in blocks(AUTHORS, "json") for line in block.splitlines() if '"play"' in line]
    (tmp_path / "request.jsonl").write_text(play + "\n")
    (tmp_path / "K7Q2M9XR.json").write_text(json.dumps(finished_match()))
    said = {}
    for command in [line for block in blocks(at_home, "sh") for line in block.splitlines()]:
        typed, _, file = command.partition(" < ")
        if typed.startswith("python "):
            done = python(*shlex.split(typed)[1:], cwd=tmp_path)
        else:
            done = bella(typed, tmp_path, (tmp_path / file).read_text() if file else "")
        assert (done.returncode, done.stderr) == (0, ""), command
        said[command] = done.stdout
    assert len(said) == 12
    assert said["bella new velabot"].startswith("velabot.py is the bot")
    assert said["python test_velabot.py"].count("passed: ") == 2
    assert said["bella verify games.bella"].endswith("verified\n")
    assert "ok    verdict: The version is qualified.\n" in said["bella check velabot.py"]
    assert said["bella ask velabot.py < request.jsonl"].endswith(" us\n")
    replayed, position = (text for command, text in said.items() if command.startswith("bella replay"))
    assert re.search(r"^\d+ differences in \d+ cards", replayed, re.MULTILINE)
    assert position.startswith("deal 1, trick 2, ply 3, seat 1\n")


def test_the_options_of_the_page_are_those_of_the_command(tmp_path: Path) -> None:
    table = AUTHORS.split("| option | what it does |")[1].split("\n\n")[0]
    named = {
        name for row in table.splitlines() for name in re.findall(r"`(--[a-z-]+)", row.split("|")[1] if row else "")
    }
    options = set(re.findall(r"--[a-z-]+", bella("bella play --help", tmp_path).stdout.split("options:")[1]))
    assert named == options - {"--help", "--matches", "--format"} | {"--format"}


def test_the_manifest_of_the_page_is_one_that_says_nothing_new() -> None:
    (manifest,) = blocks(AUTHORS, "toml")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as target:
        target.writestr("bot.toml", manifest)
        target.writestr("bot.py", "def play(view):\n    return view.legal[0]\n")
    assert unpack(packed.getvalue(), "bot.zip").ignored == ("bot.toml",)


def test_the_messages_of_the_page_are_messages_of_the_protocol() -> None:
    known = schema()["$defs"]
    lines = [json.loads(line) for block in blocks(AUTHORS, "json") for line in block.splitlines()]
    assert [message.get("type", "answer") for message in lines] == [
        "start",
        "answer",
        "play",
        "answer",
        "deal_over",
        "end",
    ]
    start, ready, play, card, deal_over, end = lines
    for message in (start, play, deal_over, end):
        assert list(message) == known[message["type"]]["required"]
    assert Match.of(start).rules == Rules()
    assert card["card"] in View.of(play).legal
    assert Result.of(deal_over).winner == 1
    assert parse_answer(json.dumps(ready).encode(), n=start["n"], wanted="ready").card is None
    assert parse_answer(json.dumps(card).encode(), n=play["n"], wanted="card").card == card["card"]


def test_the_table_of_the_view_names_every_field() -> None:
    table = AUTHORS.split("| field | value |")[1].split("\n\n")[0]
    named = {name for row in table.splitlines() if row for name in re.findall(r"`([a-z_]+)`", row.split("|")[1])}
    assert named == set(View.__dataclass_fields__)


def test_every_code_of_a_refused_upload_is_on_the_page() -> None:
    assert [code for code in (*ADVICE, "upload.syntax", "upload.no_form") if f"`{code}`" not in AUTHORS] == []


def test_every_kind_of_fault_is_on_the_page() -> None:
    table = AUTHORS.split("## Faults")[1].split("\n\n")[1]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == list(FaultKind.values)


# ---- curl


def test_the_upload_by_curl_does_what_the_page_says(site: str, tmp_path: Path) -> None:
    if shutil.which("curl") is None:
        pytest.skip("no curl here")
    commands = [line for block in blocks(AUTHORS, "sh") for line in block.splitlines() if line.startswith("curl")]
    assert len(commands) == 4
    author = make_user("Luna")
    _token, secret = tokens.create(user=author, name="docs", scopes=["read", "upload"], days=1)
    first = blocks(AUTHORS, "python")[0]
    (tmp_path / "my_bot.py").write_text(first)

    def run(command: str) -> str:
        filled = command.replace("$TOKEN", secret).replace("$SITE", site)
        words = shlex.split(filled)
        done = subprocess.run(
            [words[0], "--silent", "--show-error", "--fail-with-body", *words[1:]],
            cwd=tmp_path,
            check=False,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    made = json.loads(run(commands[0]))
    assert (made["bot"], made["number"], made["is_undecided"]) == ("velabot", 1, True)
    (tmp_path / "my_bot.py").write_text(first + "# better\n")
    assert json.loads(run(commands[1]))["number"] == 2
    assert BotVersion.objects.get(number=2).notes == "keeps its trumps"
    seen = json.loads(run(commands[2]))
    assert [check["check"] for check in seen["own"]["checks"]] == ["unpack"]
    run(commands[3])
    assert (tmp_path / "velabot-v1.py").read_text() == first


# ---- verifying


def finished_match() -> dict[str, Any]:
    """The bundle of a match of two players by chance."""
    rules, seed, rng = Rules(), bytes(range(32)), Random(3)
    dealer = first_dealer(rules, seed, "")
    score, deals = MatchScore(rules), []
    while not score.is_over:
        number = score.deals + 1
        shuffle = shuffled(rules, seed, "", number)
        deal = Deal(rules, shuffle.deck, score.next_dealer(dealer), shuffle.turned)
        while not deal.over:
            deal.play(rng.choice(deal.legal()))
        record = Record.of(deal)
        deals.append({
            "number": number, "dealer": record.dealer, "deck": format_cards(record.deck),
            "turned": format_cards(record.turned), "plays": format_cards(record.plays), "points": list(deal.points),
        })  # fmt: skip
        score = score.add(deal.result())
    return {
        "engine": "bella-1", "rules": rules.code, "salt": "", "seed": seed.hex(), "commitment": commitment(seed),
        "first_dealer": dealer, "deals": deals, "outcome": {"winner_side": score.winner_side},
    }  # fmt: skip


def test_the_verifier_is_called_as_the_page_says(tmp_path: Path) -> None:
    (block,) = blocks(PLAYERS, "sh")
    fetch, *commands = block.splitlines()
    assert fetch.split() == ["curl", "-o", "match.json", "$SITE/matches/K7Q2M9XR/record.json"]
    bundle = finished_match()
    (tmp_path / "match.json").write_text(json.dumps(bundle))
    verified, shown = (python(*shlex.split(command)[1:], cwd=tmp_path) for command in commands)
    assert (verified.returncode, verified.stdout.splitlines()[-1]) == (0, "verified")
    assert shown.returncode == 0
    assert shown.stdout.count('[Bella "1"]') == len(bundle["deals"])

    bundle["deals"][0]["points"].reverse()
    (tmp_path / "match.json").write_text(json.dumps(bundle))
    lying = python("-m", "games.engine", "verify", "match.json", cwd=tmp_path)
    assert lying.returncode == 1
    assert "problem: deal 1: points" in lying.stdout


def test_the_record_of_a_match_has_the_address_of_the_page() -> None:
    assert resolve("/matches/K7Q2M9XR/record.json").view_name == "games:record-json"
    assert resolve("/matches/K7Q2M9XR/record.bella").view_name == "games:record-text"


# ---- operators


def test_the_commands_of_operators_exist() -> None:
    compose = (PROJECT / "docker-compose.yml").read_text()
    services = set(re.findall(r"^  ([a-z]+):$", compose.split("\nservices:")[1].split("\nnetworks:")[0], re.MULTILINE))
    lines = [line.partition("#")[0] for block in blocks(OPERATORS, "") for line in block.splitlines()]
    commands = [shlex.split(line.partition(">")[0]) for line in lines if line.strip()]
    named: Mapping[str, int] = {"exec": 1, "stop": 4}
    for words in commands:
        match words:
            case ["docker", "compose", ("exec" | "stop") as verb, *rest]:
                wanted = [word for word in rest if not word.startswith("-")][: named[verb]]
                assert set(wanted) <= services
            case ["docker", "compose", ("up" | "build"), *_] | ["git", "pull"]:
                pass
            case ["sh", script, *_]:
                assert (PROJECT / script).exists()
            case _:
                pytest.fail(f"not known: {words}")
    assert len(commands) >= 7
