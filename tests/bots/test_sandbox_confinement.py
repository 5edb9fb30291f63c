"""What a confined bot finds when it looks around: each layer from the inside, in every tier."""

import json
import os
import resource
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from bots.sandbox import Limits, Sandbox, start_sandbox
from bots.sandbox.zygote.layers import RLIMITS, TIERS, landlock, rlimits
from tests.bots.sandbox_driver import TIERS as TESTED
from tests.bots.sandbox_driver import move, running

LOOK = b"""
import json
def look():
    import ctypes, os, resource, struct
    libc = ctypes.CDLL(None, use_errno=True)
    data = ctypes.create_string_buffer(24)
    libc.capget(struct.pack("<Ii", 0x20080522, 0), data)
    def attempt(action, *arguments):
        try:
            action(*arguments)
        except OSError as error:
            return error.errno
        return 0
    return {
        "uid": os.getuid(), "gid": os.getgid(), "groups": os.getgroups(), "pid": os.getpid(), "parent": os.getppid(),
        "capabilities": data.raw.hex(), "no_new_privs": libc.prctl(39, 0, 0, 0, 0), "here": os.getcwd(),
        "session": attempt(os.setsid), "environ": dict(os.environ), "host": os.uname().nodename,
        "limits": {name: resource.getrlimit(getattr(resource, name)) for name in NAMES},
        "devnull": attempt(lambda: open(os.devnull, "w").write("x")),
        "root": attempt(os.listdir, "/"), "here_listed": sorted(os.listdir(".")),
    }
def play(view):
    print(json.dumps(look()))
    return view.legal[0]
"""
NAMES = (
    "RLIMIT_AS", "RLIMIT_CPU", "RLIMIT_NOFILE", "RLIMIT_FSIZE", "RLIMIT_CORE", "RLIMIT_MEMLOCK", "RLIMIT_MSGQUEUE",
    "RLIMIT_NPROC", "RLIMIT_SIGPENDING", "RLIMIT_STACK",
)  # fmt: skip


@pytest.fixture(scope="module", params=TESTED)
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    with start_sandbox(request.param) as started:
        yield started


@pytest.fixture(scope="module")
def seen(sandbox: Sandbox) -> dict[str, object]:
    with running(sandbox, LOOK.replace(b"NAMES", repr(NAMES).encode()), limits=Limits()) as bot:
        assert move(bot, Limits()).line is not None
        return json.loads(bot.take_log())


def test_a_bot_is_nobody_with_no_privileges(sandbox: Sandbox, seen: dict[str, object]) -> None:
    uid = 65534 if sandbox.tier == "namespaces" else (64_101 if os.geteuid() == 0 else os.getuid())
    assert (seen["uid"], seen["gid"]) == (uid, uid)
    assert os.geteuid() != 0 or seen["groups"] == []
    assert seen["capabilities"] == "00" * 24
    assert seen["no_new_privs"] == 1


def test_a_bot_has_no_environment(seen: dict[str, object]) -> None:
    assert seen["environ"] == {}


def test_a_bots_process_and_host_are_its_own(sandbox: Sandbox, seen: dict[str, object]) -> None:
    if sandbox.tier == "namespaces":
        assert (seen["pid"], seen["parent"], seen["host"], seen["here"]) == (1, 0, "bot", "/bot")
    else:
        assert seen["pid"] > 1


def test_a_bot_sees_its_folder_and_no_other(seen: dict[str, object]) -> None:
    assert seen["here_listed"] == ["bot.py"]
    assert seen["root"] == 13


def test_a_bot_may_write_to_the_null_device_alone(seen: dict[str, object]) -> None:
    assert seen["devnull"] == 0


