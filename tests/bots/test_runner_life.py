"""A run of `bella` from outside: the sandbox that is asked for, the progress bar, and how it ends."""

import json
import os
import pty
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bots.arena.runner.progress import bar
from bots.sandbox import Limits, MoveClock, SandboxUnavailable, start_plain
from tests.bots.bella import CRASHES, DICE, SEED, Bella
from tests.conftest import poll

PROJECT = Path(__file__).parents[2]
WARNING = (
    "warning: --sandbox none: the bots are not confined and may do whatever you may do; only for code that you trust"
)
TAKES_THE_TERMINAL = (
    "import fcntl, os, sys, termios\n"
    "fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"  # Ctrl-C there is then for this process
    "os.execv(sys.argv[1], sys.argv[1:])\n"
)
SLEEPS = "import time\ndef play(view):\n    time.sleep(60)\n    return view.legal[0]\n"


# ---- without a sandbox


def test_without_a_sandbox_the_same_games_are_played_and_a_line_says_so(bella: Bella) -> None:
    arguments = ("play", "dice.py", "crashes.py", "--deals", "4", "--seed", SEED, "--json")
    confined, plain = bella(*arguments), bella(*arguments, "--sandbox", "none")
    assert (confined.status, confined.err) == (1, "")
    assert (plain.status, plain.err) == (1, WARNING + "\n")

    def kept(found: dict) -> list:  # all but the times
        return [{key: bot[key] for key in ("name", "won", "points", "faults")} for bot in found["bots"]]

    assert kept(plain.json) == kept(confined.json)
    assert plain.json["first_faults"][0]["detail"] == confined.json["first_faults"][0]["detail"]
    checked = bella("check", "crashes.py", "--sandbox", "none")
    assert checked.status == 1
    assert "FAIL  verdict: The version is rejected." in checked.lines


def test_each_tier_can_be_asked_for(bella: Bella) -> None:
    for tier in ("landlock", "namespaces"):
        done = bella("play", "first.py", "last.py", "--deals", "2", "--sandbox", tier)
        if done.status == 2:
            assert done.err.startswith(f"bella play: no sandbox tier holds here: {tier}: ")
            assert done.err.endswith(". For code that you trust: --sandbox none\n")
        else:
            assert (done.status, done.err) == (0, "")


