"""config.devservices: folders that cannot be planted, exit statuses, servers that are killed and come back."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
import redis

from config.devservices import ServiceError, services
from config.devservices.places import folder
from tests.conftest import PROJECT, poll

LAUNCHER = [sys.executable, "-m", "config.devservices"]


def test_a_folder_is_made_with_its_mode_whatever_the_mask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        made = folder(tmp_path / "state", mode=0o711)
    finally:
        os.umask(before)
    assert made.stat().st_mode & 0o7777 == 0o711
    assert folder(made, mode=0o711) == made


def test_a_planted_link_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (tmp_path / "state").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ServiceError, match="is not a folder of user"):
        folder(tmp_path / "state", mode=0o700)


@pytest.mark.parametrize("mode", [0o755, 0o777, 0o1777])
def test_a_folder_with_another_mode_is_refused(tmp_path: Path, mode: int) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state").chmod(mode)
    with pytest.raises(ServiceError, match=r"mode 0700"):
        folder(tmp_path / "state", mode=0o700)
    assert (tmp_path / "state").stat().st_mode & 0o7777 == mode


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make another user's folder")
def test_a_folder_of_another_user_is_refused(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir(mode=0o700)
    os.chown(tmp_path / "state", 1234, 1234)
    with pytest.raises(ServiceError, match="is not a folder of user 0"):
        folder(tmp_path / "state", mode=0o700)


@pytest.mark.parametrize(
    ("command", "status"), [(["true"], 0), (["sh", "-c", "exit 7"], 7), (["sh", "-c", "kill -TERM $$"], 143)]
)
def test_the_status_of_the_command_is_ours(command: list[str], status: int) -> None:
    assert subprocess.run([*LAUNCHER, "test", "--", *command], cwd=PROJECT, check=False).returncode == status


@pytest.mark.parametrize("arguments", [[], ["demo"], ["demo", "--"], ["other", "--", "true"], ["wipe", "all"]])
def test_a_wrong_call_shows_the_usage(arguments: list[str]) -> None:
    done = subprocess.run([*LAUNCHER, *arguments], cwd=PROJECT, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert "python -m config.devservices demo -- COMMAND" in done.stderr


def test_a_signal_to_the_launcher_reaches_the_command(tmp_path: Path) -> None:
    script = f"trap 'echo stopped > {tmp_path}/end; exit 3' TERM; echo > {tmp_path}/up; while :; do sleep 0.05; done"
    launcher = subprocess.Popen([*LAUNCHER, "test", "--", "sh", "-c", script], cwd=PROJECT)
    poll((tmp_path / "up").exists)
    launcher.send_signal(signal.SIGTERM)
    assert launcher.wait(10) == 3
    assert (tmp_path / "end").read_text() == "stopped\n"


def test_after_a_kill_nothing_that_was_committed_is_lost() -> None:
    with services("reliability") as running:
        postgres, valkey = running.postgres, running.valkey
        assert postgres is not None
        assert valkey is not None
        assert running.database_url != os.environ["DATABASE_URL"]
        with psycopg.connect(running.database_url, autocommit=True) as db:
            db.execute("CREATE TABLE kept (number int)")
            db.execute("INSERT INTO kept VALUES (42)")
        with redis.Redis.from_url(running.valkey_url) as client:
            client.set("kept", "42")
        postgres.kill()
        valkey.kill()
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(running.database_url)
        postgres.start()
        valkey.start()
        with psycopg.connect(running.database_url) as db:
            assert db.execute("SELECT number FROM kept").fetchall() == [(42,)]
        with redis.Redis.from_url(running.valkey_url) as client:
            assert client.get("kept") == b"42"
            client.set("left", "over")
    with services("reliability") as running:
        with psycopg.connect(running.database_url) as db:
            assert db.execute("SELECT to_regclass('kept')").fetchone() == (None,)
        with redis.Redis.from_url(running.valkey_url) as client:
            assert client.keys() == []
