"""Makes a System V shared segment: memory that outlives it, where two bots could meet."""
import probe


def attack():
    import ctypes
    got = probe.syscall(29, 194, 0, 4096, 0o1600)
    ctypes.CDLL(None).shmctl(int(got.split()[-1]), 0, None)
    return got


play = probe.bot(attack)
