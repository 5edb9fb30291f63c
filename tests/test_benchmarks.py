"""`make bench`: which benchmarks there are, and what the exit status says."""

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.__main__ import found, main
from tests.conftest import PROJECT

RUNNABLE = 'import sys\nif __name__ == "__main__":\n    print("ran", flush=True)\n    sys.exit({status})\n'


def project_with(folder: Path, **statuses: int) -> Path:
    """A project whose benchmarks end with these statuses."""
    (folder / "benchmarks").mkdir()
    (folder / "benchmarks" / "__init__.py").touch()
    (folder / "benchmarks" / "helper.py").write_text('"""Nothing to run."""\n')
    for name, status in statuses.items():
        (folder / "benchmarks" / f"{name}.py").write_text(
            f'"""What {name} measures.\n\nMore."""\n' + RUNNABLE.format(status=status)
        )
    return folder


def test_every_benchmark_is_found_and_says_what_it_measures() -> None:
    known = found()
    assert {
        "bots_endings",
        "bots_matches",
        "bots_memory",
        "bots_moves",
        "bots_sandbox",
        "elo",
        "end_to_end",
        "engine",
    } <= set(known)
    assert "deal_limit" not in known
    assert all(known.values())


def test_the_status_is_0_only_when_every_figure_is_met(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    project = project_with(tmp_path, good=0, bad=1, broken=3)
    assert main(["good"], project=project) == 0
    assert "all figures are met" in capfd.readouterr().out
    assert main([], project=project) == 1
    out = capfd.readouterr().out
    assert out.count("ran") == 3  # one that is missed does not stop the others
    assert out.endswith("\nmissed: bad, broken\n")


def test_an_unknown_name_runs_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["good", "best"], project=project_with(tmp_path, good=0)) == 2
    said = capfd.readouterr()
    assert said.err == "no benchmark best; there are: good\n"
    assert said.out == ""


def test_the_list_names_each_with_its_first_line() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--list"], cwd=PROJECT, check=True, capture_output=True, text=True
    )
    assert [line.split()[0] for line in done.stdout.splitlines()] == list(found())
