"""PostgreSQL and Valkey: are they there, are they ours, what may the arena do."""

from collections.abc import Iterator
from typing import Any, Final

import psycopg
import redis
from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from bots.doctor.finding import Finding, fail, first_line, ok, warn

OLDEST_POSTGRES: Final = 150_000
ARENA_USER: Final = "arena"
TEMPLATE: Final = "deploy/valkey/users.acl.template"
#: Commands that the arena's user needs, and some that would let it out.
NEEDED: Final = (
    ("PING",), ("SET", "arena:run:1", "x"), ("GET", "arena:bot:1"), ("BRPOP", "arena:arena", "1"),
    ("LPUSH", "arena:arena", "x"), ("XADD", "arena:reports", "*", "report", "x"),
)  # fmt: skip
FORBIDDEN: Final = (
    ("GET", "cache:1"), ("SET", "x", "x"), ("LPUSH", "default", "x"), ("XRANGE", "arena:reports", "-", "+"),
    ("PUBLISH", "x", "x"), ("SUBSCRIBE", "x"), ("KEYS", "*"), ("SCAN", "0"), ("CONFIG", "GET", "x"), ("FLUSHALL",),
    ("EVAL", "return 1", "0"), ("ACL", "LIST"), ("COPY", "arena:a", "b"),
)  # fmt: skip


def look() -> Iterator[Finding]:
    """Database first: without it nothing else of the site can be asked."""
    yield from database()
    yield from valkey()


def database() -> Iterator[Finding]:
    """Reachable, new enough, and with every table."""
    parameters = connection.get_connection_params()
    wanted = {name: parameters[name] for name in ("dbname", "user", "password", "host", "port") if name in parameters}
    try:
        # not from Django's pool, which says after ten seconds only that it has none
        with psycopg.connect(**wanted, connect_timeout=5) as own:
            number, version = own.info.server_version, own.info.parameter_status("server_version")
    except psycopg.Error as error:
        yield fail(
            "database", f"not reachable: {first_line(error)}", "Start PostgreSQL; DATABASE_URL says where it is."
        )
        return
    if number < OLDEST_POSTGRES:
        yield fail("database", f"PostgreSQL {version}", "PostgreSQL 15 or newer is needed.")
        return
    yield ok("database", f"PostgreSQL {version} answers")
    executor = MigrationExecutor(connection)
    missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if missing:
        names = ", ".join(f"{one.app_label}.{one.name}" for one, _ in missing[:3])
        yield fail("migrations", f"{len(missing)} not applied: {names}", "manage.py migrate")
    else:
        yield ok("migrations", "all applied")


def valkey() -> Iterator[Finding]:
    """Reachable, bounded, never throwing a key away; the arena's user confined; the arena connected."""
    try:
        with redis.Redis.from_url(
            settings.VALKEY_URL, socket_timeout=5, socket_connect_timeout=5, decode_responses=True
        ) as client:
            about: dict[str, Any] = client.info("server")
            name = about.get("server_name", "redis")
            yield ok("valkey", f"{name} {about.get(f'{name}_version', about['redis_version'])} answers")
            yield memory(client)
            yield arena_user(client)
            yield arena_connections(client)
    except redis.RedisError as error:
        yield fail("valkey", f"not reachable: {first_line(error)}", "Start Valkey; VALKEY_URL says where it is.")


def memory(client: "redis.Redis") -> Finding:
    """What somebody who can write keys could do to the machine."""
    policy = client.config_get("maxmemory-policy")["maxmemory-policy"]
    limit = int(client.config_get("maxmemory")["maxmemory"] or 0)
    if policy != "noeviction":
        return fail(
            "valkey memory", f"policy {policy}", "Set maxmemory-policy noeviction: queues and leases must stay."
        )
    if limit == 0:
        return warn("valkey memory", "no limit", "Set maxmemory (1gb, say): the arena's user can fill it.")
    return ok("valkey memory", f"{limit >> 20} MiB at most, nothing is thrown away")


def arena_user(client: "redis.Redis") -> Finding:
    """The arena's user by Valkey's own judgement, command by command: nothing is run."""
    if ARENA_USER not in client.acl_users():
        return fail("valkey user arena", "does not exist", f"Make it as {TEMPLATE} says.")
    lacks = [command for command in NEEDED if not may(client, command)]
    if lacks:
        text = f"may not {' '.join(lacks[0])}"
        return fail("valkey user arena", text, f"The arena cannot work: make the user as {TEMPLATE} says.")
    reaches = [command for command in FORBIDDEN if may(client, command)]
    if reaches:
        text = f"may {' '.join(reaches[0])}" + (f" and {len(reaches) - 1} more" if len(reaches) > 1 else "")
        return fail("valkey user arena", text, f"It must reach arena:* only: make it as {TEMPLATE} says.")
    return ok("valkey user arena", "reaches arena:* and nothing else")


def may(client: "redis.Redis", command: tuple[str, ...]) -> bool:
    """Whether the arena's user may give that command."""
    try:
        answer = client.acl_dryrun(ARENA_USER, *command)
    except redis.ResponseError:
        return False
    return bool(answer == "OK")


def arena_connections(client: "redis.Redis") -> Finding:
    """Whether an arena is there at all."""
    count = sum(one.get("user") == ARENA_USER for one in client.client_list())
    if count == 0:
        return warn(
            "arena",
            "none is connected: matches and checks wait",
            "celery -A config.arena worker -Q arena (docs/operators.md)",
        )
    return ok("arena", f"connected ({count} connections)")
