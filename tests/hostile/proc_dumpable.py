"""Makes itself open to debuggers of its user again."""
import probe


def attack():
    import ctypes
    return ctypes.CDLL(None).prctl(4, 1, 0, 0, 0) == 0


play = probe.bot(attack)
