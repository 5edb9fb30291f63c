"""Sets up the old asynchronous input and output."""
import probe

play = probe.bot(probe.syscall, 206, 0, 8, bytes(8))
