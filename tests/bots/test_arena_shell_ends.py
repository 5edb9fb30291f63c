"""How the arena's processes end: killed, told to end, refused at the start. Each test has a worker of its own."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from bots.arena import Started, names
from config.devservices.arena import ArenaHome
from tests.bots.arena_driver import FIRST, deals, verify
from tests.bots.arena_worker import ALONE, SLOW, Site, a_site, children_of, descendants, is_alive, worker
from tests.conftest import poll

pytestmark = [pytest.mark.xdist_group("arena_shell")]


@pytest.fixture
def site(clean_valkey: None) -> Iterator[Site]:
    with a_site() as made:
        yield made


def test_a_killed_child_leaves_no_bot_and_its_block_goes_on_without_the_match_that_it_played(
    arena: ArenaHome, site: Site, tmp_path: Path
) -> None:
    with worker(arena, tmp_path / "log", children=1) as running:
        slow, quick = site.job(SLOW, SLOW, lease_s=60), site.job(FIRST, FIRST)
        site.ring(slow, quick)
        (started,) = site.wait_for(Started, slow.run_id)
        (child,) = children_of(running.pid)
        bots: list[int] = []  # in the end the zygote and two bots
        poll(lambda: bots.extend(set(descendants(child)).difference(bots)) or len(bots) >= 3)
        os.kill(child, signal.SIGKILL)
        poll(lambda: not any(is_alive(pid) for pid in bots), limit=3)
        site.wait_until_done(quick.run_id)
        verify(quick, site.reports(quick.run_id))
        assert site.reports(slow.run_id) == [started]
        # nobody renews the lease of the dead: it keeps the second delivery away, and its end is what the sweep sees
        assert site.lease(slow.run_id) == started.nonce.encode()
        assert 0 < site.valkey.pttl(names.run_key(slow.run_id)) < 60_000


@pytest.mark.parametrize("how", ["the parent is told", "all processes are told", "the parent is killed"])
def test_a_worker_that_ends_finishes_the_deal_and_gives_the_rest_back(
    arena: ArenaHome, site: Site, tmp_path: Path, how: str
) -> None:
    quick_deal = SLOW.replace("0.1", "0.02")
    with worker(arena, tmp_path / "log", children=1) as running:
        first, second = site.job(quick_deal, quick_deal, rules="n=2 format=deals:9"), site.job(FIRST, FIRST)
        site.ring(first, second)
        site.wait_for(Started, first.run_id)
        everyone: list[int] = []
        # the parent, its child, the zygote and both bots: the first deal is being played
        poll(
            lambda: everyone.extend({running.pid, *descendants(running.pid)}.difference(everyone)) or len(everyone) >= 5
        )
        match how:
            case "the parent is told":
                running.send_signal(signal.SIGTERM)
            case "all processes are told":  # as a process manager does
                os.killpg(running.pid, signal.SIGTERM)
            case _:
                running.kill()
        assert running.wait(30) == (-signal.SIGKILL if "killed" in how else 0)
        poll(lambda: not any(is_alive(pid) for pid in everyone))
    reports = site.reports(first.run_id)
    finished = len(deals(reports))
    assert 1 <= finished < 9
    assert [report.type for report in reports] == ["started", *["deal"] * finished, "returned"]
    assert (reports[-1].next_deal, reports[-1].reason) == (finished + 1, "drain")
    (rest,) = site.reports(second.run_id)
    assert (rest.type, rest.next_deal, rest.reason) == ("returned", 1, "drain")
    assert {site.lease(job.run_id) for job in (first, second)} == {b"done"}


def test_without_a_sandbox_a_worker_takes_no_job_and_says_so_in_one_line(arena: ArenaHome, site: Site) -> None:
    for tier, words in (("unsafe", "needs DEBUG=1"), ("none", "must be auto, namespaces or landlock")):
        environment = arena.environment(os.environ["ARENA_VALKEY_URL"]) | {"BOTS_SANDBOX": tier}
        done = subprocess.run(
            arena.python("-m", "celery", "-A", "config.arena", "worker", "-Q", "arena", "-l", "ERROR", *ALONE),
            cwd=arena.folder,
            env=environment,
            check=False,
            capture_output=True,
            text=True,
            timeout=30,
        )
        assert done.returncode == 1
        (line,) = [line for line in done.stderr.splitlines() if line.startswith("The arena takes no jobs: ")]
        assert words in line
