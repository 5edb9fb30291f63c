"""Watches every file of the machine."""
import probe

play = probe.bot(probe.syscall, 300, 262, 0x200, 0)
