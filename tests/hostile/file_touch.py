"""Sets the times of its own file: a note to itself for the next match."""
import os
import probe


def attack():
    here = os.path.abspath(__file__)
    os.utime(here, (1, 1))
    return os.stat(here).st_mtime == 1


play = probe.bot(attack)
