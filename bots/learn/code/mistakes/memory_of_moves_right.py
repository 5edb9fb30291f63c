class Bot:
    def play(self, view):
        gone = sum(card[1] == view.trump for trick in view.tricks for card in trick.cards)
        return view.legal[0] if gone < 5 else view.legal[-1]
