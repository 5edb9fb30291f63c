"""Reading standings as numbers, with the exact value of every criterion."""

from dataclasses import dataclass
from typing import Any

from league.models import Stage, Standing
from league.selectors.standings import table
from league.tiebreak_texts import LABELS, shown


@dataclass(frozen=True, slots=True, kw_only=True)
class TieBreak:
    """A criterion of a row: its exact value, None where it does not apply, and the parts that explain it."""

    code: str
    label: str
    value: int | str | None
    text: str
    decided: bool
    parts: list[dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of the standings: `stored`, places won since the round before, the criteria in order."""

    stored: Standing
    change: int | None
    is_out: bool
    tie_breaks: tuple[TieBreak, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """The standings after round `after`; `rounds` are those that have standings."""

    after: int
    rounds: tuple[int, ...]
    rows: tuple[Row, ...]


def values(stage: Stage, *, after: int | None = None) -> Values:
    """The standings after a round, or the latest; seven queries at most."""
    found = table(stage, after=after)
    stored = Standing.objects.filter(stage=stage, after_round=found.after).select_related("entry")
    by_entry = {row.entry_id: row for row in stored} if found.rows else {}
    rows = (
        Row(
            stored=by_entry[row.entry.pk],
            change=row.change,
            is_out=row.is_out,
            tie_breaks=tuple(_tie_break(value) for value in by_entry[row.entry.pk].tie_breaks),
        )
        for row in found.rows
    )
    return Values(after=found.after, rounds=found.rounds, rows=tuple(rows))


def _tie_break(value: dict[str, Any]) -> TieBreak:
    return TieBreak(
        code=value["code"],
        label=str(LABELS[value["code"]]),
        value=value["value"],
        text=shown(value["code"], value["value"]),
        decided=bool(value.get("decided")),
        parts=value["parts"],
    )
