"""Opens a POSIX message queue where two bots could meet."""
import probe


def attack():
    got = probe.syscall(240, 180, b"hostile", 0o102, 0o600, None)
    probe.syscall(241, 181, b"hostile")
    return got


play = probe.bot(attack)
