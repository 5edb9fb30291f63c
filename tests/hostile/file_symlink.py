"""Leaves a symbolic link in its own directory or in /tmp."""
import os
import probe


def attack():
    for place in (os.path.dirname(os.path.abspath(__file__)), "/tmp", "/var/tmp", "/dev/shm"):
        link = place + "/hostile-link"
        try: os.symlink("/etc/passwd", link)
        except OSError: continue
        os.unlink(link)
        return place


play = probe.bot(attack)
