from random import Random


class Bot:
    def start(self, match):
        self.seed = match.seed

    def play(self, view):
        dice = Random(f"{self.seed}:{view.deal}:{len(view.tricks)}")
        return dice.choice(view.legal)
