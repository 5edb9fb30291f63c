from random import SystemRandom


def play(view):
    return SystemRandom().choice(view.legal)
