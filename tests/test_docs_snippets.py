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


def python(*arguments: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    """A command of the docs, run where its reader would run it, with the project importable."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env={"PYTHONPATH": str(PROJECT), "PATH": "/usr/bin:/bin"},
        check=False,
        capture_output=True,
        text=True,
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
    lines = [line for block in blocks(AUTHORS, "sh") for line in block.splitlines()]
    (command,) = [line for line in lines if line.startswith("python -m bots.arena play")]
    program, *arguments = shlex.split(command)
    assert program == "python"
    played = python(*arguments, "--seed", f"{7:064x}", cwd=tmp_path)
    assert played.returncode == 0
    won, lost = re.match(r"my_bot\.py (\d+) : (\d+) greedy {3}drawn \d+ {3}points \d+ : \d+\n", played.stdout).groups()  # type: ignore[union-attr]
    assert int(won) > int(lost)
    assert re.search(r"^a move: p50 \d+ us, p95 \d+ us {3}seed [0-9a-f]{64}$", played.stdout, re.MULTILINE)
    printed = AUTHORS.split(command)[1].split("```\n")[2]
    assert re.sub(r"\d+", "0", printed.splitlines()[0]) == re.sub(r"\d+", "0", played.stdout.splitlines()[0])


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
