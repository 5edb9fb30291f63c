def play(view):
    seat, led = view.table[0]
    same = [card for card in view.legal if card[1] == led[1]]
    return same[0] if same else view.legal[0]
