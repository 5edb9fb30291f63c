"""kill -9 in the middle of running matches, each followed by a restart: everything ends by itself, and once.

Other kinds of work (a tournament) run through the same cases: add a `Work` to WORKS.
"""

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

from config.devservices.arena import ArenaHome
from tests.conftest import PROJECT
from tests.reliability.site import ROLES, Site, poll, running_site, wait

pytestmark = pytest.mark.slow

FINISHED = "SELECT count(*) FROM games_match WHERE state = 'finished'"
DEALS = "SELECT count(*) FROM games_deal"
IN_PLAY = "SELECT count(*) FROM bots_matchrun WHERE state = 'playing'"


def _nothing_more(_site: Site) -> list[str]:
    return []


@dataclass(frozen=True)
class Work:
    """What is being done when something is killed.

    `start` and `check` are `module:function`, called in a process of the site; `check` answers as
    `tests.reliability.work.inspect` does. `more` looks at what else must hold and answers with what does not.
    """

    start: str
    arguments: dict[str, Any]
    matches: int
    check: str = "tests.reliability.work:inspect"
    more: Callable[[Site], list[str]] = _nothing_more


FINISHED_TOURNAMENTS = "SELECT count(*) FROM league_tournament WHERE state = 'finished'"
CLOSED_PERIODS = "SELECT count(*) FROM league_ratingperiod WHERE state = 'closed'"
ROUNDS = "SELECT count(*) FROM league_round"


def tournament_is_sound(site: Site) -> list[str]:
    """Wait until the tournament has ended and every round is rated; then what does not hold."""
    wait(site, FINISHED_TOURNAMENTS, limit=120)
    wait(site, CLOSED_PERIODS, at_least=site.count(ROUNDS))
    found: list[str] = site.call("tests.reliability.tournament:problems")
    check = [sys.executable, "manage.py", "ratings", "rebuild", "--check"]
    done = subprocess.run(check, cwd=PROJECT, env=site.environment, capture_output=True, text=True, check=False)
    if done.returncode or "identical" not in done.stdout:
        found.append(done.stdout + done.stderr)
    return found


MATCHES = 16
BOTS, ENCOUNTER = 4, 2
WORKS = {
    "matches": Work("tests.reliability.work:start_matches", {"count": MATCHES}, MATCHES),
    "tournament": Work(
        "tests.reliability.tournament:start_tournament",
        {"bots": BOTS, "encounter": ENCOUNTER},
        BOTS * (BOTS - 1) // 2 * ENCOUNTER,
        more=tournament_is_sound,
    ),
}


def kill_arena_child(site: Site) -> None:
    os.kill(poll(site.playing_child, every=0.005), signal.SIGKILL)


def kill_and_restart(role: str) -> Callable[[Site], None]:
    def case(site: Site) -> None:
        site.kill(role)
        site.start(role)

    return case


def kill_arena_machine(site: Site) -> None:
    """Parent, children, zygotes and bots at once, as when the power fails."""
    os.killpg(site.processes["arena"].pid, signal.SIGKILL)
    site.processes["arena"].wait()
    site.start("arena")


def kill_broker(site: Site) -> None:
    site.services.valkey.kill()
    site.services.valkey.start()


def kill_database(site: Site) -> None:
    site.services.postgres.kill()
    site.services.postgres.start()


CASES = {
    "arena child": kill_arena_child,
    "arena parent": kill_and_restart("arena"),
    "arena machine": kill_arena_machine,
    "worker": kill_and_restart("worker"),
    "registrar": kill_and_restart("registrar"),
    "broker": kill_broker,
    "database": kill_database,
}
#: What cannot be killed without breaking off a match: else the case would prove nothing.
DEADLY = {"arena child", "arena machine"}


@pytest.fixture
def site(tmp_path: Path, arena: ArenaHome):
    with running_site(tmp_path, arena) as running:
        yield running


#: Each victim in a tournament, which is matches and all that follows from them; matches alone where one is broken off.
RUNS = [*((victim, "tournament") for victim in CASES), *((victim, "matches") for victim in sorted(DEADLY))]


@pytest.mark.parametrize(("victim", "kind"), RUNS)
def test_work_ends_once_whatever_is_killed(site: Site, victim: str, kind: str):
    work = WORKS[kind]
    site.call(work.start, **work.arguments)
    wait(site, DEALS, at_least=4)
    wait(site, IN_PLAY)
    assert site.count(FINISHED) < work.matches

    CASES[victim](site)

    wait(site, FINISHED, at_least=work.matches)
    found = site.call(work.check)
    assert found["problems"] == {}
    assert found["states"] == ["finished"]
    assert found["orders"] == found["matches"] == work.matches
    discarded = discarded_deals(site)
    for code, states in found["runs"].items():
        assert states.count("done") == 1, (code, states)
        assert states[-1] == "done"
        assert states.count("lost") + states.count("refused") <= 1, (code, states)
        assert discarded[code] <= 1, (code, discarded)
    lost = sum(states.count("lost") for states in found["runs"].values())
    assert lost >= (1 if victim in DEADLY else 0)
    assert seeds_in_logs(site) == []
    assert work.more(site) == []
    assert [role for role in ROLES if site.processes[role].poll() is not None] == []


def seeds_in_logs(site: Site) -> list[str]:
    """Roles whose logs hold the seed of a match, or a deck of it."""
    with psycopg.connect(site.services.database_url) as db:
        rows = db.execute("SELECT encode(seed, 'hex'), deck FROM games_match m JOIN games_deal d ON d.match_id = m.id")
        hidden = {text for row in rows for text in row}
    assert hidden
    logs = {role: (site.folder / f"{role}.log").read_text(errors="replace") for role in ROLES}
    return [role for role, text in logs.items() if any(secret in text for secret in hidden)]


def discarded_deals(site: Site) -> Counter[str]:
    """By match: deals that were reported and not stored, so that they were played twice."""
    lines = [line for line in site.lines("registrar") if line.get("event", "").startswith("run.")]
    return Counter(line["match"] for line in lines if line.get("report") == "deal")
