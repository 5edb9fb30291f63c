"""The reference of the engine's speed targets: the tightest loop in plain Python for one random two-player deal.

Nothing is checked, recorded or undone here; what remains is the work that no engine can avoid. A figure of the engine
is stated as a ratio to this loop, both measured in one run on one core.
"""

from collections.abc import Callable
from random import Random

VALUES = tuple((0, 0, 0, 0, 0, 2, 3, 4, 10, 11)[card % 10] for card in range(40))
TRICK_VALUES = bytes(VALUES[led] + VALUES[reply] for led in range(40) for reply in range(40))
"""Points of a trick at [led * 40 + reply]."""


def _taken_by_reply(trump: int) -> bytes:
    """1 at [led * 40 + reply] where the reply takes the trick."""
    return bytes(
        reply > led if reply // 10 == led // 10 else reply // 10 == trump for led in range(40) for reply in range(40)
    )


TAKEN_BY_REPLY = tuple(_taken_by_reply(trump) for trump in range(4))


def random_deal(deck: list[int], shuffle: Callable[[list[int]], None], rnd: Callable[[], float]) -> int:
    """Shuffle `deck` in place, play it out at random and return the points of the seat that leads first."""
    shuffle(deck)
    leading, replying = [deck[0], deck[2], deck[4]], [deck[1], deck[3], deck[5]]
    upcard = deck[6]
    taken_by_reply = TAKEN_BY_REPLY[upcard // 10]
    leading_points = replying_points = 0
    is_first_leading = True
    for next_card in range(7, 39, 2):  # sixteen tricks after which both draw a hidden card
        mine = int(rnd() * 3)
        theirs = int(rnd() * 3)
        trick = leading[mine] * 40 + replying[theirs]
        if taken_by_reply[trick]:
            replying[theirs] = deck[next_card]
            leading[mine] = deck[next_card + 1]
            leading, replying = replying, leading
            leading_points, replying_points = replying_points + TRICK_VALUES[trick], leading_points
            is_first_leading = not is_first_leading
        else:
            leading[mine] = deck[next_card]
            replying[theirs] = deck[next_card + 1]
            leading_points += TRICK_VALUES[trick]
    mine = int(rnd() * 3)  # the seventeenth: whoever loses it draws the upcard
    theirs = int(rnd() * 3)
    trick = leading[mine] * 40 + replying[theirs]
    if taken_by_reply[trick]:
        replying[theirs] = deck[39]
        leading[mine] = upcard
        leading, replying = replying, leading
        leading_points, replying_points = replying_points + TRICK_VALUES[trick], leading_points
        is_first_leading = not is_first_leading
    else:
        leading[mine] = deck[39]
        replying[theirs] = upcard
        leading_points += TRICK_VALUES[trick]
    for left in (3, 2, 1):
        trick = leading.pop(int(rnd() * left)) * 40 + replying.pop(int(rnd() * left))
        if taken_by_reply[trick]:
            leading, replying = replying, leading
            leading_points, replying_points = replying_points + TRICK_VALUES[trick], leading_points
            is_first_leading = not is_first_leading
        else:
            leading_points += TRICK_VALUES[trick]
    return leading_points if is_first_leading else replying_points


def run(deals: int, seed: int) -> tuple[float, float]:
    """Play `deals` random deals: mean points of the first seat (about 62) and share of 60-60 (about 0.0168)."""
    rng = Random(seed)
    deck = list(range(40))
    total = drawn = 0
    for _ in range(deals):
        points = random_deal(deck, rng.shuffle, rng.random)
        total += points
        drawn += points == 60
    return total / deals, drawn / deals
