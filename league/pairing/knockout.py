"""Single elimination (eliminazione diretta): seeding, byes, third place, places."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from league.pairing.brackets import (
    BracketPairing,
    Part,
    Place,
    Source,
    Standing,
    loser_of,
    winner_of,
    wired,
)
from league.pairing.errors import PairingError
from league.pairing.lots import coin, drawn_order

SMALLEST, LARGEST = 2, 512
LEAST_FOR_THIRD_PLACE = 4


class Byes(StrEnum):
    """Who passes the first round when the entries do not fill the bracket."""

    TOP_SEEDS = "top_seeds"
    LOT = "lot"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceRange:
    """A place from 1; `last` differs from `first` when it is shared (5 to 8)."""

    first: int
    last: int


def seed_order(size: int) -> tuple[int, ...]:
    """Return the seeds 1..size (a power of two) in bracket order: the best two can meet only in the final."""
    order = [1, 2]
    while len(order) < size:
        total = 2 * len(order) + 1
        order = [seed for pair in ((each, total - each) for each in order) for seed in pair]
    return tuple(order)


def bracket(
    count: int, *, third_place: bool = False, byes: Byes = Byes.TOP_SEEDS, seed: bytes = b"", label: str = "byes"
) -> tuple[BracketPairing, ...]:
    """Return all pairings for seeds 1..count, round by round, the match for third place before the final.

    Seeds above the count are byes; with `byes` by lot those who pass are drawn by `seed` and `label`, the seeds keep
    their order otherwise. Raises PairingError `size_limit`.
    """
    if not SMALLEST <= count <= LARGEST:
        message = f"A knockout takes {SMALLEST} to {LARGEST} entries, not {count}."
        raise PairingError("size_limit", message, value=str(count))
    if third_place and count < LEAST_FOR_THIRD_PLACE:
        message = f"A match for third place needs {LEAST_FOR_THIRD_PLACE} entries, not {count}."
        raise PairingError("size_limit", message, value=str(count))
    slots = first_slots(count, byes=byes, seed=seed, label=label)
    pairings: list[BracketPairing] = []
    add_rounds(pairings, slots)
    if third_place:
        final = pairings.pop()
        semifinals = [each.number for each in pairings[-2:]]
        third = BracketPairing(
            number=final.number,
            part=Part.THIRD_PLACE,
            round=final.round,
            board=0,
            slots=(loser_of(semifinals[0]), loser_of(semifinals[1])),
        )
        pairings += [
            third,
            BracketPairing(number=final.number + 1, part=Part.WINNERS, round=final.round, board=0, slots=final.slots),
        ]
    return wired(pairings)


def first_slots(
    count: int, *, byes: Byes = Byes.TOP_SEEDS, seed: bytes = b"", label: str = "byes"
) -> list[tuple[Source, Source]]:
    """Return the slots of the first round, board by board."""
    size = max(2, 1 << (count - 1).bit_length())
    order = seed_order(size)
    if byes is Byes.TOP_SEEDS or size == count:
        sources = [Source(seed=each if each <= count else None) for each in order]
    else:
        boards = drawn_order(range(size // 2), seed=seed, label=label)
        passing = set(boards[: size - count])
        # The weaker slot of a drawn board stays empty; the other seeds close ranks.
        empty = {max(order[2 * board], order[2 * board + 1]) for board in passing}
        kept = [each for each in range(1, size + 1) if each not in empty]
        renamed = {each: rank for rank, each in enumerate(kept, start=1)}
        sources = [Source(seed=renamed.get(each)) for each in order]
    return list(zip(sources[::2], sources[1::2], strict=True))


def add_rounds(pairings: list[BracketPairing], slots: Sequence[tuple[Source, Source]]) -> None:
    """Append the rounds from the first one's slots to the one with a single pairing."""
    number = 1
    current = list(slots)
    while current:
        start = len(pairings)
        pairings += [
            BracketPairing(number=start + board, part=Part.WINNERS, round=number, board=board, slots=each)
            for board, each in enumerate(current)
        ]
        current = [(winner_of(first), winner_of(first + 1)) for first in range(start, start + len(current) - 1, 2)]
        number += 1


def first_lead(*, seed: bytes, label: str, match: int = 0) -> int:
    """Return the side that leads first in match 0, 1, ... of a pairing: a coin, then in turn."""
    return coin(seed=seed, label=f"lead:{label}") ^ (match & 1)


def places(resolved: Sequence[Place], *, entries: Iterable[int]) -> dict[int, PlaceRange]:
    """Return the places that are certain: of everyone who lost in a round that is over, and of the last two (four).

    Shared by those who lost in the same round. After a double forfeit in the final there is no first place, both are
    second; in the match for third place both are fourth.
    """
    final = resolved[-1]
    rounds = final.pairing.round
    third = next((each for each in resolved if each.pairing.part is Part.THIRD_PLACE), None)
    levels = [
        level([each for each in resolved if _is_round(each, number)], best=2 ** (rounds - number) + 1)
        for number in range(1, rounds)
    ]
    if third is not None:
        semifinals = levels[-1]
        # What is left after a double forfeit in a semifinal has no match for third place, but no place above it either.
        levels[-1] = Level(lost=semifinals.lost - named(third.entries), over=semifinals.over, best=4)
        levels += decided(third, best=3)
    levels += decided(final, best=1)
    return ranged(levels, count=len(set(entries)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """Who went out at a stage of the bracket, whether it is over, and the best place that it can give."""

    lost: frozenset[int]
    over: bool
    best: int


def level(round_: Sequence[Place], *, best: int) -> Level:
    """Who lost in a round; after a double forfeit both."""
    lost: frozenset[int] = frozenset()
    for each in round_:
        if each.standing is Standing.DOUBLE_FORFEIT:
            lost |= named(each.entries)
        elif each.loser is not None:
            lost |= {each.loser}
    return Level(lost=lost, over=all(each.standing.is_end for each in round_), best=best)


def decided(last: Place, *, best: int) -> list[Level]:
    """The two levels that a match for the place `best` makes: its loser's and its winner's."""
    won = frozenset() if last.winner is None else frozenset({last.winner})
    return [level([last], best=best + 1), Level(lost=won, over=last.standing.is_end, best=best)]


def ranged(levels: Sequence[Level], *, count: int) -> dict[int, PlaceRange]:
    """Return places from the levels, the first to go out first; nothing above a level that is not over."""
    found: dict[int, PlaceRange] = {}
    left = count
    for each in levels:
        if not each.over:
            break
        if each.lost:
            first = max(each.best, left - len(each.lost) + 1)
            found.update(dict.fromkeys(sorted(each.lost), PlaceRange(first=first, last=max(first, left))))
            left -= len(each.lost)
    return found


def _is_round(place: Place, number: int) -> bool:
    return place.pairing.part is Part.WINNERS and place.pairing.round == number


def named(entries: Iterable[int | None]) -> frozenset[int]:
    """The entries that are known."""
    return frozenset(entry for entry in entries if entry is not None)
