"""Every piece of code of the guide is run: the bots by the checks of an upload, the commands by the local runner."""

import os
import shlex
import subprocess
import sys
import tomllib
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from bots import house
from bots.arena import Archive, Baseline, Bench, BotRef, QualifyJob, QualifyStep, Report, qualify, unpack
from bots.arena.jobs import JobLimits
from bots.house import greedy
from bots.house import random as uniform
from bots.learn import files, position
from bots.learn.mistakes import MISTAKES, Mistake
from bots.sandbox import Sandbox, start_sandbox
from games.engine import Deal, Rules, card_int, shuffled
from tests.bots.arena_driver import NONCE, SEED, Folders, steps
from tests.bots.test_house import seated
from tests.conftest import PROJECT

FILES = sorted(
    str(path.relative_to(files.CODE)) for path in files.CODE.rglob("*") if path.suffix in {".py", ".sh", ".toml"}
)
RIGHT = [f"{name}.py" for name in files.BOTS] + [f"mistakes/{mistake.name}_right.py" for mistake in MISTAKES]
WRONG = [f"mistakes/{mistake.name}_wrong.py" for mistake in MISTAKES]
COMMANDS = ["install.sh", "play.sh", "check.sh", "ask.sh"]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with start_sandbox() as started:
        yield started


def checked(sandbox: Sandbox, source: bytes) -> dict[str, QualifyStep]:
    """The checks of an upload under the site's own clocks, with Casuale alone to play against."""
    folders = Folders(sandbox)
    job = QualifyJob(
        run_id=str(uuid.uuid4()),
        bot=BotRef(sha256=folders.put(source)),
        seed=SEED.hex(),
        baselines=(Baseline(name="random", sha256=folders.put(house.source("random"))),),
        limits=JobLimits(),
        budget_s=0,
    )
    reports: list[Report] = []
    bench = Bench(sandbox=sandbox, bot_dir=folders.paths.__getitem__)
    qualify(job, lambda *more: reports.extend(more), bench=bench, nonce=NONCE)
    return steps(reports)


def test_no_file_of_the_guide_is_left_out_here() -> None:
    assert sorted([*RIGHT, *WRONG, *COMMANDS, "bot.toml"]) == FILES
    assert len(MISTAKES) == 10


@pytest.mark.parametrize("name", RIGHT)
def test_what_the_guide_recommends_qualifies_and_can_be_repeated(sandbox: Sandbox, name: str) -> None:
    found = checked(sandbox, (files.CODE / name).read_bytes())
    assert found["verdict"].verdict == "qualified"
    assert all(step.ok for step in found.values())
    assert found["reproducible"].code == "check.reproducible"


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_each_mistake_ends_as_the_guide_says(sandbox: Sandbox, mistake: Mistake) -> None:
    found = checked(sandbox, (files.CODE / f"mistakes/{mistake.name}_wrong.py").read_bytes())
    assert found[mistake.check].code == mistake.code
    assert found["verdict"].verdict == ("rejected" if mistake.is_fault else "qualified")
    failed = [name for name, step in found.items() if not step.ok and name != "verdict"]
    assert failed == ([mistake.check] if mistake.is_fault else [])


def test_the_mistakes_show_every_kind_of_fault() -> None:
    from bots.arena import FAULT_KINDS

    assert {mistake.verdict for mistake in MISTAKES if mistake.code.startswith("fault.")} == set(FAULT_KINDS)


def test_the_first_bot_has_15_lines_and_plays_as_well_as_the_guide_says() -> None:
    source = (files.CODE / "my_bot.py").read_text()
    assert len([line for line in source.splitlines() if line.strip()]) == 15
    assert max(map(len, source.splitlines())) <= 100

    class Mine:
        play = staticmethod(position.my_bot())

    def score(other: object) -> float:
        won, rules = 0.0, Rules()
        for number in range(1, 301):
            deck = shuffled(rules, b"how good is the first bot.......", "", number).deck
            for seat in (0, 1):
                deal = Deal(rules, deck, number % 2)
                bots = [Mine, other] if seat == 0 else [other, Mine]
                while not deal.over:
                    deal.play(card_int(bots[deal.turn].play(deal.observe(deal.turn, number=number))))  # type: ignore[attr-defined]
                won += 0.5 if deal.winner_side is None else deal.winner_side == seat
        return won / 600

    assert 0.80 < score(seated(uniform, 1)) < 0.90
    assert 0.52 < score(greedy) < 0.66


def test_the_manifest_is_one_that_an_upload_may_have(tmp_path: Path) -> None:
    import io
    import zipfile

    manifest = (files.CODE / "bot.toml").read_bytes()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("bot.toml", manifest)
        archive.writestr("bot.py", (files.CODE / "my_bot.py").read_bytes())
    found = unpack(packed.getvalue(), "bot.zip")
    assert isinstance(found, Archive)
    assert found.entry == tomllib.loads(manifest.decode())["entry"] == "bot.py"


@pytest.mark.parametrize("name", COMMANDS[1:])
def test_the_commands_do_what_the_guide_says(name: str, tmp_path: Path) -> None:
    (tmp_path / "my_bot.py").write_bytes(files.source("my_bot"))
    (tmp_path / "request.jsonl").write_text(position.example().play + "\n")
    words = shlex.split((files.CODE / name).read_text())
    asked = (tmp_path / words.pop()).read_text() if words[-2] == "<" else None
    program, *arguments = [word for word in words if word != "<"]
    assert program == "bella"
    run = subprocess.run(
        [sys.executable, "-m", "bots.arena", *arguments],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(PROJECT)},
        input=asked,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert {"play.sh": "my_bot.py", "check.sh": "qualified", "ask.sh": position.example().card}[name] in run.stdout


def test_bella_is_what_an_installation_brings() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    assert project["scripts"]["bella"].startswith("bots.arena.")
    assert (files.CODE / "install.sh").read_text().rstrip().endswith("pip install .")
