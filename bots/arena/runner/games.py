"""The games that a run of `play` is made of, and what came of each, told by bot instead of by seat."""

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from bots.arena.conductor import Bench, play_match
from bots.arena.jobs import JobLimits, MatchJob, SeatJob
from bots.arena.reports import DealReport, Fault, MatchReport, Report
from bots.arena.runner.bots_here import LocalBot
from bots.arena.runner.machine import NONCE, RUN, tier_min
from games.engine import Deal, DealResult, MatchScore, Record, Rules, first_dealer, parse_cards, shuffled


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be played: `count` games (deals or matches), by the rules, from one seed.

    Mirrored games come in pairs with one seed: the second has the seats exchanged. Each pair, and without mirror each
    game, has a seed of its own made of `seed`, so that bots too draw other numbers in every one.
    """

    bots: tuple[LocalBot, LocalBot]
    names: tuple[str, str]
    rules: Rules
    count: int
    is_mirrored: bool
    counts_matches: bool
    seed: bytes = field(repr=False)
    limits: JobLimits

    def games(self) -> Iterator["Game"]:
        """The games in their order."""
        for index in range(self.count):
            board, swapped = divmod(index, 2) if self.is_mirrored else (index, 0)
            seed = hmac.digest(self.seed, b"board|%d" % board, hashlib.sha256)
            yield Game(self, index + 1, board, swapped, seed)


@dataclass(frozen=True, slots=True)
class Game:
    """One deal or match of a plan, as the conductor gets it."""

    plan: Plan
    number: int
    board: int
    swapped: int
    """1 where the seats are exchanged: then the second bot has seat 0."""
    seed: bytes = field(repr=False)

    @property
    def name(self) -> str:
        """What bots are told as the match."""
        return f"local-{self.number}"

    @property
    def first_dealer(self) -> int:
        """The seat that deals first."""
        return first_dealer(self.plan.rules, self.seed, "")

    def bot_of(self, seat: int) -> int:
        """Which of the two bots has the seat: 0 or 1."""
        return self.plan.rules.sides[seat] ^ self.swapped

    def seat_names(self) -> list[str]:
        """The name of the bot at each seat."""
        return [self.plan.names[self.bot_of(seat)] for seat in range(self.plan.rules.n)]

    def played(self, bench: Bench) -> "PlayedGame":
        """Play it."""
        rules = self.plan.rules
        archives = [self.plan.bots[self.bot_of(seat)].archive for seat in range(rules.n)]
        job = MatchJob(
            run_id=RUN,
            match=self.name,
            rules=rules.code,
            seed=self.seed.hex(),
            first_dealer=self.first_dealer,
            seats=tuple(
                SeatJob(seat=seat, side=rules.sides[seat], sha256=archive.sha256, entry=archive.entry)
                for seat, archive in enumerate(archives)
            ),
            limits=self.plan.limits,
            tier_min=tier_min(bench.sandbox),
        )
        reports: list[Report] = []
        play_match(job, lambda *more: reports.extend(more), bench=bench, nonce=NONCE)
        end = reports[-1]
        if not isinstance(end, MatchReport):  # refused: the job was made here
            raise AssertionError(f"{type(end).__name__} {getattr(end, 'detail', '')}")
        return PlayedGame(self, tuple(_deals(self, reports)), end)


@dataclass(frozen=True, slots=True)
class PlayedDeal:
    """A deal that was played, with what was reported of it. `seats` has the seat of each play."""

    report: DealReport
    record: Record
    deal: Deal
    seats: tuple[int, ...]
    result: DealResult


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game that was played. `winner` is a bot, 0 or 1; None when it is drawn or void."""

    game: Game
    deals: tuple[PlayedDeal, ...]
    end: MatchReport

    @property
    def is_void(self) -> bool:
        """Whether nothing came of it: both bots, or the machine, failed three times."""
        return self.end.termination == "void"

    @property
    def winner(self) -> int | None:
        """The bot that won."""
        return None if self.end.outcome is None else self.end.outcome ^ self.game.swapped

    @property
    def points(self) -> tuple[int, int]:
        """Card points by bot; a deal with a fault counts 120 for the others."""
        by_side = [sum(played.result.side_points[side] for played in self.deals) for side in (0, 1)]
        return by_side[self.game.swapped], by_side[1 - self.game.swapped]

    def faults(self) -> Iterator[tuple[int, int, Fault]]:
        """(bot, number of the deal, fault), in order."""
        for played in self.deals:
            for fault in played.report.faults:
                yield self.game.bot_of(fault.seat), played.report.deal, fault
        for fault in self.end.faults:
            yield self.game.bot_of(fault.seat), self.end.deals + 1, fault


def _deals(game: Game, reports: Sequence[Report]) -> Iterator[PlayedDeal]:
    """The reported deals, replayed by the engine."""
    rules = game.plan.rules
    score = MatchScore(rules)
    for report in reports:
        if isinstance(report, DealReport):
            shuffle = shuffled(rules, game.seed, "", report.deal)
            dealer = score.next_dealer(game.first_dealer)
            record = Record(rules, shuffle.deck, parse_cards(report.plays), dealer, shuffle.turned)
            deal = record.replay()
            faults = report.faults
            result = DealResult.forfeited(rules, faults[0].seat) if faults else deal.result()
            score = score.add(result)
            yield PlayedDeal(report, record, deal, seats_of(deal), result)


def seats_of(deal: Deal) -> tuple[int, ...]:
    """The seat of each play."""
    n = deal.rules.n
    leaders = [trick.leader for trick in deal.tricks]
    if deal.table:
        leaders.append(deal.observe(None).leader)
    return tuple((leaders[ply // n] + ply % n) % n for ply in range(len(deal.plays)))
