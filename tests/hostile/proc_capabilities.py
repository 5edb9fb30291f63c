"""Looks for a capability that was left to it."""
import probe


def attack():
    import ctypes, struct
    sets = ctypes.create_string_buffer(24)
    probe.syscall(125, 90, struct.pack("<Ii", 0x20080522, 0), sets)
    return sets.raw.hex() if any(sets.raw) else None


play = probe.bot(attack)
