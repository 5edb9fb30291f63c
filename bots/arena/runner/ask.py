"""`bella ask`: single requests to a bot, each to a fresh process."""

import argparse
import json
import secrets
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from bots.arena.conductor import MAX_TRIES
from bots.arena.players import MachineFault, log_text, printable
from bots.arena.reports import MAX_STDERR_TAIL
from bots.arena.runner import machine
from bots.arena.runner.bots_here import read_bot
from bots.arena.runner.errors import UsageError
from bots.arena.runner.tables import log_lines
from bots.arena.sentences import MESSAGES
from bots.protocol import AnswerError, View, bot_seed, parse_answer, start_message, to_line
from bots.sandbox import BotProcess, Fault, FaultKind, Limits, Sandbox, SandboxBroken
from games.engine import EngineError, Rules

_SILENT: Final = ("deal_over", "end")


@dataclass(frozen=True, slots=True)
class Request:
    """A `play` request, and the start message of the process that it is put to."""

    message: dict[str, Any]
    start: dict[str, Any]
    limits: Limits


def ask(options: argparse.Namespace) -> int:
    """Put each request line to a fresh process; print its answer, CPU time and log; 1 when one is a fault.

    Raises UsageError at a line that is none, when the ones before it have been put.
    """
    bot = read_bot(options.bot)
    seed: bytes = options.seed or secrets.token_bytes(32)
    limits = machine.limits_of(options.slow).for_process(1, 40)
    lines = sys.stdin or ()  # closed, where there is none
    if lines and sys.stdin.isatty():
        print("one request a line; Ctrl-D ends", file=sys.stderr)
    faults = count = 0
    with closing(machine.open_sandbox(options.sandbox)) as sandbox:
        folder = sandbox.store.put(dict(bot.archive.files))
        for request in requests_of(lines, seed, limits):
            count += 1
            told, is_legal, log = _put(sandbox, folder, bot.archive.entry, request)
            faults += not is_legal
            print(told)
            print("".join(f"    {line}\n" for line in log_lines(log)), end="", flush=True)
    if not count:
        raise UsageError("standard input holds no request: give lines of type play, as a fault shows them")
    return 1 if faults else 0


def requests_of(lines: Iterable[str], seed: bytes, limits: Limits) -> Iterator[Request]:
    """The requests for a card in lines that are requests, or of the log of --jsonl or of the site. Raises UsageError.

    A start message gives the seed and the limits to the requests of the same match and seat that follow.
    """
    starts: dict[tuple[str, int], dict[str, Any]] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            message = _message(json.loads(line))
            if message is None:
                continue
            place = (message["match"], message["seat"])
            if message["type"] == "start":
                _start_line(message)
                starts[place] = message
            else:
                yield _request(message, starts.get(place), seed, limits)
        except (EngineError, ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
            why = printable(f"{type(error).__name__}: {error}")[:200]
            raise UsageError(f"line {number} is no request of the protocol: {why}") from None


def _message(value: Any) -> dict[str, Any] | None:
    """The message to a bot in a line; None for one that is not asked. Raises ValueError, TypeError."""
    if isinstance(value, dict) and "type" not in value and (value.keys() & {"to", "from"}):  # a line of a log
        value = value["message"] if "to" in value else {"type": "end"}
    if not isinstance(value, dict) or value.get("type") not in ("play", "start", *_SILENT):
        raise ValueError("it needs the type play")
    return None if value["type"] in _SILENT else value


def _request(message: dict[str, Any], start: dict[str, Any] | None, seed: bytes, limits: Limits) -> Request:
    view = View.of(message)
    if view.seat is None or message["turn"] != view.seat or not message["legal"]:
        raise ValueError("it asks nobody for a card")
    if start is None:
        start = start_message(
            n=1,
            match=message["match"],
            seat=view.seat,
            rules=view.rules,
            seed=bot_seed(seed, view.seat),
            limits=limits.told(),
        )
    bank = message["clock"]["bank_cpu_ms"]
    if type(bank) is not int or type(message["n"]) is not int or message["n"] < 1:
        raise ValueError("n and bank_cpu_ms are whole numbers")
    return Request(message, start, replace(limits, bank_cpu_ms=max(0, min(bank, limits.bank_cpu_ms))))


def _start_line(message: dict[str, Any]) -> None:
    """Raises unless this is a start message that can be sent."""
    Rules.from_dict(message["rules"])
    if type(message["seed"]) is not int or not 0 <= message["seed"] < 1 << 53:
        raise ValueError("seed is a whole number below 2^53")


def _put(sandbox: Sandbox, folder: Path, entry: str, request: Request) -> tuple[str, bool, str]:
    """Put a request to a fresh process: what came of it, whether it was a legal card, the log.

    Tried again when the machine fails. Raises UsageError when it fails again and again.
    """
    why = ""
    for _ in range(MAX_TRIES):
        try:
            with closing(
                sandbox.spawn(folder, limits=request.limits, seed=request.start["seed"], entry=entry)
            ) as process:
                told, is_legal = _answer(process, request)
                return told, is_legal, log_text(process.tail(), MAX_STDERR_TAIL).rstrip("\n")
        except (MachineFault, SandboxBroken) as error:
            why = str(error)
    raise UsageError(f"this machine failed ({why}): try it again")


def _answer(process: BotProcess, request: Request) -> tuple[str, bool]:
    """Start and ask: what came of it, and whether it was a legal card. Raises MachineFault."""
    limits, message = request.limits, request.message
    start = to_line({**request.start, "n": message["n"] - 1})
    try:
        ready = process.ask(start, clock=limits.start_clock())
        if ready.fault is not None:
            return _fault(ready.fault), False
        parse_answer(ready.line or b"", n=message["n"] - 1, wanted="ready")
        reply = process.ask(to_line(message), clock=limits.move_clock(limits.bank()))
        if reply.fault is not None:
            return _fault(reply.fault), False
        answer = parse_answer(reply.line or b"", n=message["n"], wanted="card")
    except AnswerError as error:
        return f"fault: {MESSAGES['fault.protocol'] % {'detail': error}}", False
    if answer.card not in message["legal"]:
        return f"fault: {MESSAGES['fault.illegal'] % {'detail': answer.card}}", False
    note = f'   "{printable(answer.note)}"' if answer.note else ""
    return f"{answer.card}   {reply.cpu_us} us{note}", True


def _fault(fault: Fault) -> str:
    if fault.kind is FaultKind.INFRASTRUCTURE:
        raise MachineFault(fault.detail)
    return f"fault: {MESSAGES[f'fault.{fault.kind}'] % {'detail': fault.detail, 'exit': fault.exit}}"
