def play(view):
    for card in view.legal:
        if card[1] != view.trump:
            return card
    return view.legal[0]  # nothing but trumps
