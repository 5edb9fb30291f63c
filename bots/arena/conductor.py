"""`play_match`: one match of bots, a pure function of its job: engine, one confined process a seat, clocks, reports."""

import hashlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from bots.arena.dealing import DealPlay, Halted, losing_sides, play_deal
from bots.arena.jobs import DoneDeal, MatchJob
from bots.arena.players import Chair, Faulted, MachineFault, Player
from bots.arena.reports import DealReport, Fault, MatchReport, Refused, Report, Returned, Started
from bots.arena.wire import WireError
from bots.protocol import bot_seed
from bots.sandbox import TIERS, Sandbox
from games.engine import Deal, DealResult, EngineError, MatchScore, Rules, format_cards, shuffled

#: time (of the block is over) and drain let a deal end; stop and lost (lease) break it off; lost reports nothing more.
Halt = Literal["time", "drain", "stop", "lost"]
Send = Callable[..., None]
"""Takes one or more reports, in order, which belong together."""

#: How often a deal is tried when both seats fail in it, and when the machine fails.
MAX_VOIDS = 3
MAX_TRIES = 3


class BotFilesError(Exception):
    """A bot's files are not to be had: `reason` is no_files or wrong_files."""

    def __init__(self, reason: Literal["no_files", "wrong_files"], sha256: str) -> None:
        self.reason: Literal["no_files", "wrong_files"] = reason
        super().__init__(f"{reason} {sha256}")


def _never() -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """Where a match is played: the sandbox, the folders of bots by SHA-256, who may stop it.

    `bot_dir` raises BotFilesError; `halt` is asked between cards and between deals. `speed` is the figure of
    `bots.arena.calibration`, where it was taken.
    """

    sandbox: Sandbox
    bot_dir: Callable[[str], Path]
    worker: str = "local"
    speed: int | None = None
    halt: Callable[[], Halt | None] = _never

    def is_unwanted(self) -> bool:
        """Whether even the running deal is to be broken off."""
        return self.halt() in ("stop", "lost")

    def started(self, **head: Any) -> Started:
        """The report that a run is played here; `head` are its run, nonce, number and attempt."""
        sandbox = self.sandbox
        return Started(
            **head,
            worker=self.worker,
            tier=sandbox.tier,
            policy=sandbox.policy,
            kernel=sandbox.kernel,
            python=sandbox.python,
            speed=self.speed,
        )

    def suffices(self, tier_min: str) -> bool:
        """Whether the sandbox confines at least as `tier_min` does."""
        return TIERS.index(self.sandbox.tier) >= TIERS.index(tier_min)


def play_match(job: MatchJob, report: Send, *, bench: Bench, nonce: str) -> None:
    """Play `job` (from `job.done` on) and report it: Started, a DealReport a deal, MatchReport; or Returned, Refused.

    The DealReport of the last deal and the MatchReport come in one call of `report`. Every report carries `nonce`.
    """
    match = _Match(job, report, bench, nonce)
    try:
        match.prepare()
    except BotFilesError as error:
        match.send(Refused(**match.head(), reason=error.reason, detail=str(error)))
        return
    except (EngineError, WireError) as error:
        match.send(Refused(**match.head(), reason="bad_job", detail=f"{type(error).__name__} {error.code}"))
        return
    if not bench.suffices(job.tier_min):
        detail = f"{bench.sandbox.tier} is less than {job.tier_min}"
        match.send(Refused(**match.head(), reason="no_tier", detail=detail))
        return
    try:
        match.play()
    except Halted:
        match.give_back()
    finally:
        match.close()


