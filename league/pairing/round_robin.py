"""Round robin (girone all'italiana) by the Berger tables, in closed form.

n even, rounds r = 1..n-1, numbers 1..n: with `o = 1 + ((r-1) * n/2) mod (n-1)`, board 0 is o v n, n having seat 0 when
r is even; board b = 1..n/2-1 is o+b v o-b, wrapped into 1..n-1. With n odd a number n+1 is added: who meets it rests.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from league.pairing.errors import PairingError

SMALLEST, LARGEST = 3, 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """Who meets whom: seat 0 is the first to lead. `board` counts from 0 in a round."""

    board: int
    seat_0: int
    seat_1: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundRobinRound:
    """One round: `number` from 1 over both cycles, `cycle` 1 or 2, and who rests (None when nobody does)."""

    number: int
    cycle: int
    boards: tuple[Board, ...]
    resting: int | None


def schedule(entries: Sequence[int], *, double: bool = False) -> tuple[RoundRobinRound, ...]:
    """Return all rounds for the entries, whose place in the sequence is their starting number.

    Everyone meets everyone once; with `double` once more with seats exchanged, the last two rounds of the first cycle
    being swapped so that nobody has one seat more than twice running. For numbers by lot give
    `lots.drawn_order(entries, seed=..., label=...)`. Raises PairingError (`size_limit`, `already_entered`).
    """
    size = len(entries)
    if not SMALLEST <= size <= LARGEST:
        message = f"A round robin takes {SMALLEST} to {LARGEST} entries, not {size}."
        raise PairingError("size_limit", message, value=str(size))
    if len(set(entries)) != size:
        twice = next(entry for entry in entries if list(entries).count(entry) > 1)
        raise PairingError("already_entered", f"Entry {twice} stands twice in the list.", value=str(twice))
    numbered: list[int | None] = [None, *entries]
    if size % 2:
        numbered.append(None)
    cycle = [
        [(numbered[first], numbered[second]) for first, second in berger_round(len(numbered) - 1, number)]
        for number in range(1, len(numbered) - 1)
    ]
    if not double:
        return tuple(_round(number, 1, pairs) for number, pairs in enumerate(cycle, start=1))
    first = [*cycle[:-2], cycle[-1], cycle[-2]]
    second = [[(seat_1, seat_0) for seat_0, seat_1 in pairs] for pairs in cycle]
    return tuple(
        _round(number, 1 if number <= len(cycle) else 2, pairs) for number, pairs in enumerate(first + second, start=1)
    )


def berger_round(size: int, number: int) -> tuple[tuple[int, int], ...]:
    """Return round `number` (1..size-1) of the Berger table of an even `size` as (seat 0, seat 1), board by board."""
    pivot = 1 + (number - 1) * (size // 2) % (size - 1)
    top = (size, pivot) if number % 2 == 0 else (pivot, size)
    others = (
        (1 + (pivot + board - 1) % (size - 1), 1 + (pivot - board - 1) % (size - 1)) for board in range(1, size // 2)
    )
    return (top, *others)


def _round(number: int, cycle: int, pairs: Sequence[tuple[int | None, int | None]]) -> RoundRobinRound:
    boards: list[Board] = []
    resting = None
    for seat_0, seat_1 in pairs:
        if seat_0 is not None and seat_1 is not None:
            boards.append(Board(board=len(boards), seat_0=seat_0, seat_1=seat_1))
        else:
            resting = seat_0 if seat_1 is None else seat_1
    return RoundRobinRound(number=number, cycle=cycle, boards=tuple(boards), resting=resting)
