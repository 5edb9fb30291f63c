"""Who goes on when a knockout pairing is level: deals, card points, extra play, a coin at last."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from league.pairing.lots import coin
from league.scoring.errors import ScoringError
from league.scoring.points import EncounterScore

MOST_EXTRAS = 3
"""Extra mirrored pairs of matches, or extra deals of people."""


class Step(StrEnum):
    """What decided a knockout pairing."""

    MATCHES = "matches"
    DEALS = "deals"
    CARDS = "cards"
    EXTRA = "extra"
    COIN = "coin"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Who goes on: side and step. Both None while an extra has to be played; `extra` is its number then, and the number
    of the deciding one when an extra decided, by its `matches`, `deals` or `cards` (`extra_by`)."""

    winner: int | None
    step: Step | None
    extra: int | None = None
    extra_by: Step | None = None

    def to_dict(self) -> dict[str, object]:
        """Return it in plain JSON types, without what is None."""
        found = {"winner": self.winner, "step": self.step, "extra": self.extra, "extra_by": self.extra_by}
        return {
            key: value.value if isinstance(value, Step) else value for key, value in found.items() if value is not None
        }


def decide(score: EncounterScore, *, extras: Sequence[EncounterScore] = (), seed: bytes, label: str) -> Decision:
    """Say who goes on: by match points, deal difference, card-point difference of the encounter; then by the same of
    each extra (a mirrored pair of matches, or one deal of people) in turn, three at most; then by the coin of `seed`
    and `label`.

    Raises ScoringError `bad_result` for an encounter in which nothing counted or for extras that nothing asked for.
    """
    if not score.matches:
        raise ScoringError("bad_result", "An encounter without a match that counts decides nothing.")
    found = _lead(score)
    if found is not None:
        _no_more(extras)
        return Decision(winner=found[0], step=found[1])
    for number, extra in enumerate(extras, start=1):
        found = _lead(extra)
        if found is not None:
            _no_more(extras[number:])
            return Decision(winner=found[0], step=Step.EXTRA, extra=number, extra_by=found[1])
    if len(extras) < MOST_EXTRAS:
        return Decision(winner=None, step=None, extra=len(extras) + 1)
    _no_more(extras[MOST_EXTRAS:])
    return Decision(winner=coin(seed=seed, label=f"level:{label}"), step=Step.COIN)


def _lead(score: EncounterScore) -> tuple[int, Step] | None:
    for step, values in ((Step.MATCHES, score.match_points), (Step.DEALS, score.deals), (Step.CARDS, score.cards)):
        if values[0] != values[1]:
            return (0 if values[0] > values[1] else 1), step
    return None


def _no_more(extras: Sequence[EncounterScore]) -> None:
    if extras:
        raise ScoringError("bad_result", "The pairing was decided before this extra was played.")
