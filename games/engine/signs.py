"""Signs between partners (`signals=signs`): seen by the whole table, true or not, kept beside the record.

What each looks like at the table is told by who draws it; sources disagree, so it is text to be translated.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from .errors import SignalError, shown

if TYPE_CHECKING:
    from .deal import Deal

HELD: Final = ("A", "3", "R", "C", "F")
"""I hold that trump."""

SIGNS: Final = (*HELD, "X", "K", "L", "?A", "?K", "!take", "!load", "!low", "!trump")
"""Every sign: a trump held, `X` no trump, `K` a carico, `L` nothing of worth; what is asked of the partner; orders."""


class Sign(NamedTuple):
    """A sign as it is kept: cards played before it, the seat, what it says."""

    plays: int
    seat: int
    code: str


def sign(deal: "Deal", signs: Sequence[Sign | tuple[int, int, str]], seat: int, code: str) -> Sign:
    """The sign that a seat makes now, to be added to `signs`, those of the deal so far.

    One a trick and seat, from trick `signs_from` on, before the own card. Raises SignalError: `signal.code`;
    `signal.not_allowed` (the rules have no signs, the deal is over, the seat has played to the trick or made its sign);
    `signal.too_early`.

    >>> from games.engine import Deal, Rules, shuffled
    >>> rules = Rules(n=4, signals="signs", signs_from=1)
    >>> deal = Deal(rules, shuffled(rules, bytes(32), "", 1).deck, dealer=3)
    >>> sign(deal, (), 2, "K")
    Sign(plays=0, seat=2, code='K')
    """
    rules = deal.rules
    if not isinstance(code, str) or code not in SIGNS:
        raise SignalError("signal.code", f"{shown(code)} is no sign; there are {' '.join(SIGNS)}.")
    if rules.signals != "signs":
        raise SignalError("signal.not_allowed", "These rules have no signs between partners.")
    if type(seat) is not int or not 0 <= seat < rules.n:
        raise SignalError("signal.not_allowed", f"A seat is a number below {rules.n}, not {shown(seat)}.")
    if deal.over:
        raise SignalError("signal.not_allowed", "The deal is over.")
    trick = deal.tricks_done + 1
    if trick < rules.signs_from:
        raise SignalError("signal.too_early", f"Signs may be made from trick {rules.signs_from} on.", trick=trick)
    lying = len(deal.table)
    if (seat - deal.leader) % rules.n < lying:
        raise SignalError("signal.not_allowed", "The seat has played to this trick: signs come before the own card.")
    begin = len(deal.plays) - lying
    if any(plays >= begin and other == seat for plays, other, _ in signs):
        raise SignalError("signal.not_allowed", "The seat has made its sign in this trick: one is allowed.")
    return Sign(len(deal.plays), seat, code)
