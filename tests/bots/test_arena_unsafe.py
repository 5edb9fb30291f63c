"""No isolation: only where both sides are told so with DEBUG, and then nobody can overlook it."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core import checks
from django.test import Client

from bots.arena import MatchReport, Refused, Started
from bots.models import MatchRun
from bots.services.runs import Verdict
from config.devservices.arena import ArenaHome
from tests.accounts.factories import make_user
from tests.bots.arena_driver import FIRST, verify
from tests.bots.arena_worker import ALONE, Site, a_site, worker
from tests.bots.honest_worker import send
from tests.bots.runs_fixtures import queued
from tests.conftest import PROJECT

pytestmark = [pytest.mark.xdist_group("arena_shell")]
#: Sees what no confined bot may: a file of the machine.
READER = "open('/etc/passwd').read()\n" + FIRST


@pytest.fixture
def site(clean_valkey: None) -> Iterator[Site]:
    with a_site() as made:
        yield made


def test_with_debug_an_arena_plays_without_isolation_what_may_be_played_so(
    arena: ArenaHome, site: Site, tmp_path: Path
) -> None:
    """And nothing else: a job that asks for a tier is refused."""
    with worker(arena, tmp_path / "log", children=1, BOTS_SANDBOX="unsafe", DEBUG="1"):
        careful = site.job(READER, FIRST)
        careless = site.job(READER, FIRST, tier_min="unsafe")
        site.ring(careful, careless)
        (refused,) = site.wait_for(Refused, careful.run_id)
        assert (refused.reason, refused.detail) == ("no_tier", "unsafe is less than landlock")
        started, *rest = site.wait_for(MatchReport, careless.run_id)
        assert isinstance(started, Started)
        assert started.tier == "unsafe"
        verify(careless, rest)


@pytest.mark.parametrize("debug", ["0", ""])
def test_without_debug_an_arena_does_not_start_without_isolation(arena: ArenaHome, site: Site, debug: str) -> None:
    environment = arena.environment(os.environ["ARENA_VALKEY_URL"]) | {"BOTS_SANDBOX": "unsafe", "DEBUG": debug}
    done = subprocess.run(
        arena.python("-m", "celery", "-A", "config.arena", "worker", "-Q", "moves", "-l", "ERROR", *ALONE),
        cwd=arena.folder, env=environment, check=False, capture_output=True, text=True, timeout=30,
    )  # fmt: skip
    assert done.returncode == 1
    lines = [line for line in done.stderr.splitlines() if line.startswith("The arena takes no jobs: ")]
    assert lines == ["The arena takes no jobs: BOTS_SANDBOX=unsafe isolates nothing: it needs DEBUG=1 beside it"]


# ---- the site


def settings_of(**variables: str) -> str:
    """What the site takes from its environment."""
    code = "from config.settings import BOTS_SANDBOX, ARENA_TIER_MIN; print(BOTS_SANDBOX, ARENA_TIER_MIN)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=PROJECT, env=os.environ | variables, check=True, capture_output=True, text=True,
    )  # fmt: skip
    return done.stdout.strip()


def test_the_site_takes_such_reports_only_with_debug() -> None:
    assert settings_of() == "auto landlock"
    assert settings_of(BOTS_SANDBOX="unsafe") == "unsafe landlock"
    assert settings_of(DEBUG="1") == "auto landlock"
    assert settings_of(BOTS_SANDBOX="unsafe", DEBUG="1") == "unsafe unsafe"


@pytest.mark.django_db
def test_jobs_of_the_site_ask_for_what_it_takes(settings: Any, clean_valkey: None) -> None:
    _, worker = queued()
    assert worker.job.tier_min == "landlock"
    settings.ARENA_TIER_MIN = "unsafe"
    _, worker = queued()
    assert worker.job.tier_min == "unsafe"
    assert send(replace(worker.started(), tier="unsafe")).verdict is Verdict.ACCEPTED


def check(**variables: str) -> "subprocess.CompletedProcess[str]":
    names = {name: value for name, value in os.environ.items() if name not in {"DJANGO_ALLOW_ASYNC_UNSAFE", "DEBUG"}}
    own = {"DJANGO_SETTINGS_MODULE": "config.settings", "BASE_URL": "https://bella.example", "SECRET_KEY": "a1b2" * 16}
    return subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy"],
        cwd=PROJECT, env=names | own | variables, check=False, capture_output=True, text=True,
    )  # fmt: skip


def test_a_deployment_without_isolation_fails_its_check() -> None:
    assert check().returncode == 0
    done = check(BOTS_SANDBOX="unsafe")
    assert done.returncode == 1
    assert "(bots.E001) Bots run without isolation" in done.stderr


def test_every_command_warns(settings: Any) -> None:
    assert [found for found in checks.run_checks() if str(found.id).startswith("bots.")] == []
    settings.BOTS_SANDBOX = "unsafe"
    (warning,) = [found for found in checks.run_checks() if str(found.id).startswith("bots.")]
    assert (warning.id, warning.level) == ("bots.W001", checks.WARNING)


@pytest.mark.django_db
@pytest.mark.parametrize("told", ["nothing", "by the settings", "by the last run"])
def test_the_administration_says_so_in_red(settings: Any, clean_valkey: None, told: str) -> None:
    queued()
    client = Client()
    client.force_login(make_user(is_staff=True))
    if told == "by the settings":
        settings.BOTS_SANDBOX = "unsafe"
    if told == "by the last run":
        MatchRun.objects.update(tier="unsafe")
    page = client.get("/admin/").content.decode()
    assert ("data-unsafe" in page) is (told != "nothing")
    if told == "by the last run":  # the newest counts
        MatchRun.objects.update(tier="landlock")
        assert "data-unsafe" not in client.get("/admin/").content.decode()
