"""Makes a directory wherever it can."""
import os
import probe


def attack():
    for place in (os.getcwd(), "/tmp", "/dev/shm", "/var/tmp", "/"):
        made = place + "/hostile-dir"
        try: os.mkdir(made)
        except OSError: continue
        os.rmdir(made)
        return place


play = probe.bot(attack)
