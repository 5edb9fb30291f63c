"""Brackets as data: pairings whose slots are filled by the winners and losers of others.

A bracket is drawn once and never changes; who stands where follows from the results alone (`resolve`), so undoing a
result restores exactly what was before.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from league.pairing.errors import PairingError


class Part(StrEnum):
    """Which part of a bracket a pairing belongs to. A single elimination has `winners` and perhaps `third_place`."""

    WINNERS = "winners"
    LOSERS = "losers"
    THIRD_PLACE = "third_place"
    FINAL = "final"
    RESET = "reset"


class Takes(StrEnum):
    """Who of a pairing goes into a slot."""

    WINNER = "winner"
    LOSER = "loser"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a slot gets its entry from: a seed (from 1), or a pairing; neither: empty for ever (a bye)."""

    seed: int | None = None
    pairing: int | None = None
    takes: Takes | None = None

    def to_dict(self) -> dict[str, int]:
        """Return {seed: n}, {winner: pairing}, {loser: pairing}, or nothing for a bye."""
        if self.pairing is not None and self.takes is not None:
            return {self.takes.value: self.pairing}
        return {} if self.seed is None else {"seed": self.seed}


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The slot that a winner or loser goes to."""

    pairing: int
    side: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BracketPairing:
    """A place in the bracket. `number` counts from 0 over the whole bracket, each after those it depends on; `round`
    from 1 in its part, `board` from 0 in its round. A `reset` is played only when side 1 wins the final before it."""

    number: int
    part: Part
    round: int
    board: int
    slots: tuple[Source, Source]
    winner_to: Target | None = None
    loser_to: Target | None = None


class Standing(StrEnum):
    """Where a pairing stands. The last six are ends."""

    WAITING = "waiting"
    """A slot is not filled yet."""
    READY = "ready"
    PLAYED = "played"
    FORFEIT = "forfeit"
    DOUBLE_FORFEIT = "double_forfeit"
    WALKOVER = "walkover"
    """One slot stays empty: the other passes, unrated."""
    EMPTY = "empty"
    NOT_NEEDED = "not_needed"
    """A reset after a final that side 0 won."""

    @property
    def is_end(self) -> bool:
        """Whether nothing more can happen in the pairing."""
        return self not in {Standing.WAITING, Standing.READY}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a pairing ended: the side that goes on (None: double forfeit), and whether the other one forfeited."""

    winner: int | None
    forfeit: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A pairing with the results so far. `entries` by side: None while unknown or empty for ever, told apart by
    `vacant`. `bye`: walkover or empty because the bracket has more slots than entries."""

    pairing: BracketPairing
    standing: Standing
    entries: tuple[int | None, int | None]
    vacant: tuple[bool, bool]
    winner: int | None = None
    loser: int | None = None
    bye: bool = False

    def to_reason(self) -> dict[str, object]:
        """Return why the pairing stands here, in plain JSON types: where each side comes from, what is out of the
        ordinary."""
        flags = ["bye"] if self.bye and self.standing is Standing.WALKOVER else []
        if self.standing in {Standing.WALKOVER, Standing.EMPTY, Standing.NOT_NEEDED} and not flags:
            flags = [self.standing.value]
        return {
            "code": "bracket",
            "part": self.pairing.part.value,
            "round": self.pairing.round,
            "from": [source.to_dict() for source in self.pairing.slots],
            "flags": flags,
        }


_EMPTY, _NEVER = 0, -1
"""No entry comes: by a double forfeit; because there are fewer entries than slots. None: not known yet. Entries are
positive."""

_VACANT = (_EMPTY, _NEVER)

_Slot = int | None


def resolve(
    bracket: Sequence[BracketPairing],
    *,
    seeds: Sequence[int],
    outcomes: Mapping[int, Outcome],
    out: Collection[int] = (),
) -> tuple[Place, ...]:
    """Return where everything stands: `seeds` are the entries by seed, `outcomes` the ends by pairing number.

    Entries that are `out` (withdrawn, disqualified) forfeit every pairing without an outcome as soon as both slots are
    filled, and nobody who is out wins the last one by a walkover. A double forfeit sends nobody on, in neither bracket.
    Raises PairingError `bad_result` for an outcome of a pairing that does not have two entries, `already_entered` for
    repeated seeds.
    """
    if len(set(seeds)) != len(seeds) or min(seeds, default=1) <= 0:
        raise PairingError("already_entered", "The seeds of a bracket are different positive entries.")
    winners: dict[int, _Slot] = {}
    losers: dict[int, _Slot] = {}
    places: list[Place] = []
    for pairing in bracket:
        filled = tuple(_filled(source, seeds, winners, losers) for source in pairing.slots)
        given = outcomes.get(pairing.number)
        place = _place(pairing, (filled[0], filled[1]), given, out, places[-1] if places else None)
        if given is not None and place.standing not in _WITH_OUTCOME:
            message = f"Pairing {pairing.number} of the bracket has a result but not two entries."
            raise PairingError("bad_result", message, value=str(pairing.number))
        if place.standing.is_end:
            nobody = _NEVER if place.bye else _EMPTY
            winners[pairing.number] = place.winner or nobody
            losers[pairing.number] = place.loser or nobody
        else:
            winners[pairing.number] = losers[pairing.number] = None
        places.append(place)
    return tuple(places)


_WITH_OUTCOME = frozenset({Standing.PLAYED, Standing.FORFEIT, Standing.DOUBLE_FORFEIT})


def _filled(source: Source, seeds: Sequence[int], winners: Mapping[int, _Slot], losers: Mapping[int, _Slot]) -> _Slot:
    if source.pairing is not None:
        return (winners if source.takes is Takes.WINNER else losers)[source.pairing]
    if source.seed is None or source.seed > len(seeds):
        return _NEVER
    return seeds[source.seed - 1]


def _place(
    pairing: BracketPairing,
    filled: tuple[_Slot, _Slot],
    given: Outcome | None,
    out: Collection[int],
    before: Place | None,
) -> Place:
    first, second = filled
    entries = (first if first and first > 0 else None, second if second and second > 0 else None)
    vacant = (first in _VACANT, second in _VACANT)

    def at(standing: Standing, winner: int | None = None, loser: int | None = None, *, bye: bool = False) -> Place:
        return Place(
            pairing=pairing,
            standing=standing,
            entries=entries,
            vacant=vacant,
            winner=winner,
            loser=loser,
            bye=bye,
        )

    if pairing.part is Part.RESET and before is not None and before.standing.is_end and not _lost_by_side_0(before):
        return at(Standing.NOT_NEEDED)
    if all(vacant):
        return at(Standing.EMPTY, bye=filled == (_NEVER, _NEVER))
    if None in filled:
        return at(Standing.WAITING)
    if any(vacant):
        side = vacant.index(False)
        if entries[side] in out and (pairing.winner_to is None or pairing.part is Part.FINAL):
            return at(Standing.EMPTY, loser=entries[side])
        return at(Standing.WALKOVER, entries[side], bye=filled[1 - side] == _NEVER)
    if given is None:
        present = [side for side in (0, 1) if entries[side] not in out]
        if len(present) == 2:
            return at(Standing.READY)
        given = Outcome(winner=present[0] if present else None, forfeit=True)
    if given.winner is None:
        return at(Standing.DOUBLE_FORFEIT)
    standing = Standing.FORFEIT if given.forfeit else Standing.PLAYED
    return at(standing, entries[given.winner], entries[1 - given.winner])


def _lost_by_side_0(final: Place) -> bool:
    """Whether the winner of the winners' bracket met somebody in the final and lost."""
    return final.loser is not None and final.winner is not None and final.winner == final.entries[1]


