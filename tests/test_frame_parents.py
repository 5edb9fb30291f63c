"""Processes that end with the one that started them, also when that one is killed, also across a change of user."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from config.devservices.arena import ARENA_UID
from tests.bots.arena_worker import is_alive
from tests.conftest import PROJECT, poll

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the kernel's parent-death signal")

SLEEPER = "import sys, time; print('up', flush=True); time.sleep(600)"
#: Starts a child bound to it, tells the child's number, sleeps.
PARENT = """
import os, subprocess, sys, time
sys.path.insert(0, sys.argv[1])
from config.parents import die_with_parent, end_with_parent
us = os.getpid()
child = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, preexec_fn=BOUND)
child.stdout.readline()
print(child.pid, flush=True)
time.sleep(600)
"""
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can start a command as another user")


def survives(bound: str, *command: str) -> bool:
    """Whether the child of a parent that is killed is still there after a while."""
    code = PARENT.replace("BOUND", bound)
    parent = subprocess.Popen([sys.executable, "-c", code, str(PROJECT), *command], stdout=subprocess.PIPE, cwd="/")
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    try:
        poll(lambda: not is_alive(child), limit=2)
    except AssertionError:
        os.kill(child, signal.SIGKILL)
        return True
    return False


def test_a_child_ends_with_its_killed_parent() -> None:
    command = [sys.executable, "-c", SLEEPER]
    assert not survives("lambda: die_with_parent(us)", *command)
    assert survives("None", *command)


@as_root
def test_a_child_that_becomes_another_user_ends_with_its_killed_parent() -> None:
    python = "/usr/bin/python3" if Path("/usr/bin/python3").exists() else sys.executable
    command = [sys.executable, str(PROJECT / "config" / "as_user.py"), str(ARENA_UID), python, "-c", SLEEPER]
    assert not survives("lambda: die_with_parent(us)", *command)
    assert survives("None", *command)


def test_a_parent_that_has_ended_already_is_noticed() -> None:
    code = "from config.parents import die_with_parent; die_with_parent(1 << 30)"
    assert subprocess.run([sys.executable, "-c", code], check=False, cwd=PROJECT).returncode == -signal.SIGTERM


#: A watcher: its child ignores to be asked.
MIDDLE = """
import os, subprocess, sys, time
sys.path.insert(0, sys.argv[1])
from config import parents
parents.PATIENCE_S = 0.5
child = subprocess.Popen([sys.executable, "-c", DEAF], stdout=subprocess.PIPE)
child.stdout.readline()
parents.end_with_parent(child)
print(os.getpid(), child.pid, flush=True)
time.sleep(600)
"""
DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(600)"


def test_a_watched_child_that_does_not_end_when_asked_is_killed() -> None:
    top = "import subprocess, sys, time; subprocess.Popen(sys.argv[1:]); time.sleep(600)"
    middle = MIDDLE.replace("DEAF", repr(DEAF))
    parent = subprocess.Popen(
        [sys.executable, "-c", top, sys.executable, "-c", middle, str(PROJECT)], stdout=subprocess.PIPE, cwd="/"
    )
    assert parent.stdout is not None
    pids = [int(pid) for pid in parent.stdout.readline().split()]
    parent.kill()
    parent.wait()
    parent.stdout.close()
    poll(lambda: not any(is_alive(pid) for pid in pids), limit=5)
