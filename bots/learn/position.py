"""The live example of the guide: one deal, played by the guide's own bot, with the views and messages that it got.

Nothing is written down here but the seed: deck, plays, views and messages are made by the engine and the protocol.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any, Final

from bots.arena import JobLimits
from bots.learn.files import CODE
from bots.protocol import (
    Match,
    Result,
    View,
    bot_seed,
    deal_over_message,
    end_message,
    play_message,
    start_message,
    to_line,
)
from games.engine import Deal, DealResult, Rules, card_int, shuffled

RULES: Final = Rules()
SEED: Final = hashlib.sha256(b"first bot 1042").digest()
#: The second deal of a match in which the seat that is shown has won the first; the other one deals.
NUMBER, SCORE, SEAT, DEALER = 2, (1, 0), 0, 1
MATCH: Final = "K7Q2M9XR"
#: Plays before the position in the middle, and before the one with an empty stock.
MIDDLE, END = 13, 34
BANK_MS: Final = 2_950


@dataclass(frozen=True, slots=True)
class Example:
    """The deal: the two views, what the guide's bot answers, and every message of its process as sent."""

    middle: View
    end: View
    card: str
    match: Match
    result: Result
    start: str
    ready: str
    play: str
    answer: str
    deal_over: str
    finish: str


@cache
def my_bot() -> Callable[[View], str]:
    """`play` of the guide's first bot."""
    module = ModuleType("my_bot")
    exec(compile((CODE / "my_bot.py").read_bytes(), "my_bot.py", "exec"), module.__dict__)  # noqa: S102 - our own file
    play: Callable[[View], str] = module.__dict__["play"]
    return play


@cache
def example() -> Example:
    """The example; the same in every process."""
    deal = Deal(RULES, shuffled(RULES, SEED, "", NUMBER).deck, DEALER)
    requests: dict[int, dict[str, Any]] = {}
    asked = 1  # the start
    while not deal.over:
        asked += deal.turn == SEAT
        view = deal.observe(deal.turn, number=NUMBER, score=SCORE)
        request = play_message(view, n=asked, match=MATCH, bank_cpu_ms=BANK_MS)
        if deal.turn == SEAT:
            requests[len(deal.plays)] = request
        deal.play(card_int(my_bot()(View.of(request))))
    limits = JobLimits().for_process(RULES.deal_cap, RULES.tricks).told()
    start = start_message(n=1, match=MATCH, seat=SEAT, rules=RULES, seed=bot_seed(SEED, SEAT), limits=limits)
    over = deal_over_message(
        match=MATCH,
        deal=NUMBER,
        points=deal.side_points,
        winner=DealResult.from_points(RULES, deal.side_points).winner_side,
        termination=deal.termination,
        tricks=deal.observe(None).tricks,
    )
    middle = View.of(requests[MIDDLE])
    card = my_bot()(middle)
    n = requests[MIDDLE]["n"]
    return Example(
        middle=middle,
        end=View.of(requests[END]),
        card=card,
        match=Match.of(start),
        result=Result.of(over),
        start=_sent(start),
        ready=_sent({"n": 1, "ready": True}),
        play=_sent(requests[MIDDLE]),
        answer=_sent({"n": n, "card": card}),
        deal_over=_sent(over),
        finish=_sent(end_message(MATCH)),
    )


def _sent(message: Mapping[str, Any]) -> str:
    return to_line(message).decode().rstrip("\n")


def shown(value: object) -> str:
    """A value as Python writes it, for the page."""
    if isinstance(value, Rules):
        return f"Rules.parse({value.code!r})"
    return repr(value)


def spaced(line: str) -> str:
    """A JSON line with a space after each comma and colon: the same message, but a narrow screen can wrap it."""
    return json.dumps(json.loads(line), ensure_ascii=False)
