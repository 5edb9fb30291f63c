"""The Elo receipt of a match in the numbers of its page: before, expected, K and why, result, change, after."""

from dataclasses import dataclass

from django.db.models import Count, Min

from league.models import RatedState, RatingEvent
from league.rating import BELLA, KFactor, Population, k_factor
from league.selectors.ratings import Receipt, ReceiptRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Slip:
    """One side's slip. `games_before` rated matches before the period, in which it plays `factor.games`."""

    row: ReceiptRow
    factor: KFactor
    games_before: int
    is_bot: bool

    @property
    def is_capped(self) -> bool:
        """Whether the cap on K times matches made K smaller."""
        return self.factor.effective < self.factor.base

    @property
    def earlier(self) -> int:
        """Milli-Elo from the matches that stand before this one in its period: base + earlier + change = after."""
        return self.row.before - self.row.base

    @property
    def result(self) -> str:
        """The score in points: 1, ½, 0."""
        return {1_000_000: "1", 500_000: "½", 0: "0"}[self.row.score]


def slips(receipt: Receipt) -> tuple[Slip, ...]:
    """The slips of a rated match; one query."""
    if receipt.state != RatedState.RATED:
        return ()
    rows = RatingEvent.objects.filter(
        pool__code=receipt.pool,
        revision=receipt.revision,
        period__seq=receipt.period,
        kind="match",
        subject__in=[row.subject for row in receipt.rows],
    )
    found = rows.order_by().values_list("subject").annotate(games=Count("pk"), before=Min("n"))
    periods = {subject: (games, before) for subject, games, before in found}
    return tuple(_slip(row, *periods[row.subject]) for row in receipt.rows)


def _slip(row: ReceiptRow, games: int, before: int) -> Slip:
    is_bot = row.subject.startswith("v:")
    population = Population.BOT if is_bot else Population.HUMAN
    factor = k_factor(BELLA, population=population, games_before=before, games=games, highest=0)
    return Slip(row=row, factor=factor, games_before=before, is_bot=is_bot)
