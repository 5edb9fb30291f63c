class Bot:
    def play(self, view):
        if not view.tricks:
            self.gone = 0  # trumps that were played
        else:
            self.gone += sum(card[1] == view.trump for card in view.tricks[-1].cards)
        return view.legal[0] if self.gone < 5 else view.legal[-1]
