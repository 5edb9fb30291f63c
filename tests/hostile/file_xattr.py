"""Hangs a note on its own file as an extended attribute, after it has made it writable where it can."""
import os
import probe


def attack():
    probe.open_up(os.path.abspath(__file__))
    os.setxattr(os.path.abspath(__file__), "user.note", b"x")
    return "hung"


play = probe.bot(attack)
