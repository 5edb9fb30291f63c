"""Whether a report can be true: everything in it is derived again from our own seed by the engine. Pure.

A mismatch raises `Lie`; nothing of a report is stored before it has passed.
"""

import codecs
import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from bots.arena.jobs import JobLimits
from bots.arena.reports import MAX_SHOWN_ANSWER, DealReport, Fault, MatchReport
from bots.protocol import AnswerError, bot_seed, parse_answer, play_message, request_sha256, start_message, to_line
from games.engine import Deal, DealResult, EngineError, MatchScore, Record, Rules, parse_cards, shuffled

#: Measured times may pass a limit by a tenth and, on a busy machine, by this much.
SLACK_US = 100_000


class Lie(Exception):
    """A report that cannot be true. `code` says what does not hold; the text never repeats a card or a seed."""

    def __init__(self, code: str) -> None:
        self.code = code
        super().__init__(code)


@dataclass(slots=True, kw_only=True)
class Standing:
    """Where a match stands, as far as reports are judged by it. `score` and `faulty` move on with each true report."""

    code: str
    rules: Rules
    seed: bytes = field(repr=False)
    salt: str
    first_dealer: int
    goes_on_after_faults: bool
    limits: JobLimits
    score: MatchScore
    faulty: Counter[int] = field(default_factory=Counter)

    @property
    def losers(self) -> set[int]:
        """Sides of seats with a second faulty deal: the match is over for them."""
        if self.goes_on_after_faults:
            return set()
        return {self.rules.sides[seat] for seat, count in self.faulty.items() if count > 1}

    @property
    def is_over(self) -> bool:
        """Whether no deal may follow."""
        return self.score.is_over or bool(self.losers)

    def add(self, result: DealResult, fault_seats: Sequence[int]) -> None:
        """Count a deal."""
        self.score = self.score.add(result)
        self.faulty.update(fault_seats)


@dataclass(frozen=True, slots=True)
class CheckedDeal:
    """A deal as the engine knows it after the replay."""

    deal: Deal
    record: Record
    points: tuple[int, ...]
    result: DealResult
    termination: str


def check_deal(standing: Standing, report: DealReport) -> CheckedDeal:
    """The deal of a report, replayed on the deck of our own seed. Raises Lie."""
    number = standing.score.deals + 1
    if report.deal != number or standing.is_over:
        raise Lie("deal.number")
    if hashlib.sha256(report.plays.encode()).hexdigest() != report.plays_sha256:
        raise Lie("deal.plays_sha256")
    rules = standing.rules
    shuffle = shuffled(rules, standing.seed, standing.salt, number)
    dealer = standing.score.next_dealer(standing.first_dealer)
    record = Record(rules, shuffle.deck, parse_cards(report.plays), dealer, shuffle.turned)
    try:
        deal = record.replay()
    except EngineError:
        raise Lie("deal.plays") from None
    if deal.points != report.points:
        raise Lie("deal.points")
    result = _checked_end(standing, report, deal)
    if result.winner_side != report.winner_side:
        raise Lie("deal.winner")
    _check_times(standing, report, deal)
    stopped = "auto" if deal.tricks_done < rules.tricks else "normal"
    return CheckedDeal(deal, record, deal.points, result, report.faults[0].kind if report.faults else stopped)


def _checked_end(standing: Standing, report: DealReport, deal: Deal) -> DealResult:
    """What ended the deal: its last card or a fault. Raises Lie."""
    if not report.faults:
        if not deal.over or report.termination not in ("normal", "auto"):
            raise Lie("deal.end")
        return deal.result()
    first = report.faults[0]
    if deal.over or report.termination != first.kind:
        raise Lie("deal.end")
    seats = [fault.seat for fault in report.faults]
    if len(set(seats)) != len(seats) or any(seat >= standing.rules.n for seat in seats):
        raise Lie("fault.seat")
    if len({standing.rules.sides[seat] for seat in seats}) > 1:
        raise Lie("fault.sides")  # such a deal is void and played again
    for fault in report.faults:
        _check_fault(standing, fault, deal)
    return DealResult.forfeited(standing.rules, first.seat)


def _check_fault(standing: Standing, fault: Fault, deal: Deal) -> None:
    """The seat was on turn, it was asked what we would have asked, and an illegal card is not in its hand."""
    if fault.ply is None:
        if deal.plays:
            raise Lie("fault.ply")
        check_start_fault(standing, fault)
        return
    if fault.ply != len(deal.plays) or fault.seat != deal.turn:
        raise Lie("fault.ply")
    score = standing.score
    view = deal.observe(fault.seat, number=score.deals + 1, score=score.wins, drawn=score.drawn)
    asked = play_message(view, n=1, match=standing.code, bank_cpu_ms=0)
    if not was_asked(fault, asked):
        raise Lie("fault.request")
    if fault.kind == "illegal" and not is_foreign_card(fault, view.legal):
        raise Lie("fault.illegal")


