"""Ladder by cycles (`all_pairs`): each cycle every two entries of different owners meet once, mirrored."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from league.pairing.errors import PairingError
from league.pairing.lots import coin, drawn_order
from league.pairing.round_robin import berger_round


@dataclass(frozen=True, slots=True, kw_only=True)
class CyclePairing:
    """A pairing of a cycle: side 0 leads first in its first match. `calibration`: a new entry meets a reference."""

    entries: tuple[int, int]
    cycle: int
    calibration: bool

    def to_reason(self) -> dict[str, object]:
        """Return why they meet, in plain JSON types."""
        flags = ["calibration"] if self.calibration else []
        return {"code": "ladder_cycle", "cycle": self.cycle, "flags": flags, "seats": "mirrored"}


@dataclass(frozen=True, slots=True, kw_only=True)
class CycleEntry:
    """A version in a cycle. `owner` None belongs to nobody; `reference`: a fixed bot that anchors the scale; `new`: it
    came after the last cycle."""

    entry: int
    owner: int | None = None
    reference: bool = False
    new: bool = False


def cycle(entries: Sequence[CycleEntry], *, number: int, seed: bytes) -> tuple[CyclePairing, ...]:
    """Return all pairings of cycle `number` in the order in which to play them.

    First each new entry meets the references; the rest follows in rounds of a Berger table by drawn numbers, so that
    nobody waits while another plays twice. Raises PairingError `already_entered`.
    """
    by_entry = {each.entry: each for each in entries}
    if len(by_entry) != len(entries):
        raise PairingError("already_entered", "An entry stands twice in the ladder.")
    order = drawn_order(by_entry, seed=seed, label=f"cycle:{number}")
    size = len(order) + len(order) % 2
    met = [
        (by_entry[order[one - 1]], by_entry[order[two - 1]])
        for number_ in range(1, size)
        for one, two in berger_round(size, number_)
        if max(one, two) <= len(order)
    ]
    first: list[CyclePairing] = []
    then: list[CyclePairing] = []
    for one, two in met:
        if one.owner is not None and one.owner == two.owner:
            continue
        calibration = (one.new and two.reference) or (two.new and one.reference)
        low, high = sorted((one.entry, two.entry))
        swap = coin(seed=seed, label=f"lead:{number}:{low}:{high}")
        pairing = CyclePairing(entries=(high, low) if swap else (low, high), cycle=number, calibration=calibration)
        (first if calibration else then).append(pairing)
    return (*first, *then)


def left_over(pairings: Sequence[CyclePairing], *, played: Collection[frozenset[int]]) -> tuple[CyclePairing, ...]:
    """Return the pairings of a cycle that are still to be made: what a restart in the middle goes on with."""
    return tuple(each for each in pairings if frozenset(each.entries) not in played)