class _Match:
    """A match being played: its score, its processes, its reports."""

    def __init__(self, job: MatchJob, report: Send, bench: Bench, nonce: str) -> None:
        self.job = job
        self.report = report
        self.bench = bench
        self.nonce = nonce
        self.seq = 0
        self.players: list[Player] = []
        self.faulty: Counter[int] = Counter()
        self.voids = 0
        self.tries = 0
        self.is_over = False

    # ---- before the first card

    def prepare(self) -> None:
        """Check the job and fold the deals that are done. Raises EngineError, WireError, BotFilesError."""
        job = self.job
        self.rules = rules = Rules.parse(job.rules)
        self.seed = bytes.fromhex(job.seed)
        if tuple(seat.side for seat in job.seats) != rules.sides:
            raise WireError("MatchJob.seats", "the seats and sides of the rules")
        self.score = MatchScore(rules)
        for done in job.done:
            self.score = self.score.add(_result_of(rules, done))
            if done.fault_seat is not None:
                self.faulty[done.fault_seat] += 1
        limits = job.limits.for_process(rules.deal_cap, rules.tricks)
        self.chairs = [
            Chair(
                match=job.match,
                rules=rules,
                seat=seat.seat,
                bot_dir=self.bench.bot_dir(seat.sha256),
                entry=seat.entry,
                seed=bot_seed(self.seed, seat.seat),
                limits=limits,
            )
            for seat in job.seats
        ]

    # ---- reports

    def head(self) -> dict[str, Any]:
        """Run, nonce and the next number; each call takes a number."""
        self.seq += 1
        return {"run_id": self.job.run_id, "nonce": self.nonce, "seq": self.seq - 1}

    def send(self, *reports: Report) -> None:
        """Report, unless the lease is lost: then the run is somebody else's."""
        if self.bench.halt() != "lost":
            self.report(*reports)

    def give_back(self) -> None:
        """The rest of the match goes back."""
        halt = self.bench.halt()
        if halt in ("time", "drain", "stop"):
            self.send(Returned(**self.head(), next_deal=self.score.deals + 1, reason=halt))

    # ---- the deals

    def play(self) -> None:
        """All deals that are left. Raises Halted when the rest is to be given back."""
        if self.bench.halt():
            raise Halted
        self.send(self.bench.started(**self.head(), attempt=self.job.attempt))
        if end := self._end():  # a resumed match of which only the last report was missing
            self.send(end)
            return
        while True:
            if self.bench.halt():
                raise Halted
            reports = self._next_deal()
            if reports:
                self.send(*reports)
                if isinstance(reports[-1], MatchReport):
                    return

    def _next_deal(self) -> tuple[Report, ...]:
        """Try the next deal once: its report and, at the end, the MatchReport; nothing when it is to be replayed."""
        try:
            play = self._attempt(self.score.deals + 1)
        except MachineFault as error:
            self._discard()
            self.tries += 1
            return () if self.tries < MAX_TRIES else (self._void("infrastructure", str(error), ()),)
        if play.faults:
            self._discard()
        if len(losing_sides(self.rules, play.faults)) > 1:
            self.voids += 1
            return () if self.voids < MAX_VOIDS else (self._void("faults", "", play.faults),)
        self.voids = self.tries = 0
        self.score = self.score.add(play.result)
        self.faulty.update(fault.seat for fault in play.faults)
        report = self._deal_report(play)
        end = self._end()
        return (report, end) if end else (report,)

    def _attempt(self, number: int) -> DealPlay:
        """Deal `number`, from its seed. Raises MachineFault, Halted."""
        rules = self.rules
        shuffle = shuffled(rules, self.seed, self.job.salt, number)
        dealer = self.score.next_dealer(self.job.first_dealer)
        play = DealPlay(deal=Deal(rules, shuffle.deck, dealer, shuffle.turned), number=number)
        if not self.players:
            play.faults = self._seat_bots()
        if play.faults:
            play.close(self.players)
        else:
            play_deal(play, self.players, self.score, is_unwanted=self.bench.is_unwanted)
        return play

    def _seat_bots(self) -> tuple[Fault, ...]:
        """Start a fresh process for every seat; the faults of those that are not ready. Raises MachineFault."""
        faults = []
        for chair in self.chairs:
            self.players.append(Player(self.bench.sandbox, chair))
        for player in self.players:
            try:
                player.start()
            except Faulted as error:
                faults.append(error.fault)
        return tuple(faults)

    def _discard(self) -> None:
        """End every process at once: after a fault all seats get fresh ones."""
        while self.players:
            self.players.pop().kill()

    def close(self) -> None:
        """End what still runs. A bot may say goodbye only after a match that came to its end."""
        while self.players:
            player = self.players.pop()
            if self.is_over:
                player.end()
            else:
                player.kill()

    def _deal_report(self, play: DealPlay) -> DealReport:
        plays = format_cards(play.deal.plays)
        return DealReport(
            **self.head(),
            deal=play.number,
            plays=plays,
            points=play.deal.points,
            winner_side=play.result.winner_side,
            termination=play.termination,
            think_cpu_us=tuple(play.think_cpu_us),
            think_wall_us=tuple(play.think_wall_us),
            bank_left_us=play.bank_left_us,
            notes=tuple(play.notes) if any(play.notes) else (),
            faults=play.faults,
            logs=play.logs if any(play.logs) else (),
            plays_sha256=hashlib.sha256(plays.encode()).hexdigest(),
        )

    # ---- the end

    def _end(self) -> MatchReport | None:
        """The report of the end, once the match is over."""
        second = [seat for seat, count in self.faulty.items() if count > 1]
        if second and self.job.mode != "test":
            return self._match_report("fault", self.score.best_without({self.rules.sides[seat] for seat in second}))
        return self._match_report("normal", self.score.winner_side) if self.score.is_over else None

    def _match_report(self, termination: str, outcome: int | None) -> MatchReport:
        self.is_over = True
        return MatchReport(
            **self.head(), outcome=outcome, termination=termination, score=self.score.wins, deals=self.score.deals
        )

    def _void(self, reason: str, detail: str, faults: tuple[Fault, ...]) -> MatchReport:
        self.is_over = True
        return MatchReport(
            **self.head(),
            outcome=None,
            termination="void",
            score=self.score.wins,
            deals=self.score.deals,
            reason=f"{reason}: {detail}"[:300] if detail else reason,
            faults=faults,
        )


def _result_of(rules: Rules, done: DoneDeal) -> DealResult:
    """What a finished deal of an earlier run adds to the score. Raises WireError."""
    if len(done.points) != rules.n or sum(done.points) > 120:
        raise WireError("MatchJob.done", "points of every seat, 120 at most")
    if done.fault_seat is not None:
        return DealResult.forfeited(rules, done.fault_seat)
    sides = tuple(sum(done.points[seat] for seat in rules.seats_of(side)) for side in range(rules.side_count))
    return DealResult(done.points, sides, done.winner_side, 120 - sum(done.points), rules.tricks)
