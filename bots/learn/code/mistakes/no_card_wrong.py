def play(view):
    for card in view.legal:
        if card[1] != view.trump:
            return card
