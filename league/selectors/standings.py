"""Reading standings: the table after a round, the explanation of a row."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from league.models import Entry, EntryState, Stage, Standing
from league.numbers import halves, signed
from league.tiebreak_texts import LABELS, Explanation, explain


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingRow:
    """A row of the table. `change`: places won (positive) or lost since the round before, None without one.

    `decided_by` names the criterion that put it below the row above, empty where points did.
    """

    rank: int
    change: int | None
    entry: Entry
    url: str
    kind: str
    points: str
    played: int
    won: int
    drawn: int
    lost: int
    deals: tuple[int, int]
    cards: tuple[int, int]
    deal_difference: str
    card_difference: str
    form: str
    decided_by: str
    is_out: bool

    @property
    def moved(self) -> int:
        """Places won or lost, without the sign."""
        return abs(self.change or 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The standings after round `after`; `rounds` are those that have standings."""

    after: int
    rounds: tuple[int, ...]
    rows: tuple[StandingRow, ...]

    @property
    def is_latest(self) -> bool:
        """Whether no later round has standings."""
        return not self.rounds or self.after == self.rounds[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """A row with the arithmetic of every criterion."""

    row: StandingRow
    above: str
    values: tuple[Explanation, ...]


def table(stage: Stage, *, after: int | None = None) -> Table:
    """The standings after a round, or the latest; six queries at most."""
    rounds = tuple(
        Standing.objects.filter(stage=stage).order_by("after_round").values_list("after_round", flat=True).distinct()
    )
    if not rounds:
        return Table(after=0, rounds=(), rows=())
    wanted = max((number for number in rounds if after is None or number <= after), default=rounds[0])
    before = max((number for number in rounds if number < wanted), default=None)
    earlier: dict[int, int] = {}
    if before is not None:
        earlier = dict(Standing.objects.filter(stage=stage, after_round=before).values_list("entry_id", "rank"))
    return Table(
        after=wanted, rounds=rounds, rows=tuple(_row(one, earlier.get(one.entry_id)) for one in _stored(stage, wanted))
    )


def _stored(stage: Stage, after: int) -> list[Standing]:
    rows = Standing.objects.filter(stage=stage, after_round=after).select_related("entry__version")
    return list(rows.prefetch_related("entry__members__player").order_by("rank", "entry__number"))


def explained(stage: Stage, *, entry: int, after: int | None = None) -> Explained | None:
    """A row of `table` with its arithmetic; None when that entry has none."""
    found = table(stage, after=after)
    index = next((index for index, row in enumerate(found.rows) if row.entry.pk == entry), None)
    if index is None:
        return None
    stored = Standing.objects.get(stage=stage, after_round=found.after, entry=entry)
    names = {row.entry.pk: row.entry.name for row in found.rows}
    return Explained(
        row=found.rows[index],
        above=found.rows[index - 1].entry.name if index else "",
        values=explain(stored.tie_breaks, names),
    )


def _row(stored: Standing, earlier: int | None) -> StandingRow:
    player = next((member.player for member in stored.entry.members.all()), None)
    return StandingRow(
        rank=stored.rank,
        change=None if earlier is None else earlier - stored.rank,
        entry=stored.entry,
        url=player.get_absolute_url() if player else "",
        kind=player.kind if player else "",
        points=halves(stored.points_h),
        played=stored.played,
        won=stored.won,
        drawn=stored.drawn,
        lost=stored.lost,
        deals=(stored.deals_won, stored.deals_lost),
        cards=(stored.card_points_for, stored.card_points_against),
        deal_difference=signed(stored.deals_won - stored.deals_lost),
        card_difference=signed(stored.card_points_for - stored.card_points_against),
        form=stored.form,
        decided_by=_decided_by(stored.tie_breaks),
        is_out=stored.entry.state == EntryState.DISQUALIFIED,
    )


def _decided_by(values: Sequence[dict[str, Any]]) -> str:
    code = next((value["code"] for value in values if value.get("decided")), "points")
    return "" if code == "points" else str(LABELS[code])
