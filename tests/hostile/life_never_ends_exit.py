"""Leaves a task for the end of the interpreter that never ends."""
import atexit, time


def play(view):
    atexit.register(time.sleep, 3600)
    raise SystemExit(0)
