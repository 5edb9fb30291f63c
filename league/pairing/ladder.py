"""Ladder (classifica continua): who plays next, chosen so that nobody starves and every pairing tells the most.

Simple on purpose: the first of a pairing by few games and long waiting, its opponent by what the result would teach.
There is no state but what is passed in; a batch counts its own choices as it goes. Integers throughout.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np

from league.pairing.errors import PairingError
from league.pairing.lots import Stream, lot
from league.rating.elo import BELLA, PPM

LONGEST_PERCENT, UNIFORM_PERCENT = 25, 10
GAMES_OFFSET = 10
OWNER_SHARE = 36
FAULTY_DIVISOR = 4
MET_OFFSET = 4
LARGEST_ERROR = 1000
"""Standard errors above count as this many points: no product leaves 64 bits."""

_WEIGHT = 10**15
_INFORMATION = np.array([each * (PPM - each) for each in BELLA.table], dtype=np.int64)
"""p(1 - p) by the difference in Forza, in 10^-12."""

_Array = np.ndarray[Any, Any]


class First(StrEnum):
    """Why an entry was chosen first."""

    FEW_GAMES = "few_games"
    LONGEST_WAIT = "longest_wait"


class Opponent(StrEnum):
    """Why an opponent was chosen."""

    INFORMATION = "information"
    UNIFORM = "uniform"


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderEntry:
    """A version that may play. `owner` None belongs to nobody. `forza` and its standard error `error` in points;
    `pairings` made so far, `estimated` how many of them the error knows (None: all); `waited` seconds since the last
    was made (or since it came); `owner_open`: pairings of its owner that are queued or running; `faulty`: more than 5 %
    of its deals ended by its fault."""

    entry: int
    owner: int | None
    forza: int
    error: int
    pairings: int
    waited: int
    estimated: int | None = None
    owner_open: int = 0
    faulty: bool = False


class Met(NamedTuple):
    """What two entries have behind them: pairings, and seconds since the last one."""

    pairings: int
    ago: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Throttles:
    """When two versions meet too often, and when a version has played enough. In pairings and seconds.

    After `pair_most` pairings two versions meet once in `pair_pause`; after `most` a version plays once in `upkeep`.
    None: no limit.
    """

    pair_most: int | None = 20
    pair_pause: int = 3600
    most: int | None = 200
    upkeep: int = 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderPairing:
    """A pairing, mirrored: side 0 leads first in its first match, side 1 in its second. By side: `forza`, `error`,
    `waited` (seconds). `met`: pairings before this one."""

    entries: tuple[int, int]
    first: First
    opponent: Opponent
    chosen: int
    waited: int
    forza: tuple[int, int]
    error: tuple[int, int]
    met: int

    def to_reason(self) -> dict[str, object]:
        """Return why they meet, in plain JSON types; `chosen` is the side that was chosen first, and waited so long."""
        return {
            "code": "ladder",
            "first": self.first.value,
            "opponent": self.opponent.value,
            "chosen": self.chosen,
            "waited": self.waited,
            "forza": list(self.forza),
            "error": list(self.error),
            "met": self.met,
            "seats": "mirrored",
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderBatch:
    """Pairings in the order of choice, and the entries for which no opponent was free: all of one owner, throttled."""

    pairings: tuple[LadderPairing, ...]
    without_opponent: tuple[int, ...]


def choose(
    entries: Sequence[LadderEntry],
    *,
    count: int,
    met: Mapping[int, Mapping[int, Met]],
    seed: bytes,
    label: str,
    throttles: Throttles = Throttles(),
) -> LadderBatch:
    """Choose up to `count` pairings; fewer only when nobody is left who may play.

    `met[a][b]` and `met[b][a]` say the same; who never met may be missing. First of a pairing: 75 % by weight
    1 / (pairings + 10), times 36 / (36 + k^2) for k open pairings of its owner, a quarter of it for a faulty one; 25 %
    the longest waiting. Opponent, of another owner: 90 % the largest p(1-p) (error^2 + error^2) / (1 + met / 4), 10 %
    any. The error is the one to be expected after what is under way: its square falls with the pairings that the
    estimate does not know, else everyone would meet the same few until the next one. Ties by lot. The order of
    `entries` changes nothing. Raises PairingError (`already_entered`).
    """
    pool = _Pool(entries, seed=seed, label=label, met=met, throttles=throttles)
    pairings: list[LadderPairing] = []
    while len(pairings) < count:
        pairing = pool.choose()
        if pairing is None:
            break
        pairings.append(pairing)
    return LadderBatch(pairings=tuple(pairings), without_opponent=tuple(sorted(pool.without_opponent)))


class _Pool:
    """The entries as columns, by falling lot, with what this batch has chosen already counted in."""

    def __init__(
        self,
        entries: Sequence[LadderEntry],
        *,
        seed: bytes,
        label: str,
        met: Mapping[int, Mapping[int, Met]],
        throttles: Throttles,
    ) -> None:
        drawn = sorted(entries, key=lambda each: (lot(seed=seed, label=label, entry=each.entry), each.entry))
        self.entries = drawn
        self.index = {each.entry: row for row, each in enumerate(drawn)}
        if len(self.index) != len(drawn):
            raise PairingError("already_entered", "An entry stands twice in the ladder.")
        self.met, self.throttles = met, throttles
        self.stream = Stream(seed=seed, label=label)
        self.without_opponent: set[int] = set()
        self.met_now: dict[int, dict[int, int]] = {}
        # Entries of nobody are each of an owner of their own.
        names = {each.owner for each in drawn if each.owner is not None}
        numbers = {owner: number for number, owner in enumerate(sorted(names))}
        free = iter(range(len(numbers), len(numbers) + len(drawn)))
        self.owner = _column([next(free) if each.owner is None else numbers[each.owner] for each in drawn])
        self.forza = _column([each.forza for each in drawn])
        self.known = _column([min(each.error, LARGEST_ERROR) ** 2 for each in drawn])
        self.estimated = _column([each.pairings if each.estimated is None else each.estimated for each in drawn])
        self.pairings = _column([each.pairings for each in drawn])
        self.waited = _column([each.waited for each in drawn])
        self.open = _column([each.owner_open for each in drawn])
        self.divisor = _column([FAULTY_DIVISOR if each.faulty else 1 for each in drawn])
        self.may_play = np.ones(len(drawn), dtype=bool)
        if throttles.most is not None:
            self.may_play = (self.pairings < throttles.most) | (self.waited >= throttles.upkeep)
        self.may_be_first = self.may_play.copy()

    def choose(self) -> LadderPairing | None:
        while self.may_be_first.any():
            first, why = self._first()
            found = self._opponent(first)
            if found is not None:
                second, how = found
                return self._pair(first, second, why, how)
            self.may_be_first[first] = False
            self.without_opponent.add(self.entries[first].entry)
        return None

    def _first(self) -> tuple[int, First]:
        if self.stream.below(100) < LONGEST_PERCENT:
            return int(np.argmax(np.where(self.may_be_first, self.waited, -1))), First.LONGEST_WAIT
        share = _WEIGHT * OWNER_SHARE // ((self.pairings + GAMES_OFFSET) * (OWNER_SHARE + self.open**2))
        summed = np.cumsum(np.where(self.may_be_first, share // self.divisor + 1, 0))
        drawn = self.stream.share(int(summed[-1]))
        return int(np.searchsorted(summed, drawn, side="right")), First.FEW_GAMES

    def _opponent(self, first: int) -> tuple[int, Opponent] | None:
        allowed = self.may_play & (self.owner != self.owner[first])
        behind = np.zeros(len(self.entries), dtype=np.int64)
        most, pause = self.throttles.pair_most, self.throttles.pair_pause
        name = self.entries[first].entry
        for other, (pairings, ago) in self.met.get(name, {}).items():
            row = self.index.get(other)
            if row is not None:
                behind[row] = pairings
                if most is not None and pairings >= most and ago < pause:
                    allowed[row] = False
        for row, pairings in self.met_now.get(first, {}).items():
            behind[row] += pairings
            if most is not None and behind[row] >= most:
                allowed[row] = False
        candidates = np.flatnonzero(allowed)
        if not len(candidates):
            return None
        if self.stream.below(100) < UNIFORM_PERCENT:
            return int(candidates[self.stream.below(len(candidates))]), Opponent.UNIFORM
        apart = np.minimum(np.abs(self.forza - self.forza[first]), BELLA.clamp)
        variance = self.known * (self.estimated + GAMES_OFFSET) // (self.pairings + GAMES_OFFSET)
        learnt = _INFORMATION[apart] * (variance + variance[first]) * MET_OFFSET // (MET_OFFSET + behind)
        return int(np.argmax(np.where(allowed, learnt, -1))), Opponent.INFORMATION

    def _pair(self, first: int, second: int, why: First, how: Opponent) -> LadderPairing:
        one, two = self.entries[first], self.entries[second]
        before = self.met.get(one.entry, {}).get(two.entry, Met(0, 0)).pairings
        now = self.met_now.setdefault(first, {}).get(second, 0)
        waited = int(self.waited[first])
        self.met_now[first][second] = now + 1
        self.met_now.setdefault(second, {})[first] = now + 1
        for row in (first, second):
            self.pairings[row] += 1
            self.waited[row] = 0
            self.open[self.owner == self.owner[row]] += 1
            if self.throttles.most is not None and self.pairings[row] >= self.throttles.most:
                self.may_play[row] = self.may_be_first[row] = False
        chosen = self.stream.below(2)
        sides = (two, one) if chosen else (one, two)
        return LadderPairing(
            entries=(sides[0].entry, sides[1].entry),
            first=why,
            opponent=how,
            chosen=chosen,
            waited=waited,
            forza=(sides[0].forza, sides[1].forza),
            error=(sides[0].error, sides[1].error),
            met=before + now,
        )


def _column(values: Sequence[int]) -> _Array:
    return np.array(values, dtype=np.int64)
