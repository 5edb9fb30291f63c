"""Cuts its own file to nothing, after it has made it writable where it can."""
import os
import probe


def attack():
    probe.open_up(os.path.abspath(__file__))
    os.truncate(os.path.abspath(__file__), 0)
    return "cut"


play = probe.bot(attack)
