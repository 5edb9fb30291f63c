"""Bots of the arena's own user: as it is where nobody is root. They own their files and could signal the arena.

When root runs the tests, the other tests give bots a user of their own; here the arena is user 64100 and so are they.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bots.sandbox.interpreter import find
from bots.sandbox.zygote.layers import CAPABILITIES, LANDLOCK, RLIMITS, SECCOMP
from config.devservices.arena import ARENA_UID
from tests.bots.sandbox_driver import HOSTILE, TIERS, open_folder
from tests.conftest import PROJECT

EXPECTED = json.loads((HOSTILE / "expected.json").read_text())
#: All that try something and play on. (`net_tcp_loopback` and the like have a listener of their own elsewhere.)
PROBES = sorted(
    name
    for name, case in EXPECTED.items()
    if case["outcome"] == ["ok"] and case["kind"] in {"files", "processes", "kernel", "memory"} and "tiers" not in case
)
OF_AN_OWNER = [
    "file_chmod",
    "file_chown",
    "file_rename",
    "file_unlink",
    "file_truncate",
    "file_touch",
    "file_hard_link",
]


@pytest.fixture(scope="module")
def checkout() -> Iterator[Path]:
    """What the arena's user needs, where it can read it."""
    with open_folder() as base:
        for name in ("bots/sandbox", "games/engine", "tests/hostile"):
            shutil.copytree(PROJECT / name, base / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("bots/protocol.py", "tests/bots/sandbox_driver.py", "tests/bots/same_user.py"):
            (base / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(PROJECT / name, base / name)
        for name in ("bots", "games", "tests", "tests/bots"):
            (base / name / "__init__.py").touch()
        yield base


def ended(checkout: Path, tier: str, layers: tuple[str, ...], names: list[str]) -> dict[str, list[str]]:
    """How each case ended: outcome, and ESCAPED or contained."""
    is_root = os.geteuid() == 0
    done = subprocess.run(
        [find(ARENA_UID) if is_root else sys.executable, "-B", "-m", "tests.bots.same_user", tier,
         ",".join(layers) or "-", *names],
        cwd=checkout, env={"PATH": os.defpath}, check=False, capture_output=True, text=True, timeout=300,
        **({"user": ARENA_UID, "group": ARENA_UID, "extra_groups": []} if is_root else {}),
    )  # fmt: skip  # type: ignore[call-overload]
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("tier", TIERS)
def test_bots_of_the_arenas_own_user_are_contained(checkout: Path, tier: str) -> None:
    found = ended(checkout, tier, (), PROBES)
    assert found == {name: ["ok", "contained"] for name in PROBES}
    assert len(PROBES) > 50


def test_without_the_filter_of_calls_an_owner_changes_his_files(checkout: Path) -> None:
    """Landlock knows no chmod, chown and utime: the filter alone keeps an owner from them."""
    found = ended(checkout, "unsafe", (LANDLOCK, RLIMITS, CAPABILITIES), OF_AN_OWNER)
    escaped = {name for name, (_, said) in found.items() if said == "ESCAPED"}
    assert escaped >= {"file_chmod", "file_chown", "file_touch"}
    assert escaped.isdisjoint({"file_rename", "file_unlink"})


def test_without_the_filter_and_landlock_an_owner_does_what_he_likes(checkout: Path) -> None:
    found = ended(checkout, "unsafe", (RLIMITS, CAPABILITIES), OF_AN_OWNER)
    assert {name: said for name, (_, said) in found.items()} == dict.fromkeys(OF_AN_OWNER, "ESCAPED")


def test_without_landlock_the_filter_alone_keeps_an_owner_from_his_files(checkout: Path) -> None:
    found = ended(checkout, "unsafe", (RLIMITS, CAPABILITIES, SECCOMP), OF_AN_OWNER)
    assert {name: said for name, (_, said) in found.items()} == dict.fromkeys(OF_AN_OWNER, "contained")


def test_bare_code_of_the_arenas_own_user_gets_away_with_most_of_it(checkout: Path) -> None:
    """What the suite is worth: more than 40 of the cases escape where nothing holds them."""
    leaves_a_trace = {"proc_ptrace", "file_write", "kern_message_queue"}
    harmless = [name for name in PROBES if name not in leaves_a_trace]
    found = ended(checkout, "unsafe", (), harmless)
    escaped = {name for name, (_, said) in found.items() if said == "ESCAPED"}
    assert len(escaped) > 40, escaped
