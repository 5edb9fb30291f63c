"""Turns off the random layout of memory."""
import probe

play = probe.bot(probe.syscall, 135, 92, 0x0040000)
