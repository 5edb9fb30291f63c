"""The checks of a new version, with real bots in the real sandbox."""

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bots import demo, house
from bots.arena import (
    Archive,
    Baseline,
    Bench,
    BotFilesError,
    BotRef,
    JobLimits,
    QualifyJob,
    QualifyStep,
    Refused,
    Report,
    Returned,
    Started,
    qualify,
    read_report,
    write_report,
)
from bots.arena.sentences import MESSAGES, WHAT_TO_DO
from bots.sandbox import Sandbox, start_sandbox
from games.engine import Record, Rules, parse_cards
from tests.bots.arena_driver import FIRST, NONCE, QUICK, SEED, Folders, steps

CHECKS = ["syntax", "form", "start", "self_play", "against_random", "against_greedy", "cold", "reproducible"]
MORE = ["more_self_play", "more_against_random", "more_against_greedy"]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with start_sandbox() as started:
        yield started


def checked(
    sandbox: Sandbox, source: str | bytes, *, halt: Any = lambda: None, baselines: Any = None, **changes: Any
) -> list[Report]:
    """The reports of a check; every one went through its JSON text, and its games are replayed."""
    folders = Folders(sandbox)
    given = {name: house.source(name) for name in house.BASELINES} if baselines is None else baselines
    job = QualifyJob(
        **{
            "run_id": str(uuid.uuid4()),
            "bot": BotRef(sha256=folders.put(source)),
            "seed": SEED.hex(),
            "baselines": tuple(Baseline(name=name, sha256=folders.put(text)) for name, text in given.items()),
            "limits": QUICK,
            "budget_s": 0,
            **changes,
        }
    )
    reports: list[Report] = []

    def report(*sent: Report) -> None:
        reports.extend(read_report(write_report(one)) for one in sent)

    bench = Bench(sandbox=sandbox, bot_dir=folders.paths.__getitem__, halt=halt)
    qualify(job, report, bench=bench, nonce=NONCE)
    assert [one.seq for one in reports] == list(range(len(reports)))
    for step in steps(reports).values():
        assert step.code in MESSAGES
        assert MESSAGES[step.code] % {**step.params, "file": step.file, "line": step.line}
        assert not step.what_to_do or step.what_to_do in WHAT_TO_DO
        verify_games(step)
    return reports


def verify_games(step: QualifyStep) -> None:
    numbers = [game.number for game in step.games]
    assert len(set(numbers)) == len(numbers)
    for game in step.games:
        rules = Rules.parse(game.rules)
        deal = Record(rules, parse_cards(game.deck), parse_cards(game.plays), game.dealer).replay()
        assert deal.points == game.points
        assert len(game.think_us) == len(deal.plays)
        assert (game.termination == "normal") == deal.over == (game.fault_seat is None)
        if deal.over:
            assert deal.winner_side == game.winner_side


def test_a_good_bot_passes_every_check_in_order(sandbox: Sandbox) -> None:
    reports = checked(sandbox, house.source("medio"))
    assert isinstance(reports[0], Started)
    found = steps(reports)
    assert list(found) == [*CHECKS, *MORE, "verdict"]
    assert [step.verdict for step in found.values()] == [None] * 11 + ["qualified"]
    assert all(step.ok for step in found.values())
    assert found["form"].params == {"form": "play"}
    assert len(found["self_play"].games) == 4
    assert len(found["against_random"].games) == 10
    games = found["against_greedy"].games
    assert [game.seat for game in games] == [0, 1] * 5
    assert [game.deck for game in games[::2]] == [game.deck for game in games[1::2]]
    assert [game.dealer for game in games[::2]] == [game.dealer for game in games[1::2]]
    assert found["reproducible"].code == "check.reproducible"
    assert [len(found[name].games) for name in MORE] == [0, 0, 0]
    summary = found["verdict"].params
    assert summary["moves"] == 4 * 40 + 20 * 20
    assert 0 < summary["p50_us"] <= summary["p95_us"] <= summary["max_us"]
    assert summary["deals_random"] == summary["deals_greedy"] == 10
    params = found["against_random"].params
    assert params["won"] + params["drawn"] + params["lost"] == 10
    assert params["points"] + params["against"] == 1200


def test_more_games_are_played_while_there_is_time(sandbox: Sandbox) -> None:
    random = {"random": house.source("random")}
    found = steps(checked(sandbox, FIRST, budget_s=90, limits=JobLimits(), baselines=random))
    assert [len(found[name].games) for name in MORE[:2]] == [16, 30]
    assert found["more_against_random"].games[0].number == 11
    assert found["verdict"].params["deals_random"] == 40


@pytest.mark.parametrize("name", [*house.HOUSE, *demo.DEMO])
def test_every_house_and_demo_bot_passes(sandbox: Sandbox, name: str) -> None:
    source = house.source(name) if name in house.HOUSE else demo.source(name)
    found = steps(checked(sandbox, source, baselines={"random": house.source("random")}))
    assert found["verdict"].verdict == "qualified"
    assert found["reproducible"].code == "check.reproducible"