def test_every_limit_is_set_soft_and_hard(seen: dict[str, object]) -> None:
    mib = 1 << 20
    wanted = {
        "RLIMIT_AS": 512 * mib, "RLIMIT_CPU": 60, "RLIMIT_NOFILE": 64, "RLIMIT_FSIZE": 0, "RLIMIT_CORE": 0,
        "RLIMIT_MEMLOCK": 0, "RLIMIT_MSGQUEUE": 0, "RLIMIT_NPROC": 1, "RLIMIT_SIGPENDING": 16, "RLIMIT_STACK": 8 * mib,
    }  # fmt: skip
    assert set(wanted) == set(NAMES) == set(rlimits.limits(0, 0))
    hard = {name: resource.getrlimit(getattr(resource, name))[1] for name in NAMES}
    limited = {n: v if hard[n] == resource.RLIM_INFINITY else min(v, hard[n]) for n, v in wanted.items()}
    assert seen["limits"] == {name: [value, value] for name, value in limited.items()}


def test_memory_follows_the_limits_of_the_job(sandbox: Sandbox) -> None:
    small = Limits(memory_mb=64, start_cpu_ms=2_000)
    source = b"def play(view):\n    bytearray(200 << 20)\n    return view.legal[0]\n"
    with running(sandbox, source, limits=small) as bot:
        assert move(bot, small).fault.kind == "memory"
    with running(sandbox, source, limits=Limits()) as bot:
        assert move(bot, Limits()).fault is None


def test_landlock_takes_away_every_right_of_its_version() -> None:
    assert landlock.handled(1) == (0x1FFF, 0, 0)
    assert landlock.handled(2) == (0x3FFF, 0, 0)
    assert landlock.handled(3) == (0x7FFF, 0, 0)
    assert landlock.handled(4) == (0x7FFF, 3, 0)
    assert landlock.handled(5) == (0xFFFF, 3, 0)
    assert landlock.handled(6) == landlock.handled(7) == (0xFFFF, 3, 3)


def test_the_namespaces_tier_has_every_layer_of_the_other() -> None:
    assert set(TIERS["namespaces"]) == {"namespaces", *TIERS["landlock"]}
    assert RLIMITS in TIERS["landlock"]
    assert TIERS["unsafe"] == ()


def test_a_bot_imports_the_engine_and_not_the_arena(sandbox: Sandbox) -> None:
    source = b"""
from games.engine import card_int
import games.engine.solver
def play(view):
    try:
        import bots.protocol
        print("the arena's")
    except ImportError:
        print("its own")
    return view.legal[0] if card_int(view.legal[0]) >= 0 else ""
"""
    with running(sandbox, source) as bot:
        assert move(bot).line is not None
        assert bot.take_log() == b"its own\n"


def test_a_bot_imports_the_files_of_its_archive(sandbox: Sandbox) -> None:
    files = {
        "bot.py": b"from lib.choice import choose as play\n",
        "lib/__init__.py": b"",
        "lib/choice.py": b"def choose(view):\n    return view.legal[-1]\n",
    }
    with running(sandbox, files) as bot:
        assert move(bot).fault is None


def test_a_bot_cannot_read_anothers_folder(sandbox: Sandbox) -> None:
    other = sandbox.store.put({"bot.py": b"secret = 1\n"})
    source = b"""
def play(view):
    for path in (%r, "/store/%s/bot.py"):
        try:
            open(path).read()
            print("read", path)
        except OSError as error:
            print(type(error).__name__)
    return view.legal[0]
""" % (str(other / "bot.py"), other.name.encode())
    with running(sandbox, source) as bot:
        assert move(bot).fault is None
        assert set(bot.take_log().split()) <= {b"PermissionError", b"FileNotFoundError"}
    sandbox.store.remove(other)


def test_the_store_is_closed_to_everybody_but_the_arena(sandbox: Sandbox) -> None:
    folder = sandbox.store.put({"bot.py": b"", "lib/a.py": b""})
    modes = {path.relative_to(folder).as_posix(): stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*")}
    assert modes == {"bot.py": 0o444, "lib": 0o555, "lib/a.py": 0o444}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o555
    assert stat.S_IMODE(folder.parent.stat().st_mode) == 0o711
    assert len(folder.name) == 32
    with pytest.raises(ValueError, match="not in the store"):
        sandbox.store.remove(Path("/tmp"))
    with pytest.raises(ValueError, match="not in the sandbox's store"):
        sandbox.spawn(Path("/tmp"), limits=Limits(), seed=1)
    sandbox.store.remove(folder)
    assert not folder.exists()
