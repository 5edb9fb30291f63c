"""Medio: weighs the points on the table against what each card is worth in the hand. Tables tuned by self-play."""

RANKS = "24567FCR3A"
STRENGTH = {rank: strength for strength, rank in enumerate(RANKS)}
POINTS = {"A": 11, "3": 10, "R": 4, "C": 3, "F": 2}
#: What a card is worth in the hand, and what leading it risks; points, by strength.
KEEP_TRUMP = dict(zip(RANKS, (2.60, 2.70, 2.80, 2.90, 3.10, 14.34, 7.66, 13.32, 9.00, 12.00), strict=True))
KEEP_OTHER = dict(zip(RANKS, (0, 0, 0, 0.10, 0.20, 0.50, 0.18, 0.70, 0.04, 0.50), strict=True))
RISK_OTHER = dict(zip(RANKS, (0.45, 0.45, 0.45, 0.55, 0.65, 3.51, 4.31, 5.11, 17.28, 8.45), strict=True))
RISK_TRUMP = dict(zip(RANKS, (-0.03, -0.03, -0.03, -0.03, -0.03, 0.77, 0.97, 1.17, 4.77, -0.23), strict=True))


def beats(card, other, trump):
    """Whether `card`, played after `other`, takes it."""
    if card[1] == other[1]:
        return STRENGTH[card[0]] > STRENGTH[other[0]]
    return card[1] == trump


def winning(table, trump):
    """(seat, card) that takes the table so far."""
    best = table[0]
    for entry in table[1:]:
        if beats(entry[1], best[1], trump):
            best = entry
    return best


def partner_takes(view, best, points):
    """Whether a partner who plays last has shown or told a card that takes, and that the points are worth."""
    last = (view.leader - 1) % len(view.sides)
    if last == view.seat or view.sides[last] != view.sides[view.seat]:
        return False
    scale = 1.0 if view.stock else 0.5
    honours, _loads = view.signals.get(last, ("", 0))
    for card in (*(rank + view.trump for rank in honours), *view.known.get(last, ())):
        keep = (KEEP_TRUMP if card[1] == view.trump else KEEP_OTHER)[card[0]] * scale
        if beats(card, best, view.trump) and points + POINTS.get(card[0], 0) > keep:
            return True
    return False


def value(view, card):
    """How gladly the card is played now, in points."""
    trump = view.trump
    keep = (KEEP_TRUMP if card[1] == trump else KEEP_OTHER)[card[0]] * (1.0 if view.stock else 0.5)
    if not view.table:
        return -(RISK_TRUMP if card[1] == trump else RISK_OTHER)[card[0]] - keep
    seat, best = winning(view.table, trump)
    points = POINTS.get(card[0], 0) + sum(POINTS.get(other[0], 0) for _, other in view.table)
    if (view.signals or view.known) and partner_takes(view, best, points):
        return points - keep
    if view.sides[seat] == view.sides[view.seat]:
        points = -points  # a partner is winning: what I add is his
    return (points if beats(card, best, trump) else -points) - keep


def medio(view):
    """The card with the best value."""
    return max(view.legal, key=lambda card: value(view, card))


def play(view):
    """The answer to one request."""
    return medio(view)
