"""The last three tricks of two players, no stock, both hands known: the whole tree in a few comparisons.

Gains are eighths of a point with an eighth for the trick itself, so that their sign tells who took it even when it was
worth nothing; `points_of` takes them back to points. Values are those of the seat that leads less those of the other.
"""

from typing import Final

from .cards import BEATS, NO_TRUMP, POINTS

GAINS: Final = tuple(
    tuple(
        -8 * (POINTS[lead] + POINTS[reply]) - 1
        if BEATS[trump][lead * 40 + reply]
        else 8 * (POINTS[lead] + POINTS[reply]) + 1
        for lead in range(40)
        for reply in range(40)
    )
    for trump in range(NO_TRUMP + 1)
)
"""`GAINS[trump][lead * 40 + reply]`: what the leader of the trick gains, above 0 when the leader takes it."""

Hand = tuple[int, ...]


def points_of(value: int) -> int:
    """Points of a sum of at most three gains."""
    return (value + 4) >> 3


def value(mine: Hand, other: Hand, gains: tuple[int, ...]) -> int:
    """Best that the seat with `mine` gets when it leads; hands of 0 to 3 cards, equally many."""
    if len(mine) == 2:
        return _two(mine[0], mine[1], other[0], other[1], gains)
    if len(mine) == 3:
        return max(lead_values(mine, other, gains))
    return gains[mine[0] * 40 + other[0]] if mine else 0


def lead_values(mine: Hand, other: Hand, gains: tuple[int, ...]) -> list[int]:
    """What each card of `mine` gets when it is led; hands of 1 to 3 cards, equally many."""
    if len(mine) == 3:
        a, b, c = mine
        return [
            _reply(a, b, c, other, gains),
            _reply(b, a, c, other, gains),
            _reply(c, a, b, other, gains),
        ]
    return [min(_after(lead, mine, other, gains)) for lead in mine]


def reply_values(lead: int, mine: Hand, other: Hand, gains: tuple[int, ...]) -> list[int]:
    """What the leader of the trick, who keeps `other`, gets from each reply of `mine` to its `lead`."""
    return _after(lead, (lead, *other), mine, gains)


def best_line(mine: Hand, other: Hand, lead: int | None, found: list[int], gains: tuple[int, ...]) -> list[int]:
    """Best play to the end, each time the first best card of those not yet played.

    `mine` is on turn, after a `lead` of the other or to lead; `found` are the values of its cards.
    """
    line = []
    while len(mine) > 1:
        points = [*map(points_of, found)]
        if lead is None:
            lead = mine[points.index(max(points))]
            line.append(lead)
            mine, other = other, _without(mine, lead)
            found = reply_values(lead, mine, other, gains)
        else:
            card = mine[points.index(min(points))]
            line.append(card)
            mine = _without(mine, card)
            if gains[lead * 40 + card] > 0:
                mine, other = other, mine
            lead = None
            found = lead_values(mine, other, gains)
    return [*line, *mine, *other]


def _without(hand: Hand, card: int) -> Hand:
    return tuple([held for held in hand if held != card])


def _after(lead: int, leading: Hand, replying: Hand, gains: tuple[int, ...]) -> list[int]:
    """The leader's gain for each reply to a card of its hand."""
    rest = _without(leading, lead)
    found = []
    for reply in replying:
        gain = gains[lead * 40 + reply]
        kept = _without(replying, reply)
        found.append(gain + value(rest, kept, gains) if gain > 0 else gain - value(kept, rest, gains))
    return found


def _reply(lead: int, a: int, b: int, other: Hand, gains: tuple[int, ...]) -> int:
    """The leader's gain when it leads, keeps `a` and `b`, and three cards may reply."""
    x, y, z = other
    at = lead * 40
    gain = gains[at + x]
    worst = gain + _two(a, b, y, z, gains) if gain > 0 else gain - _two(y, z, a, b, gains)
    gain = gains[at + y]
    found = gain + _two(a, b, x, z, gains) if gain > 0 else gain - _two(x, z, a, b, gains)
    if found < worst:
        worst = found
    gain = gains[at + z]
    found = gain + _two(a, b, x, y, gains) if gain > 0 else gain - _two(x, y, a, b, gains)
    return found if found < worst else worst


def _two(a: int, b: int, x: int, y: int, gains: tuple[int, ...]) -> int:
    """The same with two cards each: `a` or `b` is led, `x` or `y` replies, the others follow."""
    gain = gains[a * 40 + x]
    best = gain + gains[b * 40 + y] if gain > 0 else gain - gains[y * 40 + b]
    gain = gains[a * 40 + y]
    found = gain + gains[b * 40 + x] if gain > 0 else gain - gains[x * 40 + b]
    if found < best:
        best = found
    gain = gains[b * 40 + x]
    worst = gain + gains[a * 40 + y] if gain > 0 else gain - gains[y * 40 + a]
    gain = gains[b * 40 + y]
    found = gain + gains[a * 40 + x] if gain > 0 else gain - gains[x * 40 + a]
    if found < worst:
        worst = found
    return worst if worst > best else best
