"""A tournament played by the real roles while somebody watches: the page follows by itself to the last Elo."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import expect

from config.devservices.arena import ArenaHome
from games.engine import verify_match
from games.selectors import records
from league.models import RatingPool
from league.services import tournaments
from league.services.ratings import rebuild
from tests.bots.arena_worker import worker
from tests.conftest import process
from tests.e2e.conftest import PHONE
from tests.factories import make_demo_versions
from tests.league.playing import make_league
from tests.site.world import SHORT, make_people, make_tournament, matches_of

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.xdist_group("arena_shell"),
    pytest.mark.slow,
]
ALONE = ("--without-gossip", "--without-mingle", "--without-heartbeat")


@pytest.fixture
def roles(clean_valkey: None, arena: ArenaHome, environment: dict[str, str], tmp_path: Path) -> Iterator[None]:
    """Worker, beat, registrar and arena on the data of this test."""
    own = environment | {
        "ARENA_SWEEP_S": "1",
        "PYTHONWARNINGS": "ignore:You're running the worker with superuser privileges",
    }
    celery = [sys.executable, "-m", "celery", "-A", "config"]
    commands = {
        "registrar": [sys.executable, "manage.py", "receive_reports"],
        "worker": [*celery, "worker", "-c", "1", *ALONE],
        "beat": [*celery, "beat", "--pidfile=", "--schedule="],
    }
    with ExitStack() as stack:
        (tmp_path / "arena.log").touch()
        stack.enter_context(worker(arena, tmp_path / "arena.log"))
        for role, command in commands.items():
            stack.enter_context(process(*command, env=own, log=tmp_path / f"{role}.log"))
        yield


def test_a_spectator_follows_a_tournament_to_its_end(roles: None, come) -> None:
    organiser = make_people()["organiser"]
    assert organiser is not None
    versions = make_demo_versions("greedy_15", "medio_ending", "first_legal")
    tournament = make_tournament(make_league(organiser), organiser, "Coppa", versions, until="ready", settings=SHORT)
    visitor = come("it", PHONE)
    page = visitor.page
    visitor.open(f"/tournaments/{tournament.code}/")
    visitor.sees("Ready to start")
    tournaments.start(tournament=tournament, actor=organiser)
    expect(page.locator("main")).to_contain_text(visitor.say("The standings are final and both seeds are public."),
                                                 timeout=120_000)  # fmt: skip
    expect(page.locator("main table tbody tr")).to_have_count(3)

    match = matches_of(tournament)[0]
    assert verify_match(records.bundle(match, None)) == []
    visitor.open(f"/matches/{match.code}/")
    expect(page.locator(".receipt")).to_have_count(2, timeout=60_000)  # counted when its period is closed
    visitor.follow("Watch the replay")
    expect(page.locator(".replay.is-live")).to_be_visible()
    visitor.fits()
    assert rebuild.check(pool=RatingPool.objects.get()).is_identical
