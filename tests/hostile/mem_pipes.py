"""Fills as many pipes as it gets: kernel memory outside its address space. Escaped above 4 MiB."""
import os
import probe


def attack():
    held = 0
    try:
        while held <= 16 << 20:
            there, here = os.pipe()
            os.set_blocking(here, False)
            try:
                while True: held += os.write(here, bytes(65536))
            except BlockingIOError: pass
    except OSError: pass
    return held if held > 4 << 20 else None


play = probe.bot(attack)
