"""Ends with the exit code of a failed set-up, to have a lost deal played again."""
import os, sys


def play(view):
    print("SANDBOX OSError: no_new_privs", file=sys.stderr, flush=True)
    os._exit(78)
