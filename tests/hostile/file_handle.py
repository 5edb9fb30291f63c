"""Asks for a handle by which a file can be opened past the directories above it."""
import probe

play = probe.bot(probe.syscall, 303, 264, -100, b"/", bytes([128, 0, 0, 0]) + bytes(140), bytes(8), 0)
