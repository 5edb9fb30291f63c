"""Makes its own file writable."""
import os
import probe


def attack():
    os.chmod(os.path.abspath(__file__), 0o666)
    return "changed"


play = probe.bot(attack)
