"""Matches a second of the whole site: a round robin of 20 greedy bots, from its start to the last rating.

    python -m benchmarks.end_to_end [--bots 20] [--rounds 3]

190 best-of-three matches, one a pairing, unmirrored, through Celery, PostgreSQL, reports and ratings, with two arena
children; beside it the same matches by the conductor alone in two pinned processes (no broker, no database), in the
same run. Prints both, and where the CPU time went. Exit code 1 when the ratio is below what it must be.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import django

from benchmarks.bots_matches import jobs, measure
from config.devservices.arena import arena_home
from tests.reliability.site import ROLES, Site, running_site, wait

MUST, GOAL = 0.4, 0.5
RATED = "SELECT count(*) FROM league_ratedmatch WHERE state = 'rated'"
TICKS = os.sysconf("SC_CLK_TCK")
PROJECT = Path(__file__).resolve().parent.parent


def prepare(sizes: Sequence[int]) -> list[int]:
    """Make round robins of greedy bots, one match a pairing, ready to start; runs in a process of the site."""
    from bots import house
    from league.services.tournaments import RoundRobinSettings
    from tests.factories import make_version
    from tests.league import playing

    source = house.source("greedy")
    settings = RoundRobinSettings(encounter=1, mirrored=False)
    made = []
    for place, size in enumerate(sizes):
        versions = [make_version(content=source + b"# number %d of %d\n" % (number, place)) for number in range(size)]
        made.append(playing.make_tournament(versions=versions, settings=settings)[0].pk)
    return made


def start(tournament_id: int) -> float:
    """Start a tournament; the moment of the call, s since the epoch. Runs in a process of the site."""
    from league.models import Tournament
    from league.services import tournaments

    tournament = Tournament.objects.get(pk=tournament_id)
    began = time.time()
    tournaments.start(tournament=tournament, actor=tournament.created_by)
    return began


def in_site(site: Site, *arguments: str) -> Any:
    """The answer of this module's `prepare` or `start`, called in a process of the site."""
    command = [sys.executable, "-m", "benchmarks.end_to_end", *arguments]
    done = subprocess.run(command, cwd=PROJECT, env=site.environment, check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def whole_site(site: Site, tournament_id: int, matches: int) -> tuple[float, dict[str, float]]:
    """Matches a second of one tournament, and the CPU seconds of each role and server in it."""
    before = cpu(site)
    rated = site.count(RATED)
    began = in_site(site, "--start", str(tournament_id))
    wait(site, RATED, at_least=rated + matches, limit=300)
    seconds = time.time() - began
    wait(site, f"SELECT count(*) FROM league_tournament WHERE state = 'finished' AND id = {tournament_id}")
    after = cpu(site)
    return matches / seconds, {name: after[name] - before[name] for name in after}


def cpu(site: Site) -> dict[str, float]:
    """CPU seconds so far of each role with its children, ended ones included; PostgreSQL and Valkey likewise."""
    roots = {role: site.processes[role].pid for role in ROLES}
    roots["postgres"], roots["valkey"] = server_pid(site, "postgres"), server_pid(site, "valkey")
    times: dict[int, float] = {}
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it ended meanwhile
        parents[int(entry.name)] = int(fields[1])
        times[int(entry.name)] = sum(map(int, fields[11:15])) / TICKS
    totals = dict.fromkeys(roots, 0.0)
    for pid, spent in times.items():
        at = pid
        while at > 1 and at not in roots.values():
            at = parents.get(at, 0)
        for name, root in roots.items():
            if at == root:
                totals[name] += spent
    return totals


def server_pid(site: Site, name: str) -> int:
    """The main process of one of the site's servers."""
    return int(getattr(site.services, name).process.pid)


def main() -> int:
    """Measure and print; 1 when the ratio is too small."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--bots", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--prepare", type=int, nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--start", type=int, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.prepare or chosen.start:
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        django.setup()
        print(json.dumps(prepare(chosen.prepare) if chosen.prepare else start(chosen.start)))
        return 0
    work = jobs(chosen.bots * (chosen.bots - 1) // 2)
    alone: list[float] = []
    site_speeds: list[float] = []
    spent: list[dict[str, float]] = []
    with tempfile.TemporaryDirectory() as folder, running_site(Path(folder), arena_home()) as site:
        sizes = [4, *[chosen.bots] * chosen.rounds]
        first, *others = in_site(site, "--prepare", *map(str, sizes))
        whole_site(site, first, 6)  # every process has then loaded what it needs
        for tournament_id in others:
            alone.append(measure(work, 2)[0])
            speed, shares = whole_site(site, tournament_id, len(work))
            site_speeds.append(speed)
            spent.append(shares)
    ratio = statistics.median(site_speeds) / statistics.median(alone)
    print(f"conductor alone, 2 processes {statistics.median(alone):8.1f} matches/s")
    print(f"whole site, 2 arena children {statistics.median(site_speeds):8.1f} matches/s")
    print(f"ratio                        {ratio:8.2f}   must be >= {MUST}, goal {GOAL}")
    print("CPU ms a match: " + ", ".join(
        f"{name} {1000 * statistics.median(one[name] for one in spent) / len(work):.1f}" for name in spent[0]
    ))  # fmt: skip
    return 0 if ratio >= MUST else 1


if __name__ == "__main__":
    sys.exit(main())
