"""`make demo` as a whole: each role has its own secrets only, bots play, Ctrl-C ends all quietly, the data stays."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from config.devservices import Services, services
from tests.conftest import PROJECT, poll

ROLES = {"web", "worker", "registrar", "arena", "qualify", "moves", "beat"}
SECRETS = ("DATABASE_URL", "VALKEY_URL", "SECRET_KEY", "ARENA_VALKEY_URL")


@pytest.fixture
def running() -> Iterator[Services]:
    with services("reliability") as started:
        yield started


@pytest.fixture
def port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def start(running: Services, port: int, folder: Path, lifeline: int | None = None) -> "subprocess.Popen[bytes]":
    """The demo in a process group of its own, as a terminal would start it; it ends when the `lifeline` closes."""
    own = {"PORT": str(port), "STATIC_ROOT": str(folder / "static"), "MEDIA_ROOT": str(folder / "media")}
    plain = {name: os.environ[name] for name in ("PATH", "HOME")}
    if lifeline is not None:
        own["LIFELINE"] = str(lifeline)
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "config.demo"], env=plain | running.environment() | own, cwd=PROJECT,
            stdout=log, stderr=log, start_new_session=True, pass_fds=[] if lifeline is None else [lifeline],
        )  # fmt: skip


def said(folder: Path) -> str:
    return (folder / "log").read_text()


def descendants(pid: int) -> set[int]:
    """Every process below `pid`."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents.setdefault(int(entry.read_text().rpartition(")")[2].split()[1]), []).append(int(entry.parent.name))
        except OSError:
            continue
    found: set[int] = set()
    waiting = [pid]
    while waiting:
        below = parents.get(waiting.pop(), [])
        found |= set(below)
        waiting += below
    return found


def environment(pid: int) -> dict[str, str]:
    parts = (Path("/proc") / str(pid) / "environ").read_bytes().split(b"\0")
    return dict(part.decode().partition("=")[::2] for part in parts if part)


def command(pid: int) -> str:
    """Empty when the process has ended: bots come and go."""
    try:
        return (Path("/proc") / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def is_alive(pid: int) -> bool:
    try:
        return ") Z " not in (Path("/proc") / str(pid) / "stat").read_text()
    except OSError:
        return False


def finished_matches(running: Services) -> int:
    with psycopg.connect(running.database_url) as db:
        row = db.execute("SELECT count(*) FROM games_match WHERE state = 'finished'").fetchone()
    assert row is not None
    return int(row[0])


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks at /proc")
def test_the_demo_from_start_to_ctrl_c_and_again(running: Services, port: int, tmp_path: Path) -> None:
    demo = start(running, port, tmp_path)
    try:
        poll(lambda: demo.poll() is not None or f"Bella is at http://127.0.0.1:{port}/" in said(tmp_path), limit=120)
        assert demo.poll() is None, said(tmp_path)
        poll(lambda: "are files in /" in said(tmp_path), limit=10)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=10) as answer:
            assert answer.status == 200
        assert all(f"{role} started" in said(tmp_path) for role in ROLES)

        below = descendants(demo.pid)
        arenas = {pid for pid in below if "-A config.arena" in command(pid)}
        others = {pid for pid in below if "config.asgi" in command(pid) or "-A config " in command(pid)}
        assert arenas
        assert others
        for pid in arenas:
            assert [name for name in SECRETS if name in environment(pid)] == ["ARENA_VALKEY_URL"]
            assert running.secret_key not in str(environment(pid))
        for pid in others:
            assert [name for name in SECRETS if name in environment(pid)] == [
                "DATABASE_URL",
                "VALKEY_URL",
                "SECRET_KEY",
            ]

        poll(lambda: finished_matches(running), limit=120)  # the bots are checked, the first round is played

        before = len(said(tmp_path))
        os.killpg(demo.pid, signal.SIGINT)
        demo.wait(20)
        poll(lambda: not [pid for pid in below if is_alive(pid)], limit=10)
        ending = said(tmp_path)[before:]
        assert "Traceback" not in ending, ending
        assert "Error" not in ending, ending
        assert "SIGKILL" not in ending, ending
        played = finished_matches(running)

        lifeline, held_by_the_services = os.pipe()
        demo = start(running, port, tmp_path, lifeline)
        os.close(lifeline)
        poll(lambda: demo.poll() is not None or said(tmp_path).count("Bella is at ") == 2, limit=60)
        assert demo.poll() is None, said(tmp_path)
        assert finished_matches(running) >= played > 0
        below = descendants(demo.pid)
        os.close(held_by_the_services)  # as `kill -9` of what runs the services does
        demo.wait(20)
        poll(lambda: not [pid for pid in below if is_alive(pid)], limit=10)
    finally:
        left = {demo.pid, *descendants(demo.pid)} if demo.poll() is None else set()
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        demo.wait()


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks at /proc")
def test_a_killed_demo_leaves_no_role_behind(running: Services, port: int, tmp_path: Path) -> None:
    demo = start(running, port, tmp_path)
    below: set[int] = set()
    try:
        poll(lambda: demo.poll() is not None or f"Bella is at http://127.0.0.1:{port}/" in said(tmp_path), limit=120)
        assert demo.poll() is None, said(tmp_path)
        below = descendants(demo.pid)
        demo.kill()
        demo.wait(5)
        poll(lambda: not [pid for pid in below if is_alive(pid)], limit=20)
        with socket.create_server(("127.0.0.1", port)):
            pass
    finally:
        demo.kill()
        demo.wait()
        for pid in below:
            if is_alive(pid):
                os.kill(pid, signal.SIGKILL)


def test_a_port_that_is_taken_is_said_and_nothing_starts(running: Services, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        demo = start(running, port, tmp_path)
        assert demo.wait(20) == 1
    assert said(tmp_path) == f"Port {port} is in use; another one: make demo PORT={port + 1}\n"
