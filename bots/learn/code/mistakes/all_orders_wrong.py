from itertools import permutations


def play(view):
    orders = list(permutations(view.unseen()))  # of 36 cards: 36!
    return view.legal[len(orders) % len(view.legal)]
