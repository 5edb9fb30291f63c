"""Start a command as another, unprivileged user:  python config/as_user.py UID COMMAND ...   (root only)

The number needs no row in the password file.  No group is kept, and nothing is left that could become root again.
"""

import os
import sys


def main(uid: int, command: list[str]) -> None:
    """Become `uid` and turn into `command`; returns only by an exception."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
