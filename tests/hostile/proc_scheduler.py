"""Changes its own scheduling class, and so could that of every process of its user."""
import os
import probe


def attack():
    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    return "changed"


play = probe.bot(attack)
