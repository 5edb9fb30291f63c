"""Puts a filter of its own over itself, with a descriptor on which somebody answers."""
import probe


def attack():
    import ctypes, struct
    allow = struct.pack("<HBBI", 0x06, 0, 0, 0x7FFF0000)
    program = ctypes.create_string_buffer(allow, 8)
    return probe.syscall(317, 277, 1, 8, struct.pack("HxxxxxxP", 1, ctypes.addressof(program)))


play = probe.bot(attack)