def test_where_no_tier_holds_that_is_said_and_none_is_offered(bella: Bella, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    done = bella("play", "first.py", "last.py")
    assert (done.status, done.out) == (2, "")
    assert done.err == (
        "bella play: bots run in a sandbox on Linux only, not on darwin: run the arena in a container. "
        "For code that you trust: --sandbox none\n"
    )
    played = bella("play", "first.py", "last.py", "--deals", "2", "--sandbox", "none")
    assert (played.status, played.err) == (0, WARNING + "\n")
    monkeypatch.setattr("sys.platform", "win32")
    assert bella("play", "first.py", "last.py").err == (
        "bella needs Linux or macOS: on Windows run it in WSL, the Windows Subsystem for Linux\n"
    )


#: What macOS has not. The standard library is imported before, as it chooses by the platform too.
NOT_LINUX = """
import os, select, signal, socket, subprocess, sys, tempfile, time, platform, resource
sys.platform = "darwin"
for module, names in (
    (os, "pipe2 pidfd_open sched_setaffinity sched_getaffinity memfd_create eventfd unshare setns"),
    (signal, "pidfd_send_signal"), (select, "epoll"), (socket, "SOCK_SEQPACKET"), (time, "pthread_getcpuclockid"),
    (resource, "prlimit RLIMIT_AS RLIMIT_MSGQUEUE RLIMIT_SIGPENDING"),
):
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)
clock = time.clock_gettime_ns
def only_own_clocks(number):
    if number < 0:
        raise OSError(22, "no such clock")
    return clock(number)
time.clock_gettime_ns = only_own_clocks
from bots.arena.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


def test_without_anything_of_linux_bots_can_still_play(bella: Bella) -> None:
    def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-c", NOT_LINUX, *arguments], cwd=bella.folder, env={"PYTHONPATH": str(PROJECT)},
            check=False, capture_output=True, text=True, timeout=60,
        )  # fmt: skip

    refused = run("play", "dice.py", "crashes.py")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("bella play: bots run in a sandbox on Linux only, not on darwin")
    arguments = ("play", "dice.py", "crashes.py", "--deals", "4", "--seed", SEED, "--json", "--sandbox", "none")
    played = run(*arguments, "--record", "games.bella")
    assert (played.returncode, played.stderr) == (1, WARNING + "\n")
    found, here = json.loads(played.stdout), bella(*arguments).json
    assert [bot["points"] for bot in found["bots"]] == [bot["points"] for bot in here["bots"]]
    assert [bot["faults"] for bot in found["bots"]] == [{}, {"crash": 4}]
    replayed = run("replay", "games.bella", "dice.py", "--sandbox", "none")
    assert replayed.stdout.startswith("0 differences in ")


@pytest.mark.parametrize("has_cpu_clocks", [True, False])
@pytest.mark.parametrize(
    ("source", "kind", "detail"),
    [
        ("def play(view):\n    return 1 / 0\nraise SystemExit(3)\n", "crash", ""),
        ("while True: pass\n", "timeout", "cpu"),
        ("x = [0] * 10**9\n", "memory", "passed its memory limit"),
        ("import os\nos.closerange(0, 100)\nwhile True: pass\n", "crash", ""),
        ("import os\nos.write(1, b'x' * 5000)\nimport time\ntime.sleep(60)\n", None, None),
    ],
)
def test_a_plain_process_is_judged_as_a_confined_one(
    source: str, kind: str | None, detail: str | None, *, has_cpu_clocks: bool
) -> None:
    with start_plain(has_cpu_clocks=has_cpu_clocks) as sandbox:
        folder = sandbox.store.put({"bot.py": source.encode()})
        bot = sandbox.spawn(folder, limits=Limits(), seed=1)
        reply = bot.ask(b'{"type":"start","n":1}\n', clock=MoveClock(cpu_us=1_500_000, wall_us=3_000_000))
        pid = bot.pid
        bot.close()
        assert reply.fault is not None
        if kind is not None:
            assert (str(reply.fault.kind), reply.fault.detail) == (kind, detail)
        else:  # what it writes is its log, and it sleeps
            wanted = "wall" if has_cpu_clocks else "cpu"
            assert (str(reply.fault.kind), reply.fault.detail) == ("timeout", wanted)
        assert not Path(f"/proc/{pid}").exists()
        path = folder.parent.parent
    assert not path.exists()


def test_a_plain_process_finds_what_it_finds_in_the_sandbox() -> None:
    """Its own folder first, no environment, one hash seed, the engine to import, and nothing of the arena."""
    source = (
        "import os, sys, random, games.engine, part\n"
        "def main(requests, answers):\n"
        "    requests.readline()\n"
        "    found = [os.getcwd() == sys.path[0], dict(os.environ), sys.argv, random.random(), hash('x') % 1000,\n"
        "             sorted(name for name in sys.modules if name.startswith('bots')), part.HERE]\n"
        "    answers.write(repr(found).encode() + b'\\n')\n"
    )
    from bots.sandbox import start_sandbox

    found = []
    for start in (start_plain, start_sandbox):
        with start() as sandbox:
            folder = sandbox.store.put({"bot.py": source.encode(), "part.py": b"HERE = 1\n"})
            bot = sandbox.spawn(folder, limits=Limits(), seed=5)
            reply = bot.ask(b"{}\n", clock=Limits().start_clock())
            assert reply.line is not None, bot.tail().decode()
            bot.close()
            found.append(reply.line.decode())
    assert found[0] == found[1]
    assert "[True, {}, ['bot.py'], " in found[0]


def test_without_an_interpreter_for_the_bots_user_nothing_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bots.sandbox.interpreter.find", lambda _uid: None)
    with pytest.raises(SandboxUnavailable, match=r"can run no python3 of 3\.11 or later"):
        start_plain()


# ---- what it reads and writes


def test_a_full_disk_is_told_in_one_line(bella: Bella) -> None:
    done = bella("play", "first.py", "last.py", "--deals", "2", "--jsonl", "/dev/full")
    assert (done.status, done.err) == (2, "bella play: writing: No space left on device\n")


def run(bella: Bella, *arguments: str, stdin: bytes = b"", **environment: str) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [sys.executable, "-m", "bots.arena", *arguments], cwd=bella.folder,
        env={"PYTHONPATH": str(PROJECT), **environment}, input=stdin, check=False, capture_output=True, timeout=60,
    )  # fmt: skip


def test_bytes_that_are_no_text_are_told_in_one_line(bella: Bella) -> None:
    done = run(bella, "ask", "first.py", stdin=b"\xff\xfe{}\n")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"bella ask: line 1 is no request of the protocol: ")
    assert done.stderr.count(b"\n") == 1


def test_a_log_cannot_steer_the_terminal_and_fits_into_any_encoding(bella: Bella) -> None:
    talks = "def play(view):\n    print('\\x1b[2Jè\\t\u2660')\n    return view.hand[7]\n"
    bella.write("talks.py", talks)
    done = run(bella, "play", "talks.py", "first.py", "--deals", "1", "--no-mirror", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (1, b"")
    assert b"\x1b" not in done.stdout
    assert rb"\x1b[2J\xe8" in done.stdout
    assert rb"\u2660" in done.stdout


def test_without_a_standard_input_nothing_is_asked(bella: Bella) -> None:
    command = f"exec {sys.executable} -m bots.arena ask first.py <&-"
    done = subprocess.run(
        ["/bin/sh", "-c", command], cwd=bella.folder, env={"PYTHONPATH": str(PROJECT)}, check=False,
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("bella ask: standard input holds no request")


# ---- on a terminal


@contextmanager
def on_a_terminal(bella: Bella, *arguments: str) -> Iterator[tuple[int, "subprocess.Popen[bytes]"]]:
    """`bella` with a terminal of its own as stdin, stdout and stderr, the process that Ctrl-C reaches."""
    ours, theirs = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-c", TAKES_THE_TERMINAL, sys.executable, "-m", "bots.arena", *arguments], cwd=bella.folder,
        env={"PYTHONPATH": str(PROJECT), "TMPDIR": str(bella.folder.parent)},
        stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    try:
        yield ours, running
    finally:
        running.kill()
        running.wait()
        os.close(ours)


def read_to_the_end(terminal: int) -> str:
    said = b""
    while True:
        try:
            chunk = os.read(terminal, 4096)
        except OSError:  # nobody has the other side any more
            return said.decode()
        said += chunk


def offspring(pid: int) -> set[int]:
    """Processes below one."""
    found: set[int] = set()
    for task in Path(f"/proc/{pid}/task").glob("*"):
        for child in map(int, (task / "children").read_text().split()):
            found |= {child, *offspring(child)}
    return found


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture
def open_to_all(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder that the bots' user can enter."""
    with tempfile.TemporaryDirectory(prefix="bella-runner-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.mark.parametrize("sandbox", ["auto", "none"])
@pytest.mark.parametrize("ending", ["ctrl-c", "sigterm"])
def test_it_ends_quietly_and_leaves_no_process_and_no_folder(
    bella: Bella, open_to_all: Path, monkeypatch: pytest.MonkeyPatch, sandbox: str, ending: str
) -> None:
    bella.write("sleeps.py", SLEEPS)
    bella.folder = open_to_all / "here"
    bella.folder.mkdir()
    for name, source in (("sleeps.py", SLEEPS), ("dice.py", DICE)):
        bella.write(name, source)
    arguments = ("play", "dice.py", "sleeps.py", "--deals", "8", "--slow", "10", "--sandbox", sandbox)
    with on_a_terminal(bella, *arguments) as (terminal, running):
        wanted = 3 if sandbox == "auto" else 2  # a zygote and two bots
        poll(lambda: len(offspring(running.pid)) >= wanted)
        below = offspring(running.pid)
        if ending == "ctrl-c":
            os.write(terminal, b"\x03")
        else:
            running.send_signal(signal.SIGTERM)
        said = read_to_the_end(terminal)
        status = running.wait(20)
    assert status == (130 if ending == "ctrl-c" else 143)
    assert "Traceback" not in said
    assert ("interrupted after 0 of 8 deals" in said) == (ending == "ctrl-c")
    poll(lambda: not any(map(is_alive, below)))
    assert [path.name for path in open_to_all.iterdir()] == ["here"]


def test_an_interrupted_run_tells_what_was_played_until_then(bella: Bella, open_to_all: Path) -> None:
    """The third deal hangs; of the two before it there is a result."""
    bella.folder = open_to_all / "here"
    bella.folder.mkdir()
    begins, plays = "        self.lost = 0\n", "        cards ="
    hangs = DICE.replace(begins, begins + "        self.hangs = match.match == 'local-3'\n")
    hangs = hangs.replace(plays, "        if self.hangs:\n            __import__('time').sleep(60)\n" + plays)
    bella.write("hangs.py", hangs)
    bella.write("crashes.py", CRASHES)
    with on_a_terminal(bella, "play", "hangs.py", "crashes.py", "--deals", "8", "--slow", "10") as (terminal, running):
        said = ""
        while "2/8" not in said:
            said += os.read(terminal, 4096).decode()
        os.write(terminal, b"\x03")
        said += read_to_the_end(terminal)
        assert running.wait(20) == 130
    assert "[######..................] 2/8 " in said
    assert "2 deals in 1 mirrored pair" in said
    assert "Faults of crashes.py: 2 crash." in said
    assert "\x1b[33minterrupted after 2 of 8 deals\x1b[0m" in said


def test_the_bar_shows_what_is_done_and_the_time_that_is_left() -> None:
    assert bar(0, 40, 0.0) == "[........................] 0/40"
    assert bar(10, 40, 30.0) == "[######..................] 10/40 1:30 left"
    assert bar(40, 40, 9.0) == "[########################] 40/40 0:00 left"


def test_where_there_is_no_terminal_there_is_no_bar(bella: Bella) -> None:
    assert bella("play", "first.py", "last.py", "--deals", "2").err == ""
