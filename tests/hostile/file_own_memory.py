"""Opens its own memory as a file: writing there goes past the protection of pages."""
import os
import probe


def attack():
    return os.open("/proc/self/mem", os.O_RDWR)


play = probe.bot(attack)
