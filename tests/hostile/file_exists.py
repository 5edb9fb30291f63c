"""Asks whether a file of the machine exists. Landlock does not hide that: a known limit of the tier without namespaces."""
import os
import probe


def attack():
    return [path for path in ("/etc/passwd", "/etc/hostname", "/proc/self", "/home", "/root") if os.path.lexists(path)]


play = probe.bot(attack)
