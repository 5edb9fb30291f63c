"""`bella play`: two bots against each other."""

import argparse
import json
import secrets
import sys
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import IO

from bots.arena.runner import machine, tables
from bots.arena.runner.bots_here import LocalBot, read_bot
from bots.arena.runner.errors import UsageError
from bots.arena.runner.games import Plan, PlayedGame
from bots.arena.runner.pipelog import LoggingSandbox, PipeLog
from bots.arena.runner.progress import Progress
from bots.arena.runner.recording import DealWriter
from bots.arena.runner.show import shown
from bots.arena.runner.tally import Tally, unit_of
from bots.sandbox import Sandbox
from games.engine import EngineError, Rules

_DEALS = 20
_BOTS = (".py", ".zip", ".toml")
INTERRUPTED = 130


def play(options: argparse.Namespace) -> int:
    """Play, and print what came of it; 1 when a bot faulted. Ctrl-C prints what was played until then."""
    plan = plan_of(options)
    with ExitStack() as stack:
        files = [
            stack.enter_context(_opened(path)) if path else None for path in (options.jsonl, options.record)
        ]  # before the first card, not after the last
        sandbox = stack.enter_context(closing(machine.open_sandbox(options.sandbox)))
        tally = Tally(plan)
        try:
            _play(plan, tally, sandbox, *files, is_shown=options.show)
            is_whole = True
        except KeyboardInterrupt:
            is_whole = False
    if options.json:
        print(json.dumps(tally.to_dict(), indent=1))
    elif tally.games:
        print(tables.told(tally), end="")
    if not is_whole:
        machine.warn(f"interrupted after {tally.games} of {plan.count} {unit_of(plan)}")
        return INTERRUPTED
    return 1 if tally.has_faults else 0


def plan_of(options: argparse.Namespace) -> Plan:
    """What the command line asks for. Raises UsageError."""
    if options.show and options.json:
        raise UsageError("--show and --json both write to standard output: leave one of them out")
    first, second = (read_bot(name) for name in (options.first, options.second))
    rules, counts_matches = _rules(options.rules, options.format)
    if rules.side_count != 2:
        raise UsageError(f"two bots need rules with two sides; {rules.code} has {rules.side_count}")
    is_one = options.show and options.deals is None
    is_mirrored = options.mirror and not is_one
    count = options.deals or (1 if is_one else _DEALS)
    return Plan(
        bots=(first, second),
        names=_names(first, second),
        rules=rules,
        count=count + count % 2 if is_mirrored else count,
        is_mirrored=is_mirrored,
        counts_matches=counts_matches,
        seed=options.seed or secrets.token_bytes(32),
        limits=machine.limits_of(options.slow),
    )


def _rules(code: str, wanted: str | None) -> tuple[Rules, bool]:
    """The rules, and whether whole matches are counted: where a format is asked for. Raises UsageError."""
    rules = Rules.parse(code)
    has_format = any(word.startswith("format=") for word in code.split())
    if wanted is not None and has_format and wanted != rules.format:
        raise UsageError(f"--rules says {rules.format}, --format {wanted}: give the format once")
    if wanted is None and has_format:
        return rules, True
    try:
        return replace(rules, format=wanted or "deals:1"), wanted is not None
    except EngineError as error:
        raise UsageError(f"--format {wanted}: {error.message}") from None


def _names(first: LocalBot, second: LocalBot) -> tuple[str, str]:
    """How the two are called: the file's name, or as they were given where that is the same."""
    short = tuple(Path(bot.name).name or bot.name for bot in (first, second))
    if short[0] != short[1]:
        return short[0], short[1]
    return (first.name, second.name) if first.name != second.name else (first.name, f"{second.name} (2)")


def _opened(name: str) -> IO[str]:
    """A file to write. Raises UsageError, also for one that looks like a bot."""
    if Path(name).suffix.lower() in _BOTS:
        raise UsageError(f"{name} would be overwritten: give a name that is not that of a bot")
    try:
        return Path(name).open("w", encoding="utf-8", errors="backslashreplace")
    except (OSError, ValueError) as error:
        raise UsageError(f"{name}: {getattr(error, 'strerror', None) or 'cannot be written'}") from None


def _play(
    plan: Plan, tally: Tally, sandbox: Sandbox, jsonl: IO[str] | None, record: IO[str] | None, *, is_shown: bool
) -> None:
    """Play the games one after the other, and give each to everybody who wants it."""
    log = PipeLog(jsonl) if jsonl else None
    takers: list[Callable[[PlayedGame], None]] = [tally.add]
    if record:
        takers.append(DealWriter(record).add)
    if is_shown:
        takers.append(lambda played: print(shown(played), flush=True))
    bench = machine.bench_of(LoggingSandbox(sandbox, log) if log else sandbox, plan.bots)
    progress = Progress(plan.count, unit_of(plan))
    progress.step(0, "")
    try:
        for game in plan.games():
            if log:
                log.match, log.seats = game.name, game.seat_names()
            played = game.played(bench)
            if is_shown:
                progress.clear()
            for take in takers:
                take(played)
            progress.step(game.number, f"{tally.sides[0].won}:{tally.sides[1].won}")
    finally:
        progress.clear()
        sys.stdout.flush()
