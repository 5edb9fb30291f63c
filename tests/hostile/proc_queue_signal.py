"""Sends a signal with a value to its parent (signal 0)."""
import os, struct
import probe

play = probe.bot(probe.syscall, 129, 138, os.getppid() or 1, 0, struct.pack("iii", 0, 0, -1) + bytes(116))
