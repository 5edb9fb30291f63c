"""Renames its own file."""
import os
import probe


def attack():
    here = os.path.abspath(__file__)
    os.rename(here, here + ".old")
    return "renamed"


play = probe.bot(attack)
