"""Makes a file without a name (O_TMPFILE): room to write that nobody would find."""
import os
import probe


def attack():
    for place in (os.getcwd(), "/tmp", "/dev/shm", "/var/tmp"):
        try: os.open(place, os.O_TMPFILE | os.O_RDWR, 0o600)
        except OSError: continue
        return place


play = probe.bot(attack)
