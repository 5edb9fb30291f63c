"""The rules of the house that a reader would not see broken: layers, pure packages, the tree."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import PROJECT

BIN = Path(sys.executable).parent
APPS = ("accounts", "games", "bots", "league")
TOP_LEVEL = {
    "manage.py", "pyproject.toml", "Makefile", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "NOTICE",
    "docker-compose.yml", "Dockerfile", ".dockerignore", ".gitignore", ".ci",
    *(f"requirements{kind}.{end}" for kind in ("", "-dev", "-arena") for end in ("in", "lock")),
    "config", *APPS, "templates", "static", "locale", "tests", "benchmarks", "docs", "deploy",
}  # fmt: skip
#: Made on a machine and never part of the project.
LEFT_BEHIND = {
    ".git",
    ".venv",
    ".dev",
    ".env",
    ".hypothesis",
    "staticfiles",
    "media",
    "build",
    "dist",
    "test-results",
    "bella.egg-info",
}
PURE = ("games/engine", "bots/protocol.py", "league/pairing", "league/scoring", "league/rating")
#: Modules by which code reaches out of itself, or which give another answer each time.
OUTSIDE = {
    "os", "io", "socket", "subprocess", "pathlib", "shutil", "tempfile", "threading", "multiprocessing", "asyncio",
    "select", "sqlite3", "urllib", "http", "ftplib", "smtplib", "signal", "time", "random", "secrets", "uuid",
    "logging", "ctypes",
}  # fmt: skip
#: The command line of the engine: what it reads, what it prints.
#: `python -m bots.protocol` prints the schema.
MAY_REACH_OUT = {
    "games/engine/__main__.py", "games/engine/cli.py", "games/engine/cli_files.py", "bots/protocol.py",
}  # fmt: skip
#: Longer than 400 lines, with the reason.
LONG = {
    "tests/golden": "data",
    "tests/hostile": "data",
    "games/engine/deal.py": "one state machine: its verbs share its slots",
}
#: A file of tests is a list.
LONGEST = {"tests": 600}


def sources(*folders: str) -> Iterator[Path]:
    for folder in folders:
        path = PROJECT / folder
        yield from [path] if path.is_file() else sorted(path.rglob("*.py"))


def name(path: Path) -> str:
    return path.relative_to(PROJECT).as_posix()


def imports(path: Path) -> set[str]:
    """The modules that a file names, wherever the import stands."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def test_the_layers_hold() -> None:
    done = subprocess.run(
        [BIN / "lint-imports", "--no-cache"], cwd=PROJECT, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_tree_is_the_one_of_the_plan() -> None:
    found = {path.name for path in PROJECT.iterdir() if not path.name.endswith("_cache") and path.name != "__pycache__"}
    assert found - LEFT_BEHIND <= TOP_LEVEL


@pytest.mark.parametrize("package", ["config", "games", "bots"])
def test_packages_that_the_arena_shares_have_nothing_in_their_init(package: str) -> None:
    """Else the arena, which has a copy of a few modules only, would need the rest."""
    assert (PROJECT / package / "__init__.py").read_text() == ""


def test_the_pure_packages_reach_for_nothing_outside() -> None:
    reached = {
        f"{name(path)}: {module}"
        for path in sources(*PURE)
        if name(path) not in MAY_REACH_OUT
        for module in imports(path)
        if module.split(".")[0] in OUTSIDE
    }
    assert reached == set()


def test_the_pure_packages_open_no_file_and_read_no_clock() -> None:
    found = set()
    for path in sources(*PURE):
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Call(func=ast.Name(id="open" | "input" | "print" | "exec" | "eval")):
                    found.add(f"{name(path)}:{node.lineno}")
                case ast.Attribute(value=ast.Name(id="datetime" | "date"), attr="now" | "utcnow" | "today"):
                    found.add(f"{name(path)}:{node.lineno}")
    assert {entry for entry in found if entry.split(":")[0] not in MAY_REACH_OUT} == set()


def test_the_arena_s_shell_names_only_what_its_copy_holds() -> None:
    named = {module for path in sources("config/arena") for module in imports(path)}
    ours = {module for module in named if module.split(".")[0] in {"config", *APPS}}
    allowed = (
        "bots.arena", "bots.protocol", "bots.sandbox", "games.engine",
        "config.arena", "config.celery_options", "config.env",
    )  # fmt: skip
    assert {module for module in ours if not module.startswith(allowed)} == set()
    others = {module.split(".")[0] for module in named} - {"config", *APPS}
    assert others - sys.stdlib_module_names == {"billiard", "celery", "kombu", "redis"}


def test_http_is_banned_below_the_views() -> None:
    def complaints(where: str, text: str) -> bool:
        done = subprocess.run(
            [BIN / "ruff", "check", "--select", "TID251", "--stdin-filename", where, "-"],
            cwd=PROJECT, input=text, check=False, capture_output=True, text=True,
        )  # fmt: skip
        return done.returncode != 0

    for text in ("from django.http import HttpRequest\n", "from rest_framework import serializers\n"):
        for app in APPS:
            for below in ("services/x.py", "selectors/x.py", "models/x.py", "tasks.py"):
                assert complaints(f"{app}/{below}", text), (app, below)
            for above in ("views/x.py", "api/x.py"):
                assert not complaints(f"{app}/{above}", text), (app, above)


def test_no_signals_of_models_and_no_task_far_in_the_future() -> None:
    """What follows a write is said where it is written; deadlines are rows, never messages."""
    forbidden = ("post_save", "pre_save", "post_delete", "m2m_changed", "eta=")
    found = {
        f"{name(path)}: {word}"
        for path in sources(*APPS, "config")
        if "migrations" not in path.parts
        for word in forbidden
        if word in path.read_text().replace("beta=", "").replace("theta=", "").replace("zeta=", "")
    }
    assert found == set()


def test_no_file_is_longer_than_it_may_be() -> None:
    long = {
        name(path)
        for folder in (*APPS, "config", "tests", "benchmarks")
        for path in sources(folder)
        if "migrations" not in path.parts and len(path.read_text().splitlines()) > LONGEST.get(folder, 400)
    }
    assert {entry for entry in long if not entry.startswith(tuple(LONG))} == set()


def test_the_locks_hold_digests_and_no_address() -> None:
    for kind in ("", "-dev", "-arena"):
        text = (PROJECT / f"requirements{kind}.lock").read_text()
        pins = [line for line in text.splitlines() if "==" in line and not line.lstrip().startswith("#")]
        assert pins
        assert all(line.endswith("\\") for line in pins)
        assert text.count("--hash=sha256:") >= len(pins)
        assert "://" not in text


def pinned(kind: str) -> dict[str, str]:
    lines = (PROJECT / f"requirements{kind}.lock").read_text().splitlines()
    pins = [line.split()[0] for line in lines if "==" in line and not line.lstrip().startswith("#")]
    return {pin.split("==")[0]: pin for pin in pins}


def test_the_arena_and_the_tests_run_with_the_site_s_versions() -> None:
    site, arena, dev = pinned(""), pinned("-arena"), pinned("-dev")
    assert site.items() <= dev.items()
    assert {package: site.get(package) for package in arena} == arena
    assert {"django", "psycopg", "psycopg-binary"}.isdisjoint(arena)


def test_the_command_line_needs_the_standard_library_alone() -> None:
    """`pip install bella` brings engine, sandbox and local runner; the site is the extra `server`."""
    lines = (PROJECT / "pyproject.toml").read_text().splitlines()
    assert "dependencies = []" in lines
    for path in sources("bots/arena", "bots/sandbox", "bots/protocol.py", "games/engine"):
        outside = {module.split(".")[0] for module in imports(path)} - sys.stdlib_module_names - {"bots", "games"}
        assert outside == set(), name(path)
