"""Jobs of one card each, as whoever runs a table of people makes them."""

import uuid
from typing import Any

from bots.arena import BotRef, JobLimits, MoveJob
from bots.protocol import bot_seed, play_message, start_message, to_line
from games.engine import Deal, Observation, Rules, shuffled

SEED = bytes(range(32))
RULES = Rules()


def view_after(plies: int, rules: Rules = RULES) -> Observation:
    """What the seat on turn sees after so many first legal cards."""
    shuffle = shuffled(rules, SEED, "", 1)
    deal = Deal(rules, shuffle.deck, 0, shuffle.turned)
    for _ in range(plies):
        deal.play(deal.legal()[0])
    assert deal.turn is not None
    return deal.observe(deal.turn, number=1, score=(0,) * rules.side_count)


def text(message: dict[str, Any]) -> str:
    """A message without the end of its line."""
    return to_line(message).decode().rstrip("\n")


def messages(view: Observation, limits: JobLimits, bank_cpu_us: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Start and play for that seat: the play is the ninth question of the match, but the second of this process."""
    assert view.seat is not None
    told = limits.for_process(1, 1).told()
    seed = bot_seed(SEED, view.seat)
    start = start_message(n=1, match="TABLE", seat=view.seat, rules=view.rules, seed=seed, limits=told)
    return start, play_message(view, n=9, match="TABLE", bank_cpu_ms=bank_cpu_us // 1000)


def move_job(sha256: str, view: Observation, **changes: Any) -> MoveJob:
    """The job to ask that bot for that view; `start` and `request` in `changes` are keys to change in the messages."""
    limits: JobLimits = changes.get("limits", JobLimits())
    bank = changes.setdefault("bank_cpu_us", limits.bank_cpu_ms * 1000)
    start, request = messages(view, limits, bank)
    for message, key in ((start, "start"), (request, "request")):
        for name, value in changes.pop(key, {}).items():
            message[name] = value
    values: dict[str, Any] = {
        "run_id": str(uuid.uuid4()),
        "match": "TABLE",
        "deal": view.deal,
        "seat": view.seat,
        "bot": BotRef(sha256=sha256),
        "start": text(start),
        "request": text(request),
    }
    return MoveJob(**values | changes)
