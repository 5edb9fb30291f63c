"""Casuale: a uniform choice among the legal cards. The same seed and the same position give the same card."""

from random import Random


class Bot:
    """Draws its numbers from the match's seed and the position, so it needs no memory between two moves."""

    def start(self, match):
        """Remember the seed."""
        self.seed = match.seed

    def play(self, view):
        """Any card."""
        dice = Random(f"{self.seed}:{view.deal}:{len(view.tricks)}:{view.seat}")
        return dice.choice(view.legal)
