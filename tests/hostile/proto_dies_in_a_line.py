"""Ends in the middle of a line."""
import os
import probe


def evil(m, answers, requests):
    answers.write(b'{"n":')
    os._exit(0)


main = probe.raw(evil)
