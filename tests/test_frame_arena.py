"""The arena's process: what it holds, what its Valkey user may do, what its user may read."""

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import redis

from config.devservices.arena import ARENA_UID, LOCK, MODULES, ArenaHome, arena_home
from config.devservices.places import state_dir
from tests.conftest import PROJECT

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can start the arena as another user")
embedded = pytest.mark.skipif("DEV_HOME" not in os.environ, reason="the services are not started here")

LOOK = """
import json, os, sys
import config.arena
seen = {"environment": dict(os.environ), "modules": sorted(sys.modules), "uid": os.getuid(), "groups": os.getgroups()}
print(json.dumps(seen))
"""


def run_in(arena: ArenaHome, environment: dict[str, str], *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        arena.python(*arguments), cwd=arena.folder, env=environment, check=False, capture_output=True, text=True
    )


def test_the_arena_s_process_holds_no_address_or_secret_of_the_site(
    arena: ArenaHome, arena_environment: dict[str, str]
) -> None:
    done = run_in(arena, arena_environment, "-c", LOOK)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    database, valkey = urlsplit(os.environ["DATABASE_URL"]), urlsplit(os.environ["VALKEY_URL"])
    secrets = [os.environ["SECRET_KEY"], database.password, valkey.password]
    everything = json.dumps(seen["environment"])
    assert not [secret for secret in secrets if secret and secret in everything]
    assert not {"DATABASE_URL", "VALKEY_URL", "SECRET_KEY", "DJANGO_SETTINGS_MODULE", "DEV_HOME"} & set(
        seen["environment"]
    )
    # a normal user's arena has the site's environment, and kombu looks for Django's lazy sentences where it can
    forbidden = {"django.db", "django.apps", "psycopg", "config.settings", "accounts", "league", "games.models"}
    assert forbidden.isdisjoint(seen["modules"])
    if os.geteuid() == 0:
        assert (seen["uid"], seen["groups"]) == (ARENA_UID, [])
        assert "django" not in seen["modules"]


# -- its Valkey user ---------------------------------------------------------------------------------------------------


@pytest.fixture
def valkey(clean_valkey: None) -> Iterator["redis.Redis"]:
    """A client as the arena; the site has left a few things in that database."""
    with redis.Redis.from_url(os.environ["VALKEY_URL"]) as site:
        site.lpush("default", "a message of the site")
        site.set("cache:1:session", "of a user")
        site.xadd("arena:reports", {"report": "{}"})
    with redis.Redis.from_url(os.environ["ARENA_VALKEY_URL"], decode_responses=True) as client:
        yield client


@pytest.mark.parametrize(
    "command",
    [
        ("PING",),
        ("SET", "arena:run:1", "nonce", "NX", "EX", "60"),
        ("GET", "arena:run:1"),
        ("EXPIRE", "arena:run:1", "60"),
        ("LPUSH", "arena:arena", "x"),
        ("LLEN", "arena:arena"),
        ("XADD", "arena:reports", "*", "report", "{}"),
    ],
)
def test_what_the_arena_s_user_needs_is_allowed(valkey: "redis.Redis", command: tuple[str, ...]) -> None:
    """What is not allowed raises NoPermissionError: see the next test but one."""
    answer = valkey.execute_command(*command)
    assert not isinstance(answer, Exception)


def test_no_value_of_the_arena_is_larger_than_16_mb(valkey: "redis.Redis") -> None:
    valkey.set("arena:bot:1", b"0" * (15 << 20))
    with pytest.raises((redis.ResponseError, redis.ConnectionError)):
        valkey.set("arena:bot:1", b"0" * (17 << 20))


@pytest.mark.parametrize(
    "command",
    [
        ("GET", "cache:1:session"),
        ("SET", "cache:1:session", "mine"),
        ("DEL", "cache:1:session"),
        ("LPUSH", "default", "a forged task"),
        ("BRPOP", "default", "1"),
        ("LLEN", "default"),
        ("XADD", "other", "*", "a", "b"),
        ("LPUSH", "arena", "without the colon"),
        # of its own keys too: no reading or taking back of reports
        ("XRANGE", "arena:reports", "-", "+"),
        ("XREAD", "STREAMS", "arena:reports", "0"),
        ("XDEL", "arena:reports", "1-1"),
        ("XTRIM", "arena:reports", "MAXLEN", "0"),
        ("XGROUP", "CREATE", "arena:reports", "mine", "0"),
        ("XREADGROUP", "GROUP", "registrar", "registrar", "STREAMS", "arena:reports", ">"),
        ("KEYS", "*"),
        ("SCAN", "0"),
        ("PUBLISH", "web:control", "x"),
        ("SUBSCRIBE", "web:control"),
        ("CONFIG", "GET", "*"),
        ("ACL", "LIST"),
        ("INFO",),
        ("MONITOR",),
        ("FLUSHDB",),
        ("FLUSHALL",),
        ("SHUTDOWN", "NOSAVE"),
        ("CLIENT", "KILL", "TYPE", "normal"),
        ("EVAL", "return redis.call('get', 'cache:1:session')", "0"),
        ("COPY", "cache:1:session", "arena:copy"),
        ("RENAME", "cache:1:session", "arena:copy"),
        ("MIGRATE", "127.0.0.1", "1", "arena:run:1", "0", "10"),
        ("REPLICAOF", "127.0.0.1", "1"),
        ("MODULE", "LIST"),
    ],
)
def test_everything_else_is_refused(valkey: "redis.Redis", command: tuple[str, ...]) -> None:
    with pytest.raises(redis.exceptions.NoPermissionError):
        valkey.execute_command(*command)
    with redis.Redis.from_url(os.environ["VALKEY_URL"]) as site:
        assert site.lrange("default", 0, -1) == [b"a message of the site"]
        assert site.get("cache:1:session") == b"of a user"
        assert site.xlen("arena:reports") == 1


