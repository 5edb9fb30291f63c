"""Clocks of people: `"<bank>+<increment>"` seconds a deal, or none. Pure arithmetic in ms; it refills at each deal.

A play is charged with the time since the turn was given, less what is free: the network's time at every play, the
pause after a trick, a look at the cards at the first play of a deal.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext_lazy as _

from games.errors import BadMatch

NO_CLOCK: Final = "none"
#: Name of a pace -> its clock.
PRESETS: Final = {"fast": "60+3", "normal": "180+5", "slow": "600+10"}
DEFAULT: Final = PRESETS["normal"]
FREE_PLAY_MS: Final = 500
FREE_TRICK_MS: Final = 2_000
FREE_DEAL_MS: Final = 4_000
_CODE: Final = re.compile(r"([1-9][0-9]{0,4})\+(0|[1-9][0-9]{0,3})\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Clock:
    """What a seat has for a deal, and what it gains with each of its plays; ms."""

    bank_ms: int
    increment_ms: int


def parse_clock(code: str) -> Clock | None:
    """The clock of a code, None for `none`. Raises BadMatch `match.clock`.

    >>> parse_clock("180+5")
    Clock(bank_ms=180000, increment_ms=5000)
    """
    if code == NO_CLOCK:
        return None
    found = _CODE.match(code)
    if found is None:
        raise BadMatch("match.clock", _("A clock is written as seconds a deal and seconds a card, for example 180+5."))
    return Clock(int(found[1]) * 1000, int(found[2]) * 1000)


def free_ms(ply: int, n: int) -> int:
    """What the play after `ply` cards costs nothing, at a table of `n`."""
    if ply == 0:
        return FREE_PLAY_MS + FREE_DEAL_MS
    return FREE_PLAY_MS + (FREE_TRICK_MS if ply % n == 0 else 0)


def left_ms(clock: Clock, seats: Sequence[int], think_ms: Sequence[int], n: int) -> list[int]:
    """What each of `n` seats has left after plays by `seats` that were charged with `think_ms`; never below 0."""
    left = [clock.bank_ms] * n
    for seat, charged in zip(seats, think_ms, strict=True):
        left[seat] += clock.increment_ms - charged
    return [max(0, ms) for ms in left]