def check_start_fault(standing: Standing, fault: Fault) -> None:
    """The bot was started as we would have started it. Raises Lie."""
    rules = standing.rules
    asked = start_message(
        n=1,
        match=standing.code,
        seat=fault.seat,
        rules=rules,
        seed=bot_seed(standing.seed, fault.seat),
        limits=standing.limits.for_process(rules.deal_cap, rules.tricks).told(),
    )
    if fault.ply is not None or fault.kind == "illegal" or not was_asked(fault, asked):
        raise Lie("fault.request")


def was_asked(fault: Fault, asked: Mapping[str, Any]) -> bool:
    """Whether hash and line of the request are what we would have sent; the line is shown to the bot's owner."""
    try:
        shown = json.loads(fault.request)
        n, clock = shown["n"], shown.get("clock")
    except (ValueError, TypeError, KeyError, RecursionError):
        return False
    if type(n) is not int or not _is_clock(clock):
        return False
    ours = {**asked, "n": n} | ({} if clock is None else {"clock": clock})
    return fault.request == to_line(ours).decode().rstrip("\n") and fault.request_sha256 == request_sha256(asked)


def _is_clock(clock: object) -> bool:
    """The bank of a play request; a start has none."""
    return clock is None or (
        type(clock) is dict and set(clock) == {"bank_cpu_ms"} and type(clock["bank_cpu_ms"]) is int
    )


def is_foreign_card(fault: Fault, legal: Sequence[str]) -> bool:
    """Whether the answer is a card that the seat does not hold. One too long to be shown whole is taken on trust."""
    if len(fault.answer) >= MAX_SHOWN_ANSWER:
        return True
    try:
        n = json.loads(fault.request)["n"]
        line, _length = codecs.escape_decode(fault.answer.encode())
        card = parse_answer(bytes(line), n=n, wanted="card").card
    except (AnswerError, ValueError, KeyError, TypeError):
        return False
    return card not in legal


def _check_times(standing: Standing, report: DealReport, deal: Deal) -> None:
    """One time a play, and nobody thought longer than the clocks allow."""
    plays = len(deal.plays)
    if len(report.think_cpu_us) != plays or len(report.think_wall_us) != plays:
        raise Lie("deal.times")
    if report.notes and len(report.notes) != plays:
        raise Lie("deal.notes")
    limits = standing.limits
    free_cpu, free_wall = 1000 * limits.move_cpu_ms, 1000 * limits.free_wall_ms
    bank_cpu, bank_wall = 1000 * limits.bank_cpu_ms, 1000 * limits.bank_wall_ms
    if sum(report.think_wall_us) <= free_wall and sum(report.think_cpu_us) <= free_cpu:
        return  # nearly every deal
    if any(left > bank_cpu for left in report.bank_left_us):
        raise Lie("deal.bank")
    cpu, wall = Counter[int](), Counter[int]()
    longest = 1000 * limits.move_wall_ms
    for seat, its_cpu, its_wall in zip(deal.played_by, report.think_cpu_us, report.think_wall_us, strict=True):
        cpu[seat] += max(0, its_cpu - free_cpu)
        wall[seat] += max(0, its_wall - free_wall)
        if is_beyond(its_wall, longest) or is_beyond(its_cpu, free_cpu + bank_cpu):
            raise Lie("deal.times")
    if any(is_beyond(used, bank_cpu) for used in cpu.values()):
        raise Lie("deal.times")
    if any(is_beyond(used, bank_wall) for used in wall.values()):
        raise Lie("deal.times")


def is_beyond(used_us: int, limit_us: int) -> bool:
    """Whether a measured time cannot be under a clock with this limit."""
    return used_us > limit_us * 11 // 10 + SLACK_US


def check_end(standing: Standing, report: MatchReport) -> int | None:
    """The winning side of a match that came to its end. Raises Lie."""
    if report.deals != standing.score.deals or report.score != standing.score.wins:
        raise Lie("match.score")
    if losers := standing.losers:
        if report.termination != "fault":
            raise Lie("match.end")
        winner = standing.score.best_without(losers)
    else:
        if report.termination != "normal" or not standing.score.is_over:
            raise Lie("match.end")
        winner = standing.score.winner_side
    if report.outcome != winner:
        raise Lie("match.outcome")
    return winner


def check_void(standing: Standing, report: MatchReport) -> None:
    """A match that cannot go on because bots of two sides do not start. Raises Lie."""
    if report.outcome is not None or report.deals != standing.score.deals or standing.is_over:
        raise Lie("match.end")
    if any(fault.seat >= standing.rules.n for fault in report.faults):
        raise Lie("fault.seat")
    if len({standing.rules.sides[fault.seat] for fault in report.faults}) < 2:
        raise Lie("fault.sides")
    for fault in report.faults:
        check_start_fault(standing, fault)


@lru_cache(maxsize=64)
def rules_of(code: str) -> Rules:
    """The rules of a match; a site has few different ones."""
    return Rules.parse(code)
