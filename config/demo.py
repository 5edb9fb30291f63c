"""The whole site on this machine:  python -m config.demo  (inside config.devservices: `make demo`).

honcho starts the roles, puts each one's name before its lines, and ends them all when one ends.  A role is given its
own secrets by name; nothing else of the shell's environment reaches it.
"""

import contextlib
import os
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from honcho.compat import ProcessManager
from honcho.manager import Manager
from honcho.process import Popen

from config import env
from config.devservices.arena import ArenaHome, arena_home
from config.devservices.places import PROJECT, ServiceError
from config.parents import die_with_parent, end_with_parent

#: What every role may know.
PLAIN = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "TERM") if name in os.environ}
#: Celery's warnings about root, whose worker runs no foreign code here, and about a group without a name.
KNOWN = "ignore:You're running the worker with superuser privileges,ignore:An entry for the specified gid"
QUIET = {"PYTHONUNBUFFERED": "1", "PYTHONWARNINGS": KNOWN}


class Leaders(ProcessManager):
    """How the roles are ended: each by its first process, which ends its own children in order.

    A signal to the whole group, as honcho sends it, would kill the children of a Celery worker under its hands.
    """

    def terminate(self, pid: int) -> None:
        """Ask the role to end."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)


class Bound(Popen):
    """How honcho's own process of a role starts it: `kill -9` of this command ends the role and that process too."""

    def __init__(self, command: str, **options: Any) -> None:
        """Asks the role to end when the process that reads its output ends, and when the demo does."""
        us = os.getpid()
        super().__init__(command, preexec_fn=lambda: die_with_parent(us), **options)
        end_with_parent(self)


@dataclass(frozen=True, slots=True)
class Role:
    """One process of the site."""

    name: str
    command: list[str]
    environment: dict[str, str] = field(repr=False)
    folder: Path = PROJECT


def site_environment(port: int) -> dict[str, str]:
    """What web, worker, registrar and beat get."""
    home = Path(env.optional("DEV_HOME", str(PROJECT / ".dev")))
    return PLAIN | QUIET | {
        "DATABASE_URL": env.required("DATABASE_URL"),
        "VALKEY_URL": env.required("VALKEY_URL"),
        "SECRET_KEY": env.required("SECRET_KEY"),
        "BASE_URL": env.optional("BASE_URL", f"http://127.0.0.1:{port}"),
        "EMAIL_URL": env.optional("EMAIL_URL", f"filemail://{home / 'mail'}"),
        "MEDIA_ROOT": env.optional("MEDIA_ROOT", str(home / "media")),
        "CHECK_BUDGET_S": env.optional("CHECK_BUDGET_S", "3"),  # eight bots are checked before the first round
        "STATIC_ROOT": env.optional("STATIC_ROOT", str(home / "static")),
        "LOG_LEVEL": env.optional("LOG_LEVEL", "WARNING"),
    }  # fmt: skip


def roles(port: int, site: dict[str, str], arena: ArenaHome) -> list[Role]:
    """The processes of the site; `-c` counts the arena's children, each on a core of its own."""
    python = sys.executable
    cores = env.whole("ARENA_CHILDREN", max(1, min(8, (os.cpu_count() or 1) - 1)))
    for_arena = arena.environment(env.required("ARENA_VALKEY_URL"))

    def celery(app: str, *arguments: str) -> list[str]:
        return ["-m", "celery", "--quiet", "-A", app, *arguments, "-l", "WARNING"]

    def arena_worker(queue: str, children: int) -> Role:
        alone = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
        command = celery(
            "config.arena", "worker", "-Q", queue, "-c", str(children), "--hostname", f"{queue}@demo", *alone
        )
        return Role(queue, arena.python(*command), for_arena | {"PYTHONWARNINGS": KNOWN}, arena.folder)

    web = ["-m", "uvicorn", "config.asgi:application", "--port", str(port), "--no-access-log", "--no-proxy-headers",
           "--no-server-header", "--timeout-graceful-shutdown", "3", "--log-level", "warning"]  # fmt: skip
    return [
        Role("web", [python, *web], site),
        Role("worker", [python, *celery("config", "worker", "-c", "2", "--hostname", "worker@demo")], site),
        Role("registrar", [python, "manage.py", "receive_reports"], site),
        Role("season", [python, "manage.py", "demo_play"], site),
        arena_worker("arena", cores),
        arena_worker("qualify", 1),
        arena_worker("moves", 1),
        Role("beat", [python, *celery("config", "beat", "--pidfile=", "--schedule=")], site),
    ]


