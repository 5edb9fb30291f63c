"""Forks by the newest call, whose flags no filter can read."""
import os
import probe


def attack():
    import struct
    try: got = probe.syscall(435, 435, struct.pack("11Q", 0, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0), 88)
    except OSError: return None
    if got.endswith(" 0"): os._exit(0)
    return got


play = probe.bot(attack)