def dependents(bracket: Sequence[BracketPairing], number: int) -> tuple[int, ...]:
    """Return the numbers of all pairings that a pairing's result leads to, in order: what a rewind annuls."""
    reached = {number}
    for pairing in bracket:
        if any(source.pairing in reached for source in pairing.slots if source.pairing is not None):
            reached.add(pairing.number)
    return tuple(sorted(reached - {number}))


def rewound(
    bracket: Sequence[BracketPairing], outcomes: Mapping[int, Outcome], number: int
) -> tuple[dict[int, Outcome], tuple[int, ...]]:
    """Return the outcomes without that of a pairing and of all that depend on it, and which of those had one."""
    gone = {number, *dependents(bracket, number)}
    kept = {each: outcome for each, outcome in outcomes.items() if each not in gone}
    return kept, tuple(sorted(each for each in outcomes if each in gone and each != number))


def wired(pairings: Iterable[BracketPairing]) -> tuple[BracketPairing, ...]:
    """Return the pairings with `winner_to` and `loser_to` as the slots say; a reset gets both from the final."""
    listed = list(pairings)
    winner_to: dict[int, Target] = {}
    loser_to: dict[int, Target] = {}
    for pairing in listed:
        for side, source in enumerate(pairing.slots):
            if source.pairing is not None:
                targets = winner_to if source.takes is Takes.WINNER else loser_to
                targets[source.pairing] = Target(pairing=pairing.number, side=side)
    return tuple(
        BracketPairing(
            number=each.number,
            part=each.part,
            round=each.round,
            board=each.board,
            slots=each.slots,
            winner_to=winner_to.get(each.number),
            loser_to=loser_to.get(each.number),
        )
        for each in listed
    )


def winner_of(pairing: int) -> Source:
    """The slot of whoever wins a pairing."""
    return Source(pairing=pairing, takes=Takes.WINNER)


def loser_of(pairing: int) -> Source:
    """The slot of whoever loses a pairing."""
    return Source(pairing=pairing, takes=Takes.LOSER)
