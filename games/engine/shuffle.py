"""The shuffle `bella-1`: Fisher-Yates over a stream of HMAC-SHA-256 blocks, the same in Python and in a browser.

Its name is stored with a match; what it gives for a seed never changes. `docs/engine.md` describes it byte for byte.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from hmac import digest
from typing import Final

from .cards import RANKS
from .errors import ShuffleError, shown
from .rules import Rules

NAME: Final = "bella-1"
MAX_ROUNDS: Final = 64
MAX_NUMBER: Final = 10**9

_SALT: Final = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-")
_FORBIDDEN: Final = {
    "none": frozenset[int](),
    "A3": frozenset(RANKS.index(rank) for rank in "A3"),
    "A3R": frozenset(RANKS.index(rank) for rank in "A3R"),
}
_FAIR: Final = (0, *(256 - 256 % n for n in range(1, 257)))
"""`_FAIR[n]`: bytes from here on are thrown away, so that the rest of a division by n is fair."""


@dataclass(frozen=True, slots=True)
class Shuffle:
    """A shuffled deck, top first; upcards turned back, in order; number of reshuffles before it."""

    deck: tuple[int, ...]
    turned: tuple[int, ...]
    attempt: int


class Stream:
    """Bytes of `HMAC-SHA-256(seed, label || u32(block))`, block 0, 1, 2 ..."""

    __slots__ = ("_block", "_bytes", "_label", "_seed")

    def __init__(self, seed: bytes, label: str) -> None:
        self._seed = seed
        self._label = label.encode("ascii")
        self._block = 0
        self._bytes = iter(b"")

    def _next_block(self) -> bytes:
        block = digest(self._seed, self._label + self._block.to_bytes(4, "big"), "sha256")
        self._block += 1
        return block

    def below(self, n: int) -> int:
        """Fair integer from 0 to n - 1, 1 <= n <= 256."""
        fair = _FAIR[n]
        while True:
            for byte in self._bytes:
                if byte < fair:
                    return byte % n
            self._bytes = iter(self._next_block())

    def permuted(self, cards: Sequence[int]) -> list[int]:
        """`cards` in a fair random order."""
        order = list(cards)
        below = self.below
        for last in range(len(order) - 1, 0, -1):
            other = below(last + 1)
            order[last], order[other] = order[other], order[last]
        return order


def commitment(seed: bytes) -> str:
    """SHA-256 of the seed in lower-case hex, shown before the first card. Raises ShuffleError `shuffle.seed`.

    >>> commitment(bytes(range(32)))[:16]
    '630dcd2966c43366'
    """
    return sha256(_checked_seed(seed)).hexdigest()


def is_forbidden(rules: Rules, card: int) -> bool:
    """Whether the rules turn back `card` as an upcard."""
    return card % 10 in _FORBIDDEN[rules.redraw]


def redraw_action(rules: Rules, turned: Sequence[int]) -> str:
    """What follows when the upcards `turned` have appeared one after the other in one shuffle.

    `keep` the last one, `reinsert_and_turn` the next, or `reshuffle` everything.
    """
    if not turned or not is_forbidden(rules, turned[-1]):
        return "keep"
    return "reshuffle" if rules.redraw == "A3R" and len(turned) > 1 else "reinsert_and_turn"


def shuffled(rules: Rules, seed: bytes, salt: str, number: int) -> Shuffle:
    """The deck of deal `number` (from 1) of a match.

    Raises ShuffleError: `shuffle.seed` (not 32 bytes), `shuffle.salt`, `shuffle.number`, `shuffle.exhausted`.

    >>> from games.engine import format_cards
    >>> format_cards(shuffled(Rules(), bytes(range(32)), "", 1).deck[:7])
    '5S6D7C7DAC4D5B'
    """
    _checked_seed(seed)
    _check_salt(salt)
    if type(number) is not int or not 1 <= number <= MAX_NUMBER:
        raise ShuffleError("shuffle.number", f"Deals are numbered from 1, not {shown(number)}.")
    for attempt in range(MAX_ROUNDS):
        stream = Stream(seed, f"{NAME}:{salt}:deal:{number}:{attempt}")
        deck = stream.permuted(rules.cards)
        turned = _redrawn(rules, deck, stream)
        if turned is not None:
            return Shuffle(tuple(deck), turned, attempt)
    raise _exhausted()


def _redrawn(rules: Rules, deck: list[int], stream: Stream) -> tuple[int, ...] | None:
    """Turn forbidden upcards back into the stock of `deck`; None when the rules ask for a new shuffle."""
    under = rules.hand * rules.n
    seen = [deck[under]]
    while (action := redraw_action(rules, seen)) != "keep":
        if action == "reshuffle":
            return None
        if len(seen) > MAX_ROUNDS:
            raise _exhausted()
        card = deck.pop(under)
        seen.append(deck[under])
        # the old upcard lies below at least one hidden card of the old order: a new card is always turned
        deck.insert(under + 1 + stream.below(len(deck) - under), card)
    return tuple(seen[:-1])


def dealer_draws(rules: Rules, seed: bytes, salt: str) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Rounds of (seat, card) drawn for the first deal with `lowest` or `highest`; no rounds otherwise.

    >>> dealer_draws(Rules(first_dealer="lowest"), bytes(range(32)), "")
    (((0, 2), (1, 31)),)
    """
    _checked_seed(seed)
    _check_salt(salt)
    if rules.first_dealer not in ("lowest", "highest"):
        return ()
    cards = iter(Stream(seed, f"{NAME}:{salt}:dealer").permuted(range(40)))
    choose = min if rules.first_dealer == "lowest" else max
    live = list(range(rules.n))
    rounds = []
    while len(live) > 1:
        drawn = tuple(zip(live, cards, strict=False))
        if len(drawn) < len(live):
            raise _exhausted()
        rounds.append(drawn)
        wanted = choose(card % 10 for _, card in drawn)
        live = [seat for seat, card in drawn if card % 10 == wanted]
    return tuple(rounds)


def first_dealer(rules: Rules, seed: bytes, salt: str) -> int:
    """Seat that deals first, by the option `first_dealer` ("bas fa mas": the lowest deals). Raises ShuffleError.

    >>> first_dealer(Rules(first_dealer="lowest"), bytes(range(32)), "")
    1
    """
    rounds = dealer_draws(rules, seed, salt)
    if rounds:
        choose = min if rules.first_dealer == "lowest" else max
        return choose(rounds[-1], key=lambda draw: draw[1] % 10)[0]
    if rules.first_dealer == "random":
        return Stream(seed, f"{NAME}:{salt}:dealer").below(rules.n)
    return int(rules.first_dealer.removeprefix("seat:"))


def _checked_seed(seed: bytes) -> bytes:
    if not isinstance(seed, bytes) or len(seed) != 32:
        raise ShuffleError("shuffle.seed", "A seed is 32 bytes.")
    return seed


def _check_salt(salt: str) -> None:
    if not isinstance(salt, str) or len(salt) > 64 or not _SALT.issuperset(salt):
        raise ShuffleError("shuffle.salt", "A salt is at most 64 letters, digits, - or _.")


def _exhausted() -> ShuffleError:
    return ShuffleError("shuffle.exhausted", f"No end after {MAX_ROUNDS} rounds: the seed or the rules are broken.")
