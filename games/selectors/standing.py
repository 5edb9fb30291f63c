"""Where a match stands: its rows, and the deal in play replayed by the engine."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from games.clocks import free_ms, left_ms, parse_clock
from games.engine import Deal as EngineDeal
from games.engine import DealResult, MatchScore, Record, Rules, parse_cards
from games.models import Deal, DealEnd, Match, PlayerKind, Seat


@lru_cache(maxsize=64)
def rules_of(code: str) -> Rules:
    """The rules of a match; a site has few different ones."""
    return Rules.parse(code)


@dataclass(slots=True)
class Standing:
    """A match, its seats in order, its deals in order. `deal` is the last of them, `score` counts those that are over.

    Both are None or empty before the first card.
    """

    match: Match
    rules: Rules
    seats: list[Seat]
    rows: list[Deal]
    score: MatchScore
    deal: EngineDeal | None

    @property
    def row(self) -> Deal | None:
        """The row of the last deal, in play or over."""
        return self.rows[-1] if self.rows else None

    @property
    def in_play(self) -> Deal | None:
        """The row of the deal in play; None between deals, before the first and after the last."""
        row = self.row
        return None if row is None or row.is_over or self.match.is_over else row

    @property
    def turn(self) -> int | None:
        """The seat that is to play."""
        return None if self.in_play is None or self.deal is None else self.deal.turn

    @property
    def people(self) -> list[int]:
        """Seats of people."""
        return [seat.index for seat in self.seats if seat.player.kind != PlayerKind.BOT]

    def is_person(self, seat: int) -> bool:
        """Whether no bot sits there."""
        return self.seats[seat].player.kind != PlayerKind.BOT

    def left_ms(self, plays: int | None = None) -> list[int] | None:
        """What the clocks of the seats showed after so many plays (all); None without clocks."""
        clock = parse_clock(self.match.clock)
        if clock is None:
            return None
        if self.row is None or self.deal is None:
            return [clock.bank_ms] * self.rules.n
        seats = self.deal.played_by[:plays]
        return left_ms(clock, seats, self.row.think_ms[: len(seats)], self.rules.n)

    def runs_from_ms(self) -> int | None:
        """When the clock of the seat on turn begins to run (epoch, ms): what is free has passed then."""
        row = self.in_play
        if row is None or row.turn_at is None or self.deal is None:
            return None
        return round(row.turn_at.timestamp() * 1000) + free_ms(len(self.deal.plays), self.rules.n)


def standing(match: Match) -> Standing:
    """Where a match stands now; two queries."""
    seats = list(match.seats.select_related("player").order_by("index"))
    rows = list(match.deals.order_by("number"))
    for row in rows:
        row.match = match
    return stand(match, seats, rows)


def stand(match: Match, seats: list[Seat], rows: list[Deal]) -> Standing:
    """The same from rows that are there already."""
    rules = rules_of(match.rules)
    score = MatchScore(rules)
    for row in rows:
        if row.is_over:
            score = score.add(counted(score, row))
    deal = replayed(rules, rows[-1]) if rows else None
    return Standing(match, rules, seats, rows, score, deal)


def replayed(rules: Rules, row: Deal) -> EngineDeal:
    """A deal as its row tells it, with the claim that ended it."""
    record = Record(rules, parse_cards(row.deck), parse_cards(row.plays), row.dealer, parse_cards(row.turned))
    deal = record.replay()
    if row.termination == DealEnd.CLAIM:
        deal.claim(deal.turn)  # only the seat on turn can claim
    return deal


def counted(score: MatchScore, row: Deal) -> DealResult:
    """A finished deal as it counts for the match: as played, or awarded for what `fault_seat` did."""
    if row.fault_seat is not None:
        return DealResult.forfeited(score.rules, row.fault_seat)
    return DealResult(
        tuple(row.points), sides_of(score.rules, row.points), row.winner_side, row.unplayed, score.rules.tricks
    )


def sides_of(rules: Rules, points: Sequence[int]) -> tuple[int, ...]:
    """Points of seats summed by side."""
    sums = [0] * rules.side_count
    for seat, side in enumerate(rules.sides):
        sums[side] += points[seat] if seat < len(points) else 0
    return tuple(sums)
