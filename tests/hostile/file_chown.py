"""Gives its own file away."""
import os
import probe


def attack():
    os.chown(os.path.abspath(__file__), os.getuid(), os.getgid())
    return "changed"


play = probe.bot(attack)
