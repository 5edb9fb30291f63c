"""Deletes a file of its own folder, after it has made that writable where it can."""
import os
import probe


def attack():
    here = os.path.dirname(os.path.abspath(__file__))
    probe.open_up(here)
    os.unlink(os.path.join(here, "probe.py"))
    return "deleted"


play = probe.bot(attack)
