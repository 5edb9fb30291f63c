"""Reads address 0."""
import ctypes


def play(view):
    ctypes.string_at(0)
