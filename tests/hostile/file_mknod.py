"""Makes a named pipe to meet somebody at."""
import os
import probe


def attack():
    for place in (os.getcwd(), "/tmp", "/dev/shm", "/var/tmp"):
        made = place + "/hostile-pipe"
        try: os.mkfifo(made)
        except OSError: continue
        os.unlink(made)
        return place


play = probe.bot(attack)
