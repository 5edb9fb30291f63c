"""Wakes a futex of a shared page: two bots that map the same library file could meet there."""
import probe

play = probe.bot(probe.syscall, 202, 98, bytes(8), 1, 1, 0, 0, 0)
