"""Deletes a file of its own folder."""
import os
import probe


def attack():
    os.unlink(os.path.join(os.path.dirname(os.path.abspath(__file__)), "probe.py"))
    return "deleted"


play = probe.bot(attack)