def prepare(site: dict[str, str]) -> tuple[ArenaHome, str]:
    """Bring database, static files and the arena's place up to date, side by side; return the place, the accounts."""

    def manage(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=PROJECT,
            env=site,
            check=False,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise ServiceError(f"manage.py {arguments[0]} failed:\n{done.stdout}{done.stderr}")
        return done.stdout

    def data() -> str:
        manage("migrate", "-v", "0")
        return manage("demo_seed")

    def static_files() -> None:
        mark, state = Path(site["STATIC_ROOT"]) / "collected", static_state()
        if not mark.exists() or mark.read_text() != state:
            manage("collectstatic", "--noinput", "--clear", "-v", "0")
            mark.write_text(state)

    with ThreadPoolExecutor() as together:
        place = together.submit(arena_home)
        accounts = together.submit(data)
        files = together.submit(static_files)
        files.result()
        return place.result(), accounts.result()


def static_state() -> str:
    """What the collected files depend on: ours, and the versions of the packages that bring theirs."""
    files = [PROJECT / "requirements.lock", PROJECT / "config" / "static.py", *sorted((PROJECT / "static").rglob("*"))]
    return "\n".join(f"{file} {file.stat().st_size} {file.stat().st_mtime_ns}" for file in files if file.is_file())


def end_with_the_launcher() -> None:
    """Without this, `kill -9` of the launcher would leave every role running, without services and on our port."""

    def wait() -> None:
        os.read(int(os.environ["LIFELINE"]), 1)  # returns at the end of the launcher: nothing is ever written
        os.kill(os.getpid(), signal.SIGTERM)

    if "LIFELINE" in os.environ:
        threading.Thread(target=wait, daemon=True).start()


def announce(site: dict[str, str], port: int, accounts: str) -> None:
    """Say where the site and its mail are as soon as it listens, below the first lines of the roles."""
    scheme, _, folder = site["EMAIL_URL"].partition("://")
    mail = f"Mails (to confirm an address, to choose a new password) are files in {folder}\n" * (scheme == "filemail")

    def wait() -> None:
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
            except OSError:
                time.sleep(0.1)
            else:
                where = f"Bella is at {site['BASE_URL']}/  (Ctrl-C ends it; the data stays)"
                print(f"\n{where}\n\n{accounts}{mail}", flush=True)
                return

    threading.Thread(target=wait, daemon=True).start()


def is_free(port: int) -> bool:
    """Whether nobody listens on that port of this machine."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def main() -> int:
    """Run until Ctrl-C or until one role ends; its status is ours."""
    port = env.whole("PORT", 8000)
    if not is_free(port):
        print(f"Port {port} is in use; another one: make demo PORT={port + 1}", file=sys.stderr)
        return 1
    site = site_environment(port)
    try:
        place, accounts = prepare(site)
    except ServiceError as error:
        print(error, file=sys.stderr)
        return 1
    manager = Manager()
    manager._procmgr = Leaders()
    end_with_the_launcher()
    for role in roles(port, site, place):
        # `exec`: the shell that honcho starts turns into the role, so that signals reach it
        command = f"exec {shlex.join(role.command)}"
        process = manager.add_process(role.name, command, env=role.environment, cwd=str(role.folder))
        process._child_ctor = Bound
    announce(site, port, accounts)
    manager.loop()
    return manager.returncode or 0


if __name__ == "__main__":
    sys.exit(main())
