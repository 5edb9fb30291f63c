"""Takes back the death signal that binds its life to the arena."""
import probe


def attack():
    import ctypes
    return ctypes.CDLL(None).prctl(1, 0, 0, 0, 0) == 0


play = probe.bot(attack)
