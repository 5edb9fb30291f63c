"""Real processes for the tests.  Each xdist worker has a PostgreSQL and a Valkey database of its own.

Start a run by `make test`, or: python -m config.devservices test -- python -m pytest tests/...
"""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

import pytest

from config.devservices.arena import ArenaHome, arena_home

# Playwright's synchronous API keeps an event loop running in the main thread.  Django then takes every query of a test
# for one inside a coroutine and refuses it.  The loop never runs our code, so the refusal protects from nothing here.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

T = TypeVar("T")
PROJECT = Path(__file__).resolve().parent.parent
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")


def poll(what: Callable[[], T], *, limit: float = 20, every: float = 0.02) -> T:
    """The first true answer of `what`; fails after `limit` seconds."""
    end = time.monotonic() + limit
    while not (answer := what()):
        assert time.monotonic() < end, f"not within {limit} s"
        time.sleep(every)
    return answer


@contextmanager
def process(
    *command: str,
    env: dict[str, str],
    log: Path,
    cwd: Path = PROJECT,
    pass_fds: tuple[int, ...] = (),
    stop: signal.Signals = signal.SIGTERM,
) -> Iterator[subprocess.Popen[bytes]]:
    """A real process for the length of the block, in a session of its own; its output goes to `log`.

    It is asked to end by `stop`; whatever of its session is left after 10 s is killed.
    """
    with log.open("ab") as output:
        running = subprocess.Popen(
            command, env=env, cwd=cwd, stdout=output, stderr=output, pass_fds=pass_fds, start_new_session=True
        )
    try:
        yield running
    finally:
        running.send_signal(stop)
        with suppress(subprocess.TimeoutExpired):
            running.wait(10)
        with suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)
        running.wait()


@pytest.fixture(scope="session", autouse=True)
def _catalogues() -> None:
    """Translations as the site has them: compiled from the .po files where these are newer."""
    from config.catalogues import compile_stale

    compile_stale()


@pytest.fixture(scope="session", autouse=True)
def _archives(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Uploaded files of this run lie in a folder of its own, for the tests and for the processes that they start."""
    from django.conf import settings

    if settings.configured:
        os.environ["MEDIA_ROOT"] = settings.MEDIA_ROOT = str(tmp_path_factory.mktemp("media"))


@pytest.fixture(scope="session")
def environment(django_db_setup: None) -> dict[str, str]:
    """The environment of a process that shall see the same data as the test."""
    from django.db import connection

    found = urlsplit(os.environ["DATABASE_URL"])._replace(path="/" + str(connection.settings_dict["NAME"]))
    return os.environ | {"DATABASE_URL": found.geturl(), "PYTHONUNBUFFERED": "1"}


@pytest.fixture
def clean_valkey() -> None:
    """Empty this worker's Valkey database: queues, streams, leases and caches of earlier tests are gone."""
    import redis

    with redis.Redis.from_url(os.environ["VALKEY_URL"]) as client:
        client.flushdb()


@contextmanager
def serve(environment: dict[str, str], log: Path, *, port: int = 0) -> Iterator[str]:
    """The address of the real ASGI server (Django's live_server is WSGI and has no streaming)."""
    with web_process(environment, log, port=port) as (address, _):
        yield address


@contextmanager
def web_process(
    environment: dict[str, str], log: Path, *, port: int = 0
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The same with its process, for tests that end it."""
    with socket.create_server(("127.0.0.1", port)) as listener:  # the kernel's port, ours until uvicorn has it
        listener.set_inheritable(True)
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        command = [sys.executable, "-m", "uvicorn", "config.asgi:application", "--fd", str(listener.fileno()),
                   "--no-access-log", "--no-proxy-headers", "--no-server-header",
                   "--timeout-graceful-shutdown", "2"]  # fmt: skip
        own = environment | {"BASE_URL": address}
        with process(*command, env=own, log=log, pass_fds=(listener.fileno(),)) as web:
            poll(lambda: web.poll() is not None or _answers(f"{address}/healthz"), limit=40)
            assert web.poll() is None, log.read_text()
            yield address, web


def _answers(url: str) -> bool:
    """Whether the page comes; until the site is up a request waits in the queue of the listening socket."""
    try:
        urllib.request.urlopen(url, timeout=2).close()
    except OSError:
        return False
    return True


@pytest.fixture
def site(transactional_db: None, environment: dict[str, str], clean_valkey: None, tmp_path: Path) -> Iterator[str]:
    """The address of the site, run for this test alone and on its data."""
    with serve(environment, tmp_path / "web.log") as address:
        yield address


@pytest.fixture(scope="session")
def arena() -> ArenaHome:
    """How to start Python as the arena: `process(*arena.python("-m", "celery", ...), cwd=arena.folder, env=...)`."""
    return arena_home()


@pytest.fixture
def arena_environment(arena: ArenaHome) -> dict[str, str]:
    """All that an arena's process gets: the broker of this worker, under the arena's user."""
    return arena.environment(os.environ["ARENA_VALKEY_URL"])


# -- the machine's own browser -----------------------------------------------------------------------------------------

QUIET = [
    "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


HAS_NO_BROWSER = not Path(CHROMIUM).exists() and not os.environ.get("CI")


def pytest_report_header() -> str:
    """Say once what is left out where there is no browser; `.ci/run` does not accept that."""
    advice = "apt-get install chromium, or set CHROMIUM"
    return f"browser tests: LEFT OUT, no browser at {CHROMIUM} ({advice})" if HAS_NO_BROWSER else f"browser: {CHROMIUM}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the browser tests where there is no browser."""
    if HAS_NO_BROWSER:
        left_out = [item for item in items if {"page", "browser", "open_page"} & set(getattr(item, "fixturenames", ()))]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, object]) -> dict[str, object]:
    """Chromium of the machine; its own sandbox does not run as root."""
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    return browser_type_launch_args | {"executable_path": CHROMIUM, "args": QUIET + sandbox}


@pytest.fixture
def page(page, request: pytest.FixtureRequest):  # type: ignore[no-untyped-def]
    """A page whose test fails if the browser complained: a blocked script, an error, a missing file.

    `@pytest.mark.complaints("409")` lets those pass in which this text stands; without a text, all.
    """
    complaints: list[str] = []
    loud = {"error", "warning"}
    page.on("console", lambda message: complaints.append(message.text) if message.type in loud else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    marker = request.node.get_closest_marker("complaints")
    allowed = marker.args or ("",) if marker else ()
    assert [said for said in complaints if not any(text in said for text in allowed)] == []
