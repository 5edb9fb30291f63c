"""Takes tricks cheaply, gives little away, spends a trump only on an ace or a three."""

RANKS = "24567FCR3A"  # in one suit the later rank takes
POINTS = {"A": 11, "3": 10, "R": 4, "C": 3, "F": 2}


def play(view):
    def cost(card):  # what I give away: points first, then strength; a trump is dear
        return POINTS.get(card[0], 0) + 6 * (card[1] == view.trump), RANKS.index(card[0])

    cheapest = min(view.legal, key=cost)
    if not view.table:  # I lead
        return cheapest
    led = view.table[0][1]  # the first card of the trick
    higher = [c for c in view.legal if c[1] == led[1] and RANKS.index(c[0]) > RANKS.index(led[0])]
    if higher and led[1] != view.trump:
        return max(higher, key=cost)  # takes, and brings its own points home
    trumps = [c for c in view.legal if c[1] == view.trump != led[1]]
    return min(trumps, key=cost) if trumps and led[0] in "A3" else cheapest
