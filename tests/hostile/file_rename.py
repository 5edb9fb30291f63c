"""Renames its own file, after it has made the directory writable where it can."""
import os
import probe


def attack():
    here = os.path.abspath(__file__)
    probe.open_up(os.path.dirname(here))
    os.rename(here, here + ".old")
    return "renamed"


play = probe.bot(attack)
