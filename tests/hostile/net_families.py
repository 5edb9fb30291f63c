"""Tries a socket of every family there is: packets, hypervisor, Bluetooth, kernel crypto ..."""
import socket
import probe


def attack():
    got = []
    for family in range(1, 46):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
            try: got.append((family, socket.socket(family, kind, 0).fileno()))
            except OSError: pass
    return got


play = probe.bot(attack)
