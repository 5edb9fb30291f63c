"""Gives its own file a second name, in its own directory or outside."""
import os
import probe


def attack():
    here = os.path.abspath(__file__)
    probe.open_up(os.path.dirname(here))
    for place in (os.path.dirname(here), "/tmp", "/var/tmp", "/dev/shm"):
        link = place + "/hostile-link"
        try: os.link(here, link)
        except OSError: continue
        os.unlink(link)
        return place


play = probe.bot(attack)
