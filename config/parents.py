"""Processes that end with the one that started them, however that one ends. Linux; elsewhere nothing happens."""

import ctypes
import os
import select
import signal
import subprocess
import sys
import threading
from typing import Any

IS_LINUX = sys.platform.startswith("linux")
#: How long a process has, after it was asked to end, before it is killed, seconds.
PATIENCE_S = 10
_PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int, signum: signal.Signals = signal.SIGTERM) -> None:
    """Have the kernel send `signum` to this process when `parent`, its present parent, ends.

    It outlives `exec`, but neither a change of user nor a fork; config/as_user.py hands it on.
    """
    if not IS_LINUX:
        return
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, int(signum)):
        raise OSError(ctypes.get_errno(), "PR_SET_PDEATHSIG")
    if os.getppid() != parent:  # it ended in between
        os.kill(os.getpid(), signum)


def end_with_parent(child: "subprocess.Popen[Any]") -> None:
    """Watch this process's parent from a thread: when it ends, so do `child` (asked, then killed) and this process.

    The output of `child` is read on meanwhile, so that it can end in order.
    """
    if not IS_LINUX:
        return
    parent = os.pidfd_open(os.getppid())

    def wait() -> None:
        poll = select.poll()
        poll.register(parent, select.POLLIN)
        poll.poll()
        child.terminate()
        try:
            child.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            child.kill()
        os._exit(1)

    threading.Thread(target=wait, name="parent", daemon=True).start()
