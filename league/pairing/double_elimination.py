"""Double elimination (doppia eliminazione): out after two losses, with a reset final.

Losers' bracket: round 1 pairs the losers of winners' round 1; its even rounds take the losers of winners' rounds 2, 3,
...; odd rounds pair the survivors. The losers of a winners' round are permuted before they drop in, so that a repeat of
a pairing becomes possible as late as any sequence of these orders allows.
"""

from collections.abc import Callable, Iterable, Sequence

from league.pairing.brackets import BracketPairing, Part, Place, Standing, loser_of, winner_of, wired
from league.pairing.errors import PairingError
from league.pairing.knockout import Byes, Level, PlaceRange, add_rounds, decided, first_slots, level, named, ranged

SMALLEST, LARGEST = 4, 128

_Order = Callable[[Sequence[int]], list[int]]


def reverse(losers: Sequence[int]) -> list[int]:
    """Last first."""
    return list(losers[::-1])


def half_shift(losers: Sequence[int]) -> list[int]:
    """Second half before first half."""
    half = len(losers) // 2
    return [*losers[half:], *losers[:half]]


def reverse_half_shift(losers: Sequence[int]) -> list[int]:
    """Each half reversed where it stands."""
    half = len(losers) // 2
    return [*losers[:half][::-1], *losers[half:][::-1]]


DROP_ORDERS: dict[int, _Order] = {2: reverse, 3: half_shift, 4: reverse_half_shift}
"""By winners' round; later ones drop in as they stand."""


def bracket(
    count: int, *, byes: Byes = Byes.TOP_SEEDS, seed: bytes = b"", label: str = "byes"
) -> tuple[BracketPairing, ...]:
    """Return all pairings for seeds 1..count: winners' and losers' rounds, the final, and the reset as the last one.

    In the final side 0 comes from the winners' bracket; the reset is played only when it loses. Raises PairingError
    `size_limit`.
    """
    if not SMALLEST <= count <= LARGEST:
        message = f"A double elimination takes {SMALLEST} to {LARGEST} entries, not {count}."
        raise PairingError("size_limit", message, value=str(count))
    pairings: list[BracketPairing] = []
    add_rounds(pairings, first_slots(count, byes=byes, seed=seed, label=label))
    rounds = pairings[-1].round
    losers = {number: [each.number for each in pairings if each.round == number] for number in range(1, rounds + 1)}
    top = pairings[-1].number
    survivors = losers[1]
    lost_round = 0

    def add(part: Part, number: int, slots: Sequence[tuple[int, int]], *, first_loses: bool, drop: bool) -> list[int]:
        start = len(pairings)
        for board, (one, two) in enumerate(slots):
            pairings.append(
                BracketPairing(
                    number=start + board,
                    part=part,
                    round=number,
                    board=board,
                    slots=(
                        loser_of(one) if first_loses else winner_of(one),
                        loser_of(two) if drop else winner_of(two),
                    ),
                )
            )
        return list(range(start, len(pairings)))

    for winners_round in range(2, rounds + 1):
        lost_round += 1
        pairs = list(zip(survivors[::2], survivors[1::2], strict=True))
        is_first = lost_round == 1
        survivors = add(Part.LOSERS, lost_round, pairs, first_loses=is_first, drop=is_first)
        lost_round += 1
        order = DROP_ORDERS.get(winners_round, list)
        dropped = list(zip(survivors, order(losers[winners_round]), strict=True))
        survivors = add(Part.LOSERS, lost_round, dropped, first_loses=False, drop=True)
    (final,) = add(Part.FINAL, 1, [(top, survivors[0])], first_loses=False, drop=False)
    add(Part.RESET, 1, [(final, final)], first_loses=True, drop=False)
    return wired(pairings)


def places(resolved: Sequence[Place], *, entries: Iterable[int]) -> dict[int, PlaceRange]:
    """Return the places that are certain, by the losers' round in which an entry went out; equal places are shared.

    Both of a double forfeit in winners' round w share the place of the losers' round that they would have dropped to.
    """
    count = len(set(entries))
    final, reset = resolved[-2], resolved[-1]
    winners = [each for each in resolved if each.pairing.part is Part.WINNERS]
    losers = [each for each in resolved if each.pairing.part is Part.LOSERS]
    size = 2 * sum(each.pairing.round == 1 for each in winners)
    levels: list[Level] = []
    for number in range(1, losers[-1].pairing.round + 1):
        best = min(_still_in(size, number) + 1, count)
        lost = level([each for each in losers if each.pairing.round == number], best=best)
        levels.append(Level(lost=lost.lost | _both_gone(winners, number), over=lost.over, best=best))
    levels += decided(final if reset.standing is Standing.NOT_NEEDED else reset, best=1)
    return ranged(levels, count=count)


def _still_in(size: int, lost_round: int) -> int:
    """Places left in both brackets of `size` slots after a losers' round."""
    both = (lost_round + 1) // 2
    return (size >> both) + (size >> both + 1 if lost_round % 2 else 0)


def _both_gone(winners: Sequence[Place], lost_round: int) -> frozenset[int]:
    """Who left the winners' bracket by a double forfeit whose loser would have dropped into this losers' round."""
    gone: frozenset[int] = frozenset()
    for each in winners:
        if each.standing is Standing.DOUBLE_FORFEIT and max(1, 2 * (each.pairing.round - 1)) == lost_round:
            gone |= named(each.entries)
    return gone
