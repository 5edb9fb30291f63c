from random import Random


class Bot:
    def start(self, match):  # once, before the first card
        self.seed = match.seed

    def play(self, view):  # for every card
        dice = Random(f"{self.seed}:{view.deal}:{len(view.tricks)}")
        return dice.choice(view.legal)

    def deal_over(self, result):  # after every deal
        print("deal", result.deal, "points", result.points)  # goes to the log