@pytest.mark.parametrize(
    ("source", "check", "code", "place"),
    [
        ("def play(view)\n    return 1\n", "syntax", "upload.syntax", ("bot.py", 1)),
        ("x = 1\ndef play(view):\nreturn 1\n", "syntax", "upload.syntax", ("bot.py", 3)),
        ("x = \0", "syntax", "upload.syntax", ("bot.py", 1)),
        ("(" * 250 + ")" * 250, "syntax", "upload.syntax", ("bot.py", 1)),
        ("", "form", "upload.no_form", ("bot.py", None)),
        ("class Bot: pass\ndef play(view): pass\n", "form", "upload.no_form", ("bot.py", None)),
        ("import nothing_like_this\ndef play(view): pass\n", "start", "fault.crash", ("bot.py", 1)),
        ("while True: pass\ndef play(view): pass\n", "start", "fault.timeout", ("", None)),
        ("def play(view):\n    return view.nothing\n", "self_play", "fault.crash", ("bot.py", 2)),
        ("def play(view):\n    return 5\n", "self_play", "fault.protocol", ("", None)),
        ("def play(view):\n    return 'AD'\n", "self_play", "fault.illegal", ("", None)),
    ],
)
def test_a_bad_bot_is_rejected_where_it_fails_with_file_and_line(
    sandbox: Sandbox, source: str, check: str, code: str, place: tuple[str, int | None]
) -> None:
    found = steps(checked(sandbox, source))
    assert list(found) == [*CHECKS[: CHECKS.index(check) + 1], "verdict"]
    step = found[check]
    assert (step.ok, step.code) == (False, code)
    assert (step.file, step.line) == place
    assert step.what_to_do in WHAT_TO_DO
    assert found["verdict"].verdict == "rejected"
    if code.startswith("fault."):
        assert step.request.startswith('{"type":')
    if code == "fault.crash":
        assert "Traceback" in step.log


def test_a_file_beside_the_entry_is_checked_too(sandbox: Sandbox) -> None:
    archive = Archive(files=(("bot.py", FIRST.encode()), ("lib/a.py", b"def broken(:\n")))
    found = steps(checked(sandbox, archive.stored()))
    assert (found["syntax"].file, found["syntax"].line) == ("lib/a.py", 1)
    assert found["verdict"].verdict == "rejected"


def test_a_bot_that_fails_late_is_rejected_with_its_games(sandbox: Sandbox) -> None:
    source = "def play(view):\n    assert len(view.tricks) < 18, 'tired'\n    return view.legal[0]\n"
    found = steps(checked(sandbox, source))
    step = found["self_play"]
    assert step.params["detail"] == "AssertionError: tired"
    (game,) = step.games
    assert game.termination == "crash"
    assert len(game.plays) == 2 * 36
    assert step.params["ply"] == 36


def test_a_bot_that_needs_its_memory_fails_at_cold_requests(sandbox: Sandbox) -> None:
    source = """
class Bot:
    seen = 0
    def play(self, view):
        assert self.seen == len(view.tricks), "I was not here before"
        self.seen += 1
        return view.legal[0]
"""
    found = steps(checked(sandbox, source))
    assert found["against_greedy"].ok
    assert found["cold"].code == "fault.crash"
    assert found["verdict"].verdict == "rejected"


def test_a_bot_of_chance_that_ignores_its_seed_gets_a_remark_only(sandbox: Sandbox) -> None:
    source = "import os\ndef play(view):\n    return view.legal[os.urandom(1)[0] % len(view.legal)]\n"
    found = steps(checked(sandbox, source))
    assert (found["reproducible"].ok, found["reproducible"].code) == (True, "check.not_reproducible")
    assert found["reproducible"].what_to_do == "fix.seed"
    assert found["verdict"].verdict == "qualified"


def test_a_failing_baseline_is_our_fault_and_the_check_is_repeated(sandbox: Sandbox) -> None:
    found = steps(checked(sandbox, FIRST, baselines={"random": "raise SystemExit(1)"}))
    assert found["against_random"].code == "check.machine"
    assert found["verdict"].verdict == "again"
    assert found["verdict"].what_to_do == "fix.again"


def test_past_its_deadline_a_check_is_to_be_repeated_without_blame(sandbox: Sandbox) -> None:
    slow = "import time\ndef play(view):\n    time.sleep(0.06)\n    return view.legal[0]\n"
    found = steps(checked(sandbox, slow, deadline_s=1))
    assert [step.code for step in found.values()][-2:] == ["check.deadline", "verdict.again"]


@pytest.mark.parametrize("reason", ["drain", "stop", "lost"])
def test_a_halt_gives_the_check_back(sandbox: Sandbox, reason: str) -> None:
    asked = iter([None] * 60)
    reports = checked(sandbox, FIRST, halt=lambda: next(asked, reason))
    assert not [step for step in steps(reports).values() if step.verdict]
    assert isinstance(reports[-1], Returned) == (reason != "lost")


def test_a_check_without_files_or_tier_is_refused(sandbox: Sandbox) -> None:
    reports: list[Any] = []

    def missing(sha256: str) -> Path:
        raise BotFilesError("no_files", sha256)

    job = QualifyJob(run_id=str(uuid.uuid4()), bot=BotRef(sha256="ab" * 32), seed=SEED.hex())
    bench = Bench(sandbox=sandbox, bot_dir=missing)
    qualify(job, lambda *sent: reports.extend(sent), bench=bench, nonce=NONCE)
    assert [(type(report), report.reason) for report in reports] == [(Refused, "no_files")]
