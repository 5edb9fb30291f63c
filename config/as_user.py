"""Start a command as another, unprivileged user:  python config/as_user.py UID COMMAND ...   (root only)

The number needs no row in the password file.  No group is kept, and nothing is left that could become root again.
Whoever started this with a parent-death signal finds it on the command: the kernel forgets it when the user changes.
"""

import ctypes
import os
import sys

PR_SET_PDEATHSIG, PR_GET_PDEATHSIG = 1, 2


def main(uid: int, command: list[str]) -> None:
    """Become `uid` and turn into `command`; returns only by an exception."""
    libc, parent, wanted = ctypes.CDLL(None), os.getppid(), ctypes.c_int(0)
    if sys.platform.startswith("linux"):
        libc.prctl(PR_GET_PDEATHSIG, ctypes.byref(wanted))
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    if wanted.value:
        libc.prctl(PR_SET_PDEATHSIG, wanted.value)
        if os.getppid() != parent:  # it ended in between
            sys.exit(1)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
