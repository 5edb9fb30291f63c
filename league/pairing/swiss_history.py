"""From the results of earlier rounds to the entries of the next Swiss round."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from league.pairing.errors import PairingError
from league.pairing.swiss import Float, SwissEntry
from league.scoring import PairingEnd, PairingResult


@dataclass(frozen=True, slots=True, kw_only=True)
class SwissEntrant:
    """An entry of a Swiss stage. `absent` ones are not paired; `returned`: left once and came back, so gets no bye."""

    entry: int
    number: int
    labels: frozenset[str] = frozenset()
    absent: bool = False
    returned: bool = False


def present_entries(entrants: Sequence[SwissEntrant], *, results: Iterable[PairingResult]) -> tuple[SwissEntry, ...]:
    """Return the present entries as the results of all earlier rounds leave them.

    Side 0 of a result led first. Whoever stood in a pairing together has met, played or not. Scores are 2, 1, 0 a
    pairing, also where standings go by card points. Floats are those of the last round that has results, by the scores
    before it. Raises PairingError (`unknown_entry`).
    """
    known = {each.entry for each in entrants}
    rounds: dict[int, list[PairingResult]] = defaultdict(list)
    for result in results:
        for entry in result.entries:
            if entry is not None and entry not in known:
                raise PairingError("unknown_entry", f"Entry {entry} has a result but no place.", value=str(entry))
        rounds[result.round].append(result)
    scores = dict.fromkeys(known, 0)
    leads = dict.fromkeys(known, 0)
    met: dict[int, set[int]] = {entry: set() for entry in known}
    had_bye: set[int] = set()
    floats: dict[int, Float] = {}
    for number in sorted(rounds):
        floats = _floats(rounds[number], scores)
        for result in rounds[number]:
            first, second = result.entries
            scores[first] += result.points[0]
            had_bye.update(_given(result))
            if second is not None:
                scores[second] += result.points[1]
                met[first].add(second)
                met[second].add(first)
                leads[first] += result.end is PairingEnd.PLAYED
    return tuple(
        SwissEntry(
            entry=each.entry,
            number=each.number,
            score=scores[each.entry],
            met=frozenset(met[each.entry]),
            no_bye=each.returned or each.entry in had_bye,
            floated=floats.get(each.entry),
            labels=each.labels,
            leads=leads[each.entry],
        )
        for each in entrants
        if not each.absent
    )


def _given(result: PairingResult) -> list[int]:
    """Who got a full point without a match: by a bye or a forfeit."""
    if result.end is PairingEnd.BYE:
        return [result.entries[0]]
    if result.end is PairingEnd.FORFEIT:
        winner = result.entries[result.points[1] > result.points[0]]
        return [] if winner is None else [winner]
    return []


def _floats(results: Sequence[PairingResult], scores: dict[int, int]) -> dict[int, Float]:
    paired = [entry for result in results if result.end not in _AWAY for entry in result.entries if entry is not None]
    lowest = min((scores[entry] for entry in paired), default=0)
    floats: dict[int, Float] = {}
    for result in results:
        first, second = result.entries
        if result.end in _AWAY:
            continue
        gap = scores[first] - (lowest if second is None else scores[second])
        if gap:
            floats[first] = Float.DOWN if gap > 0 else Float.UP
            if second is not None:
                floats[second] = Float.UP if gap > 0 else Float.DOWN
    return floats


_AWAY = frozenset({PairingEnd.HALF_BYE, PairingEnd.ABSENCE})
