from itertools import islice, permutations


def play(view):
    orders = islice(permutations(view.unseen()), 100)  # made one by one, and not all of them
    return view.legal[sum(1 for _ in orders) % len(view.legal)]
