"""Reads the CPU clock of another process: how long the opponent has thought."""
import os
import probe

play = probe.bot(probe.syscall, 228, 113, ~(os.getppid() or 1) << 3 | 2, bytes(16))
