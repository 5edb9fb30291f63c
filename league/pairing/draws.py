"""Draws by lot: rounds of survivors, and members of one club kept apart.

A draw is repeated until no pairing breaks the rule, at most 1,000 times; then labels are dealt, which never fails while
no label has more members than there are pairings. Both are needed: many small clubs the lot alone parts, few large ones
it hardly ever does.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from league.pairing.brackets import BracketPairing, Part
from league.pairing.errors import PairingError
from league.pairing.knockout import Level, PlaceRange, ranged
from league.pairing.lots import Stream, coin

MOST_TRIES = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A draw. `order`: the entries in the places 0, 1, ... that were drawn for. `tries`: draws by lot that were made;
    `dealt`: none of them parted the labels, so they were dealt out. `conflicts`: places of pairs that share a label
    all the same."""

    order: tuple[int, ...]
    tries: int
    dealt: bool
    conflicts: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnRound:
    """A round of survivors drawn by lot: side 0 leads first, `bye` passes. `draw` says how it was drawn."""

    pairs: tuple[tuple[int, int], ...]
    bye: int | None
    draw: Drawn

    def to_reason(self, pair: int | None) -> dict[str, object]:
        """Return why pairing number `pair` (None: the bye) is as it is, in plain JSON types."""
        if pair is None:
            return {"code": "drawn_bye", "flags": []}
        flags = ["dealt"] if self.draw.dealt else []
        flags += ["same_label"] if (2 * pair, 2 * pair + 1) in self.draw.conflicts else []
        return {"code": "drawn", "tries": self.draw.tries, "flags": flags}


def draw_places(
    entries: Iterable[int],
    *,
    pairs: Sequence[tuple[int, int]],
    labels: Mapping[int, str],
    seed: bytes,
    label: str,
) -> Drawn:
    """Draw the entries into places 0, 1, ...; `pairs` are the places that meet, the others have a bye.

    `labels` by entry; entries without one, or with an empty one, meet anybody. Raises PairingError `already_entered`.
    """
    listed = sorted(entries)
    if len(set(listed)) != len(listed):
        twice = next(entry for entry in listed if listed.count(entry) > 1)
        raise PairingError("already_entered", f"Entry {twice} stands twice in the draw.", value=str(twice))
    stream = Stream(seed=seed, label=label)
    count = len(listed)
    biggest = max((len(each) for each in _by_label(listed, labels)), default=0)
    most = MOST_TRIES if biggest <= count - len(pairs) else 1
    for tries in range(1, most + 1):
        order = stream.shuffled(listed)
        if not _conflicts(order, pairs, labels):
            return Drawn(order=tuple(order), tries=tries, dealt=False, conflicts=())
    order = _dealt(listed, pairs, labels, stream.shuffled)
    return Drawn(order=tuple(order), tries=most, dealt=True, conflicts=_conflicts(order, pairs, labels))


def draw_seeds(
    entries: Iterable[int], *, bracket: Sequence[BracketPairing], labels: Mapping[int, str], seed: bytes, label: str
) -> Drawn:
    """Draw the entries for the seeds of a bracket (`order[0]` is seed 1); labels are kept apart in its first round."""
    pairs = []
    for each in bracket:
        if each.part is Part.WINNERS and each.round == 1:
            one, two = each.slots
            if one.seed is not None and two.seed is not None:
                pairs.append((one.seed - 1, two.seed - 1))
    return draw_places(entries, pairs=pairs, labels=labels, seed=seed, label=label)


def draw_round(
    survivors: Iterable[int],
    *,
    seed: bytes,
    label: str,
    had_bye: Iterable[int] = (),
    labels: Mapping[int, str] | None = None,
) -> DrawnRound:
    """Draw a round (`bracket` = each_round): an odd one out passes, by lot among those that had no bye yet.

    When all had one, among all. `labels` are kept apart where that is possible. Raises PairingError
    (`no_legal_pairing`: fewer than two; `already_entered`).
    """
    present = sorted(survivors)
    if len(present) < 2:
        raise PairingError("no_legal_pairing", "A round needs two entries.", value=", ".join(map(str, present)))
    bye = None
    if len(present) % 2:
        had = set(had_bye)
        fresh = [entry for entry in present if entry not in had] or present
        bye = fresh[Stream(seed=seed, label=f"{label}:bye").below(len(fresh))]
        present.remove(bye)
    places = [(first, first + 1) for first in range(0, len(present), 2)]
    drawn = draw_places(present, pairs=places, labels=labels or {}, seed=seed, label=label)
    pairs = []
    for board, (one, two) in enumerate(places):
        first, second = drawn.order[one], drawn.order[two]
        pairs.append((second, first) if coin(seed=seed, label=f"lead:{label}:{board}") else (first, second))
    return DrawnRound(pairs=tuple(pairs), bye=bye, draw=drawn)


def places(out: Sequence[Collection[int]], *, winner: int | None, count: int) -> dict[int, PlaceRange]:
    """Return the places of `count` entries from who went out in each round that is over, and the winner once there is
    one; shared by those who went out together. When the last round sent both out, both are second."""
    decided = winner is not None
    levels = [Level(lost=frozenset(lost), over=True, best=2) for lost in out]
    levels.append(Level(lost=frozenset({winner} if winner is not None else ()), over=decided, best=1))
    return ranged(levels, count=count)


def _by_label(entries: Sequence[int], labels: Mapping[int, str]) -> list[list[int]]:
    """The entries by label, largest label first; whoever has none is alone."""
    groups: dict[tuple[str, int], list[int]] = {}
    for entry in entries:
        name = labels.get(entry, "")
        groups.setdefault((name, 0 if name else entry), []).append(entry)
    return [groups[key] for key in sorted(groups, key=lambda key: (-len(groups[key]), key))]


def _conflicts(
    order: Sequence[int], pairs: Sequence[tuple[int, int]], labels: Mapping[int, str]
) -> tuple[tuple[int, int], ...]:
    return tuple(
        (one, two) for one, two in pairs if (name := labels.get(order[one], "")) and name == labels.get(order[two], "")
    )


def _dealt(
    entries: Sequence[int],
    pairs: Sequence[tuple[int, int]],
    labels: Mapping[int, str],
    shuffled: Callable[[Sequence[int]], list[int]],
) -> list[int]:
    """Labels by falling size, one member after the other to pairing 0, 1, ... and round again.

    Byes count as pairings of one and come last, so a pairing's two places are dealt as far apart as can be.
    """
    meeting = {place for pair in pairs for place in pair}
    alone = [place for place in range(len(entries)) if place not in meeting]
    places = [one for one, _ in pairs] + alone + [two for _, two in pairs]
    members = [entry for group in _by_label(entries, labels) for entry in shuffled(group)]
    order = [0] * len(entries)
    for place, entry in zip(places, members, strict=True):
        order[place] = entry
    return order