def test_a_script_of_the_arena_reaches_no_further_than_its_user(valkey: "redis.Redis") -> None:
    digest = valkey.script_load("return redis.call('get', 'cache:1:session')")
    with pytest.raises(redis.exceptions.ResponseError, match="ACL failure"):
        valkey.evalsha(digest, 0)


def test_the_same_commands_succeed_for_the_site_s_user(valkey: "redis.Redis") -> None:
    """Else the refusals above would prove nothing."""
    with redis.Redis.from_url(os.environ["VALKEY_URL"]) as site:
        assert site.get("cache:1:session") == b"of a user"
        assert len(site.xrange("arena:reports")) == 1
        assert site.execute_command("COPY", "cache:1:session", "arena:copy") == 1


# -- its user on the machine -------------------------------------------------------------------------------------------

PRY = """
import os, sys
opened = []
names = ("postgres-password", "bella-password", "valkey-password", "arena-password", "secret-key", "postgres.log",
         "postgres", "postgres/base", "valkey", "valkey/users.acl", "run", "run/pg")
tries = (os.listdir, lambda name: open(name, "rb").read(1), lambda name: open(os.path.join(name, "x"), "w"))
for top in sys.argv[1:]:
    for path in [top, *(os.path.join(top, name) for name in names)]:
        for attempt in tries:
            try:
                attempt(path)
            except OSError as error:
                if not isinstance(error, PermissionError) and error.errno not in (2, 20, 21):
                    raise
            else:
                opened.append(path)
print(sorted(set(opened)))
"""


@as_root
@embedded
def test_the_arena_s_user_can_read_nothing_of_the_services(arena: ArenaHome, arena_environment: dict[str, str]) -> None:
    home = os.environ["DEV_HOME"]
    ours = subprocess.run([sys.executable, "-c", PRY, home], check=True, capture_output=True, text=True)
    assert f"{home}/secret-key" in ours.stdout
    (Path(home) / "x").unlink()
    for folder in ("postgres", "postgres/base", "valkey", "run", "run/pg"):
        (Path(home) / folder / "x").unlink()
    theirs = run_in(arena, arena_environment, "-c", PRY, home)
    assert theirs.stdout == "[]\n", theirs.stderr


@as_root
@embedded
def test_the_arena_s_user_gets_into_the_database_by_no_door(
    arena: ArenaHome, arena_environment: dict[str, str]
) -> None:
    """Over TCP a password is asked of everybody, and PostgreSQL's socket lies in a closed folder."""
    address = urlsplit(os.environ["DATABASE_URL"])
    ask = (
        "import socket, struct, sys; s = socket.create_connection(('127.0.0.1', int(sys.argv[1])), 5);"
        "body = struct.pack('!i', 196608) + b'user\\0bella\\0database\\0bella\\0\\0';"
        "s.sendall(struct.pack('!i', len(body) + 4) + body); answer = s.recv(64);"
        "print(answer[:1], struct.unpack('!i', answer[5:9])[0])"
    )
    done = run_in(arena, arena_environment, "-c", ask, str(address.port))
    assert done.stdout == "b'R' 10\n", done.stderr  # 10 = SASL (scram) is demanded
    path = next((Path(os.environ["DEV_HOME"]) / "run" / "pg").glob(".s.PGSQL.*[0-9]"))
    with socket.socket(socket.AF_UNIX) as ours:
        ours.connect(str(path))
    knock = "import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])"
    assert "PermissionError" in run_in(arena, arena_environment, "-c", knock, str(path)).stderr


@as_root
@pytest.mark.slow
def test_the_arena_runs_although_its_checkout_is_closed(tmp_path: Path) -> None:
    """A checkout below folders of mode 0700, such as /root: the arena has its own copy and its own environment."""
    checkout = tmp_path / "closed" / "checkout"
    checkout.mkdir(parents=True)
    for name in (*MODULES, LOCK, "config/as_user.py"):
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (PROJECT / name).is_dir() else shutil.copy
        copy(PROJECT / name, checkout / name)
    (tmp_path / "closed").chmod(0o700)
    base = state_dir(checkout)
    try:
        home = arena_home(base, checkout)
        environment = home.environment(os.environ["ARENA_VALKEY_URL"])
        assert (
            run_in(home, environment, "-c", f"open({str(checkout / LOCK)!r})")
            .stderr.strip()
            .endswith(f"Permission denied: {str(checkout / LOCK)!r}")
        )
        done = run_in(home, environment, "-c", LOOK)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["uid"] == ARENA_UID
        assert arena_home(base, checkout) == home
        (checkout / "config" / "env.py").write_text((checkout / "config" / "env.py").read_text() + "\n")
        renewed = arena_home(base, checkout)
        assert renewed.folder != home.folder
        assert renewed.interpreter == home.interpreter
    finally:
        shutil.rmtree(base)


@as_root
def test_the_arena_s_copy_cannot_be_changed_by_its_user(arena: ArenaHome, arena_environment: dict[str, str]) -> None:
    for name in ("config/env.py", "bots/new.py"):
        done = run_in(arena, arena_environment, "-c", f"open({name!r}, 'a').write('x')")
        assert "PermissionError" in done.stderr
    assert run_in(arena, arena_environment, "-c", "import os; os.setuid(0)").stderr.endswith(
        "Operation not permitted\n"
    )
