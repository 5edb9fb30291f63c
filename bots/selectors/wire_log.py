"""What went over the pipes of a bot in a match, made again from the record: requests, answers, times, log.

The numbers `n` and the clock follow from the order of the questions and from what each answer cost, as they did then.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bots.limits import LIMITS
from bots.models import DealLog, Fault
from bots.protocol import bot_seed, deal_over_message, end_message, play_message, start_message
from bots.selectors.logs import record_of, texts_of
from games.engine import Deal as Played
from games.engine import DealResult, MatchScore, Rules, card_code, parse_cards
from games.models import Deal, Match, MatchState, Seat

Line = dict[str, Any]


def as_jsonl(match: Match, seats: Sequence[Seat]) -> str:
    """One JSON object a line, seat by seat: {seat, deal, ply, to or from: "bot", message, cpu_us, wall_us, log}.

    What is not known any more (times and texts of a log that was removed) is left out. Two queries a deal.
    """
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines(match, seats))


def lines(match: Match, seats: Sequence[Seat]) -> list[Line]:
    """The same as objects."""
    return [line for seat in seats for line in _lines(match, seat)]


def _lines(match: Match, seat: Seat) -> Iterator[Line]:
    rules = match.parsed_rules
    pipe = _Pipe(match, rules, seat.index)
    starts = [start for start in match.runs.values_list("started_at", flat=True) if start is not None]
    run = 0
    for deal in match.deals.exclude(termination="").order_by("number"):
        ended_at = deal.finished_at
        before, run = run, sum(start <= ended_at for start in starts) if ended_at else run
        if run != before:
            pipe.n = 0  # another worker took the match up: every seat got a fresh process
        yield from pipe.deal(deal)
    for fault in Fault.objects.filter(match=match, deal=None, seat=seat.index).order_by("pk"):
        where = {"seat": seat.index, "deal": fault.number}  # it could not be played
        yield {**where, "to": "bot", **_asked(fault)}
        yield {**where, "from": "bot", **_failed(fault)}
    if pipe.n and match.state == MatchState.FINISHED:
        yield {"seat": seat.index, "to": "bot", "message": end_message(match.code)}


class _Pipe:
    """The pipe of one seat through a match: the number of the last question (0: no process runs) and the score."""

    def __init__(self, match: Match, rules: Rules, seat: int) -> None:
        self.match = match
        self.rules = rules
        self.seat = seat
        self.n = 0
        self.score = MatchScore(rules)

    def deal(self, deal: Deal) -> Iterator[Line]:
        """The lines of one deal, from the start of a process where there was one, to the notice of its end."""
        log = DealLog.objects.filter(deal=deal).first()
        fault = Fault.objects.filter(deal=deal, seat=self.seat).first()
        where = {"seat": self.seat, "deal": deal.number}
        texts = texts_of(log, self.seat)
        if self.n == 0:
            yield from self._start(where, texts.get(None, ""), is_ready=fault is None or fault.ply is not None)
        played = record_of(self.rules, deal).replay(0)
        yield from self._plays(deal, played, log, texts)
        if fault is not None:
            at = where if fault.ply is None else {**where, "ply": fault.ply}
            if fault.ply is not None:
                yield {**at, "to": "bot", **_asked(fault)}
            yield {**at, "from": "bot", **_failed(fault)}
        is_forfeited = deal.fault_seat is not None
        result = DealResult.forfeited(self.rules, deal.fault_seat or 0) if is_forfeited else played.result()
        said = deal_over_message(
            match=self.match.code,
            deal=deal.number,
            points=played.side_points,
            winner=result.winner_side,
            termination=deal.termination,
            tricks=played.observe(None).tricks,
        )
        yield {**where, "to": "bot", "message": said}
        self.score = self.score.add(result)
        if is_forfeited:
            self.n = 0  # every seat got a fresh process

    def _start(self, where: Line, text: str, *, is_ready: bool) -> Iterator[Line]:
        self.n = 1
        asked = start_message(
            n=1,
            match=self.match.code,
            seat=self.seat,
            rules=self.rules,
            seed=bot_seed(bytes(self.match.seed), self.seat),
            limits=LIMITS.for_process(self.rules.deal_cap, self.rules.tricks).told(),
        )
        yield {**where, "to": "bot", "message": asked}
        if is_ready:
            yield _answer(where, {"n": 1, "ready": True}, log=text)

    def _plays(self, row: Deal, deal: Played, log: DealLog | None, texts: Mapping[int | None, str]) -> Iterator[Line]:
        bank_us = 1000 * LIMITS.bank_cpu_ms
        for ply, card in enumerate(parse_cards(row.plays)):
            if deal.turn == self.seat:
                self.n += 1
                at = {"seat": self.seat, "deal": row.number, "ply": ply}
                view = deal.observe(self.seat, number=row.number, score=self.score.wins, drawn=self.score.drawn)
                asked = play_message(view, n=self.n, match=self.match.code, bank_cpu_ms=bank_us // 1000)
                yield {**at, "to": "bot", "message": asked}
                answer: Line = {"n": self.n, "card": card_code(card)}
                if log is not None and ply < len(log.notes) and log.notes[ply]:
                    answer["note"] = log.notes[ply]
                spent = {"cpu_us": log.cpu_us[ply], "wall_us": log.wall_us[ply]} if log is not None else {}
                bank_us -= max(0, spent.get("cpu_us", 0) - 1000 * LIMITS.move_cpu_ms)
                yield _answer(at, answer, log=texts.get(ply, ""), **spent)
            deal.play(card)


def _asked(fault: Fault) -> Line:
    """The request that a fault followed; as text where it is none any more (it was removed with its bot)."""
    try:
        return {"message": json.loads(fault.request)}
    except ValueError:
        return {"request": fault.request}


def _failed(fault: Fault) -> Line:
    return {"answer": fault.answer, "fault": fault.kind, "log": fault.stderr_tail}


def _answer(where: Line, message: Line, *, log: str, **spent: int) -> Line:
    return {**where, "from": "bot", "message": message, **spent, **({"log": log} if log else {})}
