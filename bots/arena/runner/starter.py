"""A bot for Briscola to start from. Let it play:  bella play FILE greedy"""

ORDER = "24567FCR3A"  # ranks: in one suit the later takes the earlier
POINTS = {"A": 11, "3": 10, "R": 4, "C": 3, "F": 2}  # the other cards count nothing


def play(view):
    """Called for every card: return one of view.legal. A card is rank and suit: "3C" is the three of cups (coppe)."""
    cheapest = min(view.legal, key=lambda card: cost(card, view.trump))
    if not view.table:  # I lead: give away as little as possible
        return cheapest
    best = view.table[0][1]  # of the (seat, card) on the table, the card that takes so far
    for _seat, card in view.table[1:]:
        best = card if beats(card, best, view.trump) else best
    taking = [card for card in view.legal if beats(card, best, view.trump)]
    plain = [card for card in taking if card[1] != view.trump]
    if plain:  # I can take without a trump: bring my own points home
        return max(plain, key=lambda card: cost(card, view.trump))
    if taking and best[0] in "A3":  # an ace or a three is worth a trump
        return min(taking, key=lambda card: cost(card, view.trump))
    return cheapest


def cost(card, trump):
    """What a card is worth to me: its points, more for a trump; among equals its rank."""
    return POINTS.get(card[0], 0) + 5 * (card[1] == trump), ORDER.index(card[0])


def beats(card, other, trump):
    """Whether `card`, played after `other`, takes it."""
    return ORDER.index(card[0]) > ORDER.index(other[0]) if card[1] == other[1] else card[1] == trump
