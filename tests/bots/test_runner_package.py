"""`pip install` of the project without the extra `server`: the command `bella`, and nothing else is needed."""

import json
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--isolated", "--quiet"]
#: What the parts of the project need to be built; a copy, as building writes beside the sources.
SOURCES = (
    "accounts", "bots", "config", "games", "league",
    "pyproject.toml", "README.md", "LICENSE", "NOTICE", "requirements.in",
)  # fmt: skip

pytestmark = pytest.mark.xdist_group("runner-package")


def run(*command: str | Path, cwd: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command, cwd=cwd, env={"PATH": "/usr/bin:/bin"}, check=False, capture_output=True, text=True, timeout=120
    )


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """A folder that the bots' user can enter: an sdist, a wheel made of that, a venv that it is installed in."""
    with tempfile.TemporaryDirectory(prefix="bella-package-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        source = folder / "source"
        source.mkdir()
        for entry in SOURCES:
            path = PROJECT / entry
            if path.is_dir():
                shutil.copytree(path, source / entry, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(path, source / entry)
        build = "import setuptools.build_meta as backend; backend.build_sdist('../dist')"
        built = run(sys.executable, "-W", "ignore", "-c", build, cwd=source)
        assert built.returncode == 0, built.stderr
        (sdist,) = (folder / "dist").glob("*.tar.gz")
        assert run("tar", "-xzf", str(sdist), cwd=folder).returncode == 0
        unpacked = folder / sdist.name.removesuffix(".tar.gz")
        options = ("--no-build-isolation", "--no-deps", "--no-index", "-w", str(folder / "dist"))
        built = run(*PIP, "wheel", *options, str(unpacked), cwd=folder)
        assert built.returncode == 0, built.stderr
        venv.create(folder / "venv", with_pip=False, symlinks=True)
        (wheel,) = (folder / "dist").glob("*.whl")
        python = str(folder / "venv" / "bin" / "python")
        installed = run(*PIP, "--python", python, "install", "--no-deps", "--no-index", str(wheel), cwd=folder)
        assert installed.returncode == 0, installed.stderr
        (folder / "work").mkdir()
        yield folder


@pytest.fixture
def work(place: Path) -> Path:
    return place / "work"


@pytest.fixture
def bella(place: Path) -> Path:
    return place / "venv" / "bin" / "bella"


def test_what_the_command_needs_is_in_the_wheel(place: Path) -> None:
    (wheel,) = (place / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        metadata = next(name for name in names if name.endswith("METADATA"))
        required = [line for line in archive.read(metadata).decode().splitlines() if line.startswith("Requires-Dist")]
        scripts = archive.read(next(name for name in names if name.endswith("entry_points.txt"))).decode()
    for part in ("bots/house", "bots/demo", "bots/sandbox", "bots/arena", "games/engine"):
        files = {path.relative_to(PROJECT).as_posix() for path in (PROJECT / part).rglob("*.py")}
        assert files <= names
    assert "bots/protocol.schema.json" in names
    assert [line for line in required if 'extra == "server"' not in line] == []
    assert len(required) > 10
    assert scripts == "[console_scripts]\nbella = bots.arena.__main__:main\n"


def test_bella_plays_checks_and_makes_a_bot_in_an_empty_environment(bella: Path, work: Path) -> None:
    made = run(bella, "new", "velabot", cwd=work)
    assert (made.returncode, made.stderr) == (0, "")
    tested = run(bella.with_name("python"), "test_velabot.py", cwd=work)
    assert (tested.returncode, tested.stdout.count("passed: ")) == (0, 2)
    played = run(
        bella, "play", "velabot.py", "medio", "--deals", "4", "--json", "--record", "games.bella",
        "--jsonl", "pipes.jsonl", cwd=work,
    )  # fmt: skip
    assert (played.returncode, played.stderr) == (0, "")
    assert [bot["name"] for bot in json.loads(played.stdout)["bots"]] == ["velabot.py", "medio"]
    verified = run(bella, "verify", "games.bella", cwd=work)
    assert (verified.returncode, verified.stdout.splitlines()[-1]) == (0, "verified")
    replayed = run(bella, "replay", "games.bella", "velabot.py", cwd=work)
    assert (replayed.returncode, replayed.stdout.split(";")[0]) == (0, "0 differences in 80 cards")
    asked = run("sh", "-c", f"{bella} ask velabot.py < pipes.jsonl", cwd=work)
    assert (asked.returncode, len(asked.stdout.splitlines())) == (0, 160)
    (work / "broken.py").write_text("def play(view)\n")
    checked = run(bella, "check", "broken.py", cwd=work)
    assert checked.returncode == 1
    assert "FAIL  syntax: bot.py, line 1: SyntaxError: expected ':'" in checked.stdout


def test_a_whole_check_passes_in_an_empty_environment(bella: Path, work: Path) -> None:
    checked = run(bella, "check", "first_legal", cwd=work)
    assert checked.returncode == 0
    assert "ok    verdict: The version is qualified." in checked.stdout.splitlines()


def test_no_django_is_imported_and_none_is_there(bella: Path, work: Path) -> None:
    code = (
        "import importlib.util, sys\n"
        "from bots.arena.runner import commands\n"
        "commands.main(['play', 'greedy', 'random', '--deals', '2', '--json'])\n"
        "tops = {name.partition('.')[0] for name in sys.modules}\n"
        "print(sorted(tops - set(sys.stdlib_module_names) - {'__main__', 'bots', 'games'}), file=sys.stderr)\n"
        "print([name for name in ('django', 'celery', 'redis') if importlib.util.find_spec(name)], file=sys.stderr)\n"
    )
    done = run(bella.with_name("python"), "-c", code, cwd=work)
    assert (done.returncode, done.stderr.splitlines()) == (0, ["[]", "[]"])


def test_the_version_is_that_of_the_package(bella: Path, place: Path, work: Path) -> None:
    (wheel,) = (place / "dist").glob("*.whl")
    assert run(bella, "--version", cwd=work).stdout == f"bella {wheel.name.split('-')[1]}\n"
