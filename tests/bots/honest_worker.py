"""A worker of the arena for tests of what becomes of its reports: it plays jobs by the engine and reports truly.

Who wants a lie takes a true report and changes it (`dataclasses.replace`).
"""

import hashlib
import random
from dataclasses import dataclass, field, replace
from typing import Any

from bots import doorbell
from bots.arena import names
from bots.arena.jobs import MatchJob
from bots.arena.reports import DealReport, Fault, MatchReport, Report, Returned, Started
from bots.protocol import bot_seed, play_message, request_sha256, start_message, to_line
from bots.services.runs import Answer, receive
from games.engine import Deal, DealResult, MatchScore, Rules, card_code, format_cards, shuffled


@dataclass(kw_only=True)
class Worker:
    """Plays `job` under its own nonce. Each method makes the next report and counts `seq`."""

    job: MatchJob
    nonce: str = "0123456789abcdef"
    name: str = "test/arena/0"
    seq: int = 0
    randomness: random.Random = field(default_factory=lambda: random.Random(7))

    def __post_init__(self) -> None:
        self.rules = Rules.parse(self.job.rules)
        self.score = MatchScore(self.rules)
        for done in self.job.done:
            if done.fault_seat is None:
                points = tuple(
                    sum(done.points[s] for s in self.rules.seats_of(side)) for side in range(self.rules.side_count)
                )
                self.score = self.score.add(DealResult(done.points, points, done.winner_side, 120 - sum(points), 20))
            else:
                self.score = self.score.add(DealResult.forfeited(self.rules, done.fault_seat))
        self.faulty = [done.fault_seat for done in self.job.done if done.fault_seat is not None]

    def take_lease(self) -> bool:
        return bool(doorbell.valkey().set(names.run_key(self.job.run_id), self.nonce, nx=True, ex=self.job.lease_s))

    def lose_lease(self) -> None:
        doorbell.valkey().delete(names.run_key(self.job.run_id))

    def finish(self) -> None:
        doorbell.valkey().set(names.run_key(self.job.run_id), names.DONE, ex=names.DONE_S)

    @property
    def is_over(self) -> bool:
        return self.score.is_over or any(self.faulty.count(seat) > 1 for seat in self.faulty)

    def _head(self) -> dict[str, Any]:
        self.seq += 1
        return {"run_id": self.job.run_id, "nonce": self.nonce, "seq": self.seq - 1}

    def started(self) -> Started:
        return Started(
            **self._head(),
            attempt=self.job.attempt,
            worker=self.name,
            tier="landlock",
            policy="p",
            kernel="k",
            python="3",
        )

    def next_deal(self) -> Deal:
        """The next deal, before its first card."""
        number = self.score.deals + 1
        shuffle = shuffled(self.rules, bytes.fromhex(self.job.seed), self.job.salt, number)
        return Deal(self.rules, shuffle.deck, self.score.next_dealer(self.job.first_dealer), shuffle.turned)

    def deal(self, *, fault_after: int | None = None, kind: str = "timeout") -> DealReport:
        """Play the next deal by chance; who is on turn faults after `fault_after` plays (-1: seat 0 does not start)."""
        number = self.score.deals + 1
        deal = self.next_deal()
        while not deal.over and (fault_after is None or len(deal.plays) < fault_after):
            deal.play(self.randomness.choice(deal.legal()))
        faults: tuple[Fault, ...] = ()
        if fault_after == -1:
            faults = (self.start_fault(0, kind),)
        elif fault_after is not None:
            faults = (self._move_fault(deal, number, kind),)
        result = DealResult.forfeited(self.rules, faults[0].seat) if faults else deal.result()
        if faults:
            self.faulty.append(faults[0].seat)
        self.score = self.score.add(result)
        plays = format_cards(deal.plays)
        return DealReport(
            **self._head(),
            deal=number,
            plays=plays,
            points=deal.points,
            winner_side=result.winner_side,
            termination=kind if faults else "auto" if deal.unplayed else "normal",
            think_cpu_us=(1_500,) * len(deal.plays),
            think_wall_us=(2_500,) * len(deal.plays),
            bank_left_us=(3_000_000,) * self.rules.n,
            faults=faults,
            plays_sha256=hashlib.sha256(plays.encode()).hexdigest(),
        )

    def start_fault(self, seat: int, kind: str = "crash") -> Fault:
        limits = self.job.limits.for_process(self.rules.deal_cap, self.rules.tricks).told()
        seed = bot_seed(bytes.fromhex(self.job.seed), seat)
        asked = start_message(n=1, match=self.job.match, seat=seat, rules=self.rules, seed=seed, limits=limits)
        return self._fault(seat, kind, None, asked)

    def _move_fault(self, deal: Deal, number: int, kind: str) -> Fault:
        view = deal.observe(deal.turn, number=number, score=self.score.wins, drawn=self.score.drawn)
        asked = play_message(view, n=9, match=self.job.match, bank_cpu_ms=2_000)
        foreign = next(card_code(card) for card in deal.deck if card_code(card) not in view.legal)
        answer = f'{{"n":9,"card":"{foreign}"}}' if kind == "illegal" else ""
        return replace(self._fault(deal.turn, kind, len(deal.plays), asked), answer=answer)

    def _fault(self, seat: int, kind: str, ply: int | None, asked: dict[str, Any]) -> Fault:
        line = to_line(asked).decode().rstrip("\n")
        return Fault(
            seat=seat, kind=kind, ply=ply, request_sha256=request_sha256(asked), request=line, stderr_tail="log"
        )

    def end(self) -> MatchReport:
        lost_by_faults = [seat for seat in self.faulty if self.faulty.count(seat) > 1]
        outcome = 1 - self.rules.sides[lost_by_faults[0]] if lost_by_faults else self.score.winner_side
        return MatchReport(
            **self._head(),
            outcome=outcome,
            termination="fault" if lost_by_faults else "normal",
            score=self.score.wins,
            deals=self.score.deals,
        )

    def returned(self, reason: str = "time") -> Returned:
        return Returned(**self._head(), next_deal=self.score.deals + 1, reason=reason)

    def play(self) -> list[Report]:
        """All reports of the match, from its present deal on."""
        reports: list[Report] = [self.started()]
        while not self.is_over:
            reports.append(self.deal())
        return [*reports, self.end()]


def send(report: Report) -> Answer:
    """Give a report to the trusted side."""
    return receive(report.to_dict())
