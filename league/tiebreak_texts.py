"""What standings compare, in the reader's language: names, meanings, and the arithmetic of each value."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from league.numbers import halves, quarters, signed
from league.scoring import Criterion

LABELS: dict[str, Promise] = {
    Criterion.POINTS: _("Points"),
    Criterion.DIRECT_ENCOUNTER: _("Direct encounter"),
    Criterion.MINI_TABLE: _("Table of the tied"),
    Criterion.SONNEBORN_BERGER: _("Sonneborn-Berger"),
    Criterion.BUCHHOLZ_CUT1: _("Buchholz, cut 1"),
    Criterion.BUCHHOLZ: _("Buchholz"),
    Criterion.PROGRESSIVE: _("Progressive score"),
    Criterion.WINS: _("Matches won"),
    Criterion.DEAL_DIFFERENCE: _("Deal difference"),
    Criterion.CARD_DIFFERENCE: _("Card-point difference"),
    Criterion.CARD_POINTS: _("Card points"),
    Criterion.DEALS_WON: _("Deals won"),
    Criterion.DRAW: _("Lot"),
}
MEANINGS: dict[str, Promise] = {
    Criterion.POINTS: _("A pairing won gives 1 point, a drawn one ½. Every pairing that is over counts."),
    Criterion.DIRECT_ENCOUNTER: _(
        "Points in the pairings among those who are tied. It counts only when all of them have met."
    ),
    Criterion.MINI_TABLE: _("Points, then deal difference, in the pairings among those who are tied."),
    Criterion.SONNEBORN_BERGER: _(
        "The final points of each opponent, times what was taken from him: wins against strong opponents weigh more."
    ),
    Criterion.BUCHHOLZ_CUT1: _("The points of all opponents without the smallest."),
    Criterion.BUCHHOLZ: _("The points of all opponents, added up."),
    Criterion.PROGRESSIVE: _("The score after each round, added up: early points weigh more."),
    Criterion.WINS: _("Single matches won at the table, over all pairings."),
    Criterion.DEAL_DIFFERENCE: _("Deals won minus deals lost, over all pairings."),
    Criterion.CARD_DIFFERENCE: _("Card points made minus card points given, over all pairings."),
    Criterion.CARD_POINTS: _("Card points made, over all pairings."),
    Criterion.DEALS_WON: _("Deals won, over all pairings."),
    Criterion.DRAW: _(
        "Only when everything else is equal: a lot from the seed of the draws, the larger number first. Anyone can "
        "compute it again once the tournament is finished and its seed is public."
    ),
}
_NOTES: dict[str, Promise] = {
    "bye": _("bye"),
    "half_bye": _("half-point bye"),
    "absence": _("absence"),
    "forfeit": _("forfeit"),
    "double_forfeit": _("double forfeit"),
    "void": _("void"),
    "cut": _("cut 1: the smallest is taken away"),
    "running": _("score after the round"),
    "mini_deals": _("deal difference among the tied"),
}
_SIGNED = frozenset({Criterion.DEAL_DIFFERENCE, Criterion.CARD_DIFFERENCE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A summand: round and opponent (empty where there is none), how it comes about, what it counts."""

    round: int | None
    opponent: str
    how: str
    amount: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A value of a row of the standings: `note` says why it does not apply, `decided` that it parted two rows."""

    code: str
    label: str
    meaning: str
    value: str
    decided: bool
    note: str
    lines: tuple[Line, ...]

    @property
    def has_how(self) -> bool:
        """Whether any line says how it comes about."""
        return any(line.how for line in self.lines)


def explain(values: list[dict[str, Any]], names: Mapping[int, str]) -> tuple[Explanation, ...]:
    """The stored values of a row (`Standing.tie_breaks`), in order; `names` by entry."""
    return tuple(_explain(value, names) for value in values)


def shown(code: str, value: int | str | None) -> str:
    """A value as text; an em dash where it does not apply."""
    if value is None:
        return "—"
    if isinstance(value, str):
        return f"{value[:8]}…"
    if code in _SIGNED:
        return signed(value)
    return {2: halves, 4: quarters}.get(Criterion(code).divisor, str)(value)


def _explain(value: dict[str, Any], names: Mapping[int, str]) -> Explanation:
    code, parts = value["code"], value["parts"]
    missing = [part for part in parts if part["code"] == "not_met"]
    note = ""
    if missing:
        note = gettext("Has not met %(name)s yet: it does not count.") % {"name": _name(missing[0], names)}
    elif value["value"] is None:
        note = gettext("Not needed here.")
    return Explanation(
        code=code,
        label=str(LABELS[code]),
        meaning=str(MEANINGS[code]),
        value=shown(code, value["value"]),
        decided=bool(value.get("decided")),
        note=note,
        lines=tuple(_line(code, part, names) for part in parts if part["code"] != "not_met"),
    )


def _line(code: str, part: dict[str, Any], names: Mapping[int, str]) -> Line:
    how = str(_NOTES.get(part["code"], ""))
    if "base" in part and "weight" in part:
        how = f"{halves(part['base'])} × {halves(part['weight'])}"
    amount = signed(part["amount"]) if part["code"] == "mini_deals" else shown(code, part["amount"])
    return Line(round=part.get("round"), opponent=_name(part, names), how=how, amount=amount)


def _name(part: dict[str, Any], names: Mapping[int, str]) -> str:
    return names.get(part.get("opponent", 0), "")
