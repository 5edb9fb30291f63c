"""Both services of one instance, for as long as a block or a command lasts."""

import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from config.devservices.places import ServiceError, folder, remove, secret, state_dir
from config.devservices.postgres import Postgres
from config.devservices.valkey import Valkey

#: How many instances of a purpose may run at a time.
INSTANCES = {"demo": 1, "test": 8, "reliability": 8}


@dataclass(frozen=True, slots=True)
class Services:
    """Where the services listen; each URL carries the credentials of one role.  None = not started here."""

    database_url: str = field(repr=False)
    valkey_url: str = field(repr=False)
    arena_valkey_url: str = field(repr=False)
    secret_key: str = field(repr=False)
    home: Path | None = None
    postgres: Postgres | None = None
    valkey: Valkey | None = None

    def environment(self) -> dict[str, str]:
        """The variables that a process of the site needs."""
        found = {
            "DATABASE_URL": self.database_url,
            "VALKEY_URL": self.valkey_url,
            "ARENA_VALKEY_URL": self.arena_valkey_url,
            "SECRET_KEY": self.secret_key,
        }
        return found | ({"DEV_HOME": str(self.home)} if self.home else {})


@contextlib.contextmanager
def services(purpose: str = "demo") -> Iterator[Services]:
    """Run the services that the environment does not name, for as long as the block lasts."""
    given = {} if purpose == "reliability" else os.environ
    database_url, valkey_url = given.get("DATABASE_URL"), given.get("VALKEY_URL")
    arena_valkey_url, secret_key = given.get("ARENA_VALKEY_URL", valkey_url), given.get("SECRET_KEY")
    postgres = valkey = home = None
    with contextlib.ExitStack() as stack:
        if not (database_url and valkey_url and secret_key):
            base = state_dir()
            home = _take(base, purpose, stack)
            secret_key = secret_key or secret(home, "secret-key")
        if home and not database_url:
            postgres = Postgres(base, home, purpose=purpose)
            stack.callback(postgres.stop)
            postgres.start()
            if purpose == "reliability":
                postgres.empty()
            database_url = postgres.url
        if home and not valkey_url:
            valkey = Valkey(base, home, purpose=purpose)
            stack.callback(valkey.stop)
            if purpose == "reliability":
                valkey.empty()
            valkey.start()
            valkey_url, arena_valkey_url = valkey.url, valkey.arena_url
        yield Services(
            database_url=database_url or "",
            valkey_url=valkey_url or "",
            arena_valkey_url=arena_valkey_url or "",
            secret_key=secret_key or "",
            home=home,
            postgres=postgres,
            valkey=valkey,
        )


def run(purpose: str, command: list[str]) -> int:
    """Run `command` with the services up and return its exit status, 128 + n if signal n ended it.

    The command stays in the terminal's foreground group, so a debugger in a test can read the keyboard.  So the
    terminal's Ctrl-C reaches it directly and we only wait; SIGTERM reaches us alone and is passed on, and so is SIGHUP
    (a closed window) as SIGTERM, which the command does not see itself: honcho would die of it and leave its children.
    """
    children: list[subprocess.Popen[bytes]] = []
    stopped: list[int] = []

    def pass_on(number: int, _frame: object) -> None:
        stopped.append(number)
        for child in children:
            child.terminate()

    signal.signal(signal.SIGINT, lambda *_: None)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, pass_on)
    with services(purpose) as running:
        if stopped:
            return 128 + stopped[0]
        # Closed by the kernel when we die, however that happens; who reads LIFELINE then ends itself (config.demo).
        lifeline, _ours = os.pipe()
        environment = os.environ | running.environment() | {"LIFELINE": str(lifeline)}
        child = subprocess.Popen(command, env=environment, pass_fds=[lifeline])
        children.append(child)
        signal.signal(signal.SIGHUP, pass_on)
        if stopped:
            child.terminate()
        status = child.wait()
    return 128 - status if status < 0 else status


def wipe(purpose: str = "*") -> None:
    """Delete the data of one purpose, or everything that we ever left on this machine."""
    base = state_dir()
    with contextlib.ExitStack() as stack:
        for home in sorted(base.glob(f"{purpose}-[0-9]")):
            if not _lock(home, stack):
                raise ServiceError(f"{home.name} is running: stop it first")
            if (home / "postgres").exists():
                Postgres(base, home, purpose="demo").stop_leftover()
            if (home / "valkey").exists():
                Valkey(base, home, purpose="demo").shut_down_leftover()
            remove(home)
        if purpose == "*":
            shutil.rmtree(base)


def _take(base: Path, purpose: str, stack: contextlib.ExitStack) -> Path:
    """A home that nobody else uses: `demo` exists once; of the others there are as many as run at the same time."""
    for number in range(1, INSTANCES[purpose] + 1):
        home = folder(base / f"{purpose}-{number}", mode=0o711 if os.geteuid() == 0 else 0o700)
        if _lock(home, stack):
            return home
    raise ServiceError(f"{purpose} is already running from this folder")


def _lock(home: Path, stack: contextlib.ExitStack) -> bool:
    lock = stack.enter_context((home / "lock").open("w"))
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
