"""Pins pages in memory."""
import probe


def attack():
    import ctypes
    page = ctypes.create_string_buffer(4096)
    return probe.syscall(149, 228, ctypes.c_void_p(ctypes.addressof(page)), ctypes.c_size_t(1))


play = probe.bot(attack)
