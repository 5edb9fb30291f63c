"""Asks whether it may signal everybody (pid -1, signal 0)."""
import os
import probe


def attack():
    os.kill(-1, 0)
    return "may"


play = probe.bot(attack)
