"""Reads the memory of its parent, or its own by the same call. It is a fork: addresses are the same."""
import os
import probe


def attack():
    import ctypes, struct
    mine, length = ctypes.create_string_buffer(8), 8
    local = struct.pack("QQ", ctypes.addressof(mine), length)
    remote = struct.pack("QQ", id(None), length)
    for pid in (os.getppid() or 1, os.getpid()):
        try: return pid, probe.syscall(310, 270, pid, local, 1, remote, 1, ctypes.c_ulong(0))
        except OSError as error: print(pid, repr(error)[:90])


play = probe.bot(attack)
