"""Principiante: knows what takes what, but plays one card in seven without looking: Ingordo with lapses."""

from random import Random

STRENGTH = {rank: strength for strength, rank in enumerate("24567FCR3A")}
POINTS = {"A": 11, "3": 10, "R": 4, "C": 3, "F": 2}


def beats(card, other, trump):
    """Whether `card`, played after `other`, takes it."""
    if card[1] == other[1]:
        return STRENGTH[card[0]] > STRENGTH[other[0]]
    return card[1] == trump


def lead_value(card, trump):
    """How gladly the card is led: cheap ones first, trumps last."""
    return -POINTS.get(card[0], 0) - 0.01 * STRENGTH[card[0]] - 0.5 * (card[1] == trump)


def follow_value(card, table, trump):
    """How gladly the card is played on a table: the points won or lost now, less a little for its strength."""
    best = table[0]
    for other in table[1:]:
        if beats(other, best, trump):
            best = other
    points = POINTS.get(card[0], 0) + sum(POINTS.get(other[0], 0) for other in table)
    won = points if beats(card, best, trump) else -points
    return won - 0.01 * STRENGTH[card[0]] - 0.3 * (card[1] == trump)


def greedy(view):
    """The card with the best value."""
    table = [card for _, card in view.table]
    if table:
        return max(view.legal, key=lambda card: follow_value(card, table, view.trump))
    return max(view.legal, key=lambda card: lead_value(card, view.trump))


class Bot:
    """Draws its lapses from the match's seed and the position, so it needs no memory between two moves."""

    def start(self, match):
        """Remember the seed."""
        self.seed = match.seed

    def play(self, view):
        """The greedy card, or any."""
        dice = Random(f"{self.seed}:{view.deal}:{len(view.tricks)}:{view.seat}")
        return dice.choice(view.legal) if dice.random() < 0.15 else greedy(view)
