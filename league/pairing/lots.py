"""Drawing lots from a tournament's seed: anyone who knows the seed draws the same."""

import hmac
from collections.abc import Iterable, Sequence
from typing import TypeVar

_NUMBER = 4
"""Bytes of the stream that one number takes."""

T = TypeVar("T")


def lot(*, seed: bytes, label: str, entry: int) -> bytes:
    """Return an entry's lot, 32 bytes: `HMAC-SHA-256(seed, "<label>:<entry>")`."""
    return hmac.digest(seed, f"{label}:{entry}".encode(), "sha256")


def drawn_order(entries: Iterable[int], *, seed: bytes, label: str) -> tuple[int, ...]:
    """Return the entries by rising lot: a shuffle that does not depend on the order in which they are given."""
    return tuple(sorted(entries, key=lambda entry: (lot(seed=seed, label=label, entry=entry), entry)))


def coin(*, seed: bytes, label: str) -> int:
    """Toss for side 0 or 1: the lowest bit of the first byte of `HMAC-SHA-256(seed, label)`."""
    return hmac.digest(seed, label.encode(), "sha256")[0] & 1


class Stream:
    """Numbers without end from a seed and a label: block b is `HMAC-SHA-256(seed, "<label>:<b>")`, read in fours."""

    __slots__ = ("_block", "_label", "_numbers", "_seed")

    def __init__(self, *, seed: bytes, label: str) -> None:
        self._seed, self._label = seed, label
        self._block = 0
        self._numbers: list[int] = []

    def below(self, limit: int) -> int:
        """Return a number in 0..limit-1, each as likely (limit at most 2^32): what would favour some is thrown away."""
        fair = (1 << 8 * _NUMBER) // limit * limit
        while (number := self._next()) >= fair:
            pass
        return number % limit

    def share(self, total: int) -> int:
        """Return a number in 0..total-1 for a total of any size, from as many fours as it needs and two more.

        The two more make what is uneven in it smaller than 2^-64.
        """
        number = 0
        for _ in range((total.bit_length() + 31) // 32 + 2):
            number = number << 8 * _NUMBER | self._next()
        return number % total

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return the items in a drawn order (Fisher-Yates from the end)."""
        drawn = list(items)
        for last in range(len(drawn) - 1, 0, -1):
            other = self.below(last + 1)
            drawn[last], drawn[other] = drawn[other], drawn[last]
        return drawn

    def _next(self) -> int:
        if not self._numbers:
            block = hmac.digest(self._seed, f"{self._label}:{self._block}".encode(), "sha256")
            self._block += 1
            self._numbers = [int.from_bytes(block[at : at + _NUMBER]) for at in range(0, len(block), _NUMBER)][::-1]
        return self._numbers.pop()
