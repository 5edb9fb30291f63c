"""Changes its own priority, and so could change that of every process of its user."""
import os
import probe


def attack():
    os.setpriority(os.PRIO_PROCESS, 0, 1)
    return "changed"


play = probe.bot(attack)
