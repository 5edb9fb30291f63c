"""The whole site for one test: services and roles of its own, each of which can be killed and started again."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from config.devservices import Services, services
from config.devservices.arena import ArenaHome
from tests.conftest import PROJECT, poll

#: Short, so that a lost worker is noticed within seconds.
LEASE_S, SWEEP_S, CHILDREN = 3, 1, 2
ROLES = ("worker", "registrar", "beat", "arena")
ALONE = ("--without-gossip", "--without-mingle", "--without-heartbeat")


@dataclass
class Site:
    """Running services and roles. `processes` holds the present process of each role."""

    services: Services
    folder: Path
    arena: ArenaHome
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        """What the roles of the site get."""
        return os.environ | self.services.environment() | {
            "ARENA_LEASE_S": str(LEASE_S),
            "ARENA_SWEEP_S": str(SWEEP_S),
            "ARENA_CHILDREN": str(CHILDREN),
            "MEDIA_ROOT": str(self.folder / "media"),
            "LOG_LEVEL": "INFO",
            "PYTHONUNBUFFERED": "1",
            "PYTHONWARNINGS": "ignore:You're running the worker with superuser privileges",
        }  # fmt: skip

    # ---- roles

    def start(self, *roles: str) -> None:
        """Start roles; their output is added to `<role>.log`."""
        for role in roles:
            command, environment, folder = self._command(role)
            with (self.folder / f"{role}.log").open("ab") as log:
                self.processes[role] = subprocess.Popen(
                    command, env=environment, cwd=folder, stdout=log, stderr=log, start_new_session=True
                )

    def _command(self, role: str) -> tuple[list[str], dict[str, str], Path]:
        if role == "arena":
            celery = ["-m", "celery", "-A", "config.arena", "worker", "-Q", "arena", "-c", str(CHILDREN), *ALONE]
            own = self.arena.environment(self.services.arena_valkey_url)
            return self.arena.python(*celery, "-l", "INFO"), own, self.arena.folder
        if role == "registrar":
            arguments = ["manage.py", "receive_reports"]
        elif role == "worker":
            arguments = ["-m", "celery", "-A", "config", "worker", "-c", "1", "-l", "INFO"]
        else:
            arguments = ["-m", "celery", "-A", "config", "beat", "--pidfile=", "--schedule=", "-l", "INFO"]
        return [sys.executable, *arguments], self.environment, PROJECT

    def kill(self, role: str) -> None:
        """kill -9 of the role's main process, and of nothing else."""
        self.processes[role].kill()
        self.processes[role].wait()

    def playing_child(self) -> int | None:
        """A child of the arena's pool that plays at this moment: it has a zygote, and that has bots."""
        for child in children(self.processes["arena"].pid):
            if any(children(zygote) for zygote in children(child)):
                return child
        return None

    def stop(self) -> None:
        """End every role, and whatever is left of its session."""
        for running in self.processes.values():
            running.terminate()
        for running in self.processes.values():
            with suppress(subprocess.TimeoutExpired):
                running.wait(10)
            with suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)
            running.wait()

    # ---- looking

    def call(self, target: str, **arguments: Any) -> Any:
        """The answer of a function of the tests, called in a process of the site."""
        command = [sys.executable, "-m", "tests.reliability.call", target, json.dumps(arguments)]
        done = subprocess.run(command, cwd=PROJECT, env=self.environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def count(self, query: str) -> int:
        """The first number of a query's answer; 0 while the database is away."""
        with suppress(psycopg.OperationalError), psycopg.connect(self.services.database_url, autocommit=True) as db:
            row = db.execute(query).fetchone()
            assert row is not None
            return int(row[0])
        return 0

    def lines(self, role: str) -> Iterator[dict[str, Any]]:
        """The role's log lines that are JSON objects."""
        for line in (self.folder / f"{role}.log").read_text(errors="replace").splitlines():
            with suppress(ValueError):
                value = json.loads(line)
                if isinstance(value, dict):
                    yield value

    def logs(self) -> str:
        """The ends of all logs, for the message of a failed test."""
        tails = [(role, (self.folder / f"{role}.log").read_text(errors="replace")[-3000:]) for role in self.processes]
        return "\n".join(f"==== {role}\n{tail}" for role, tail in tails)


def children(pid: int) -> list[int]:
    """The processes that a process started, by any of its threads."""
    found: list[int] = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    return found


@contextmanager
def running_site(folder: Path, arena: ArenaHome) -> Iterator[Site]:
    """Services of their own, an empty database with its tables, and every role; all ends with the block."""
    with ExitStack() as stack:
        site = Site(stack.enter_context(services("reliability")), folder, arena)
        (folder / "media").mkdir()
        stack.callback(site.stop)
        migrate = [sys.executable, "manage.py", "migrate", "-v", "0", "--skip-checks"]
        site.start("arena")  # it needs no tables
        subprocess.run(migrate, cwd=PROJECT, env=site.environment, check=True)
        site.start("worker", "registrar", "beat")
        yield site


def wait(site: Site, query: str, *, at_least: int = 1, limit: float = 60) -> None:
    """Until the query's number is reached; with the logs when it is not."""
    end = time.monotonic() + limit
    while site.count(query) < at_least:
        assert time.monotonic() < end, f"{query}: {site.count(query)} after {limit} s\n{site.logs()}"
        for role, running in site.processes.items():
            assert running.poll() is None, f"{role} ended with {running.returncode}\n{site.logs()}"
        time.sleep(0.1)


__all__ = ["CHILDREN", "LEASE_S", "ROLES", "Site", "poll", "running_site", "wait"]
