def play(view):
    cards = [*view.hand, *(card for _, card in view.table)]
    return max(cards, key=lambda card: "24567FCR3A".index(card[0]))
