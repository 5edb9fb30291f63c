"""Raises an error that takes for ever to say what it is."""
class Endless(Exception):
    def __str__(self):
        while True: pass
    __repr__ = __str__


def play(view):
    raise Endless
