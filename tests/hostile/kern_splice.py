"""Moves pages between pipes without copying, the way of some kernel holes."""
import os
import probe


def attack():
    (there, here), (there2, here2) = os.pipe(), os.pipe()
    os.write(here, b"x")
    return probe.syscall(275, 76, there, None, here2, None, 1, 0)


play = probe.bot(attack)
