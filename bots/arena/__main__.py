"""The local runner: `python -m bots.arena play A B`, `check A`, `ask A < requests`. No services, the same conductor.

A and B are files, zips or house bots by name. Exit status: 0 fine, 1 a bot faulted, 2 wrong use.
"""

import argparse
import secrets
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bots import demo, house
from bots.arena import (
    Archive,
    ArchiveError,
    Bench,
    DealReport,
    JobLimits,
    MatchJob,
    MatchReport,
    Report,
    SeatJob,
    play_match,
    unpack,
)
from bots.arena.alone import RequestError, ask, check
from bots.arena.sentences import MESSAGES
from bots.arena.trials import percentile
from bots.sandbox import SandboxUnavailable, start_sandbox

RUN = "00000000-0000-0000-0000-000000000000"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command (default: that of the process); the exit status."""
    chosen = _parser().parse_args(arguments)
    try:
        archives = [read_bot(name) for name in chosen.bots]
        seed = bytes.fromhex(chosen.seed)
    except ArchiveError as error:
        params = {"file": error.file, "limit": error.limit, "detail": error.detail}
        return _wrong(MESSAGES[error.code] % params)
    except (OSError, ValueError) as error:
        return _wrong(str(error))
    if len(seed) != 32 or not 1 <= chosen.deals <= 100_000:
        return _wrong("--seed takes 64 hex digits, --deals a number from 1 to 100000")
    try:
        if chosen.command == "check":
            return check(archives[0], seed)
        if chosen.command == "ask":
            return ask(archives[0], sys.stdin, seed)
        return play(chosen.bots, archives, seed, chosen.deals)
    except (SandboxUnavailable, RequestError) as error:
        return _wrong(str(error))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bots.arena", description="Try bots here.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", dest="command")
    bots = {"metavar": "BOT", "help": "a .py file, a zip, or a house bot: random principiante greedy medio esperto"}
    for name, count, help_ in (
        ("play", 2, "play deals against another bot, mirrored"),
        ("check", 1, "make the checks of an upload"),
        ("ask", 1, "put requests to a bot, one a line of standard input"),
    ):
        command = commands.add_parser(name, help=help_)
        command.add_argument("bots", nargs=count, **bots)  # type: ignore[arg-type]
        command.add_argument("--seed", default=secrets.token_hex(32), help="64 hex digits: the same again")
        command.set_defaults(deals=1)
        if name == "play":
            command.add_argument("--deals", type=int, default=20, help="number of deals, each pair of them mirrored")
    return parser


def read_bot(name: str) -> Archive:
    """A house bot by name, or a file. Raises OSError, ArchiveError."""
    if name in house.HOUSE:
        return unpack(house.source(name))
    if name in demo.DEMO:
        return unpack(demo.source(name))
    path = Path(name)
    return unpack(path.read_bytes(), path.name)


def play(names: Sequence[str], archives: Sequence[Archive], seed: bytes, deals: int) -> int:
    """Play `deals` deals, two by two with the seats exchanged, and print what came of it; 1 when a bot faulted."""
    won: Counter[int | None] = Counter()
    points = [0, 0]
    faults: list[tuple[int, DealReport]] = []
    think: list[list[int]] = [[], []]
    with start_sandbox(log=lambda _: None) as sandbox:
        folders = {archive.sha256: sandbox.store.put(dict(archive.files)) for archive in set(archives)}
        bench = Bench(sandbox=sandbox, bot_dir=folders.__getitem__)
        for number in range(deals):
            swapped = number % 2
            seated = [archives[seat ^ swapped] for seat in (0, 1)]
            job = MatchJob(
                run_id=RUN,
                match="local",
                mode="test",
                rules="n=2 format=deals:1",
                salt=str(number // 2),
                seed=seed.hex(),
                first_dealer=number // 2 % 2,
                seats=tuple(
                    SeatJob(seat=seat, side=seat, sha256=archive.sha256, entry=archive.entry)
                    for seat, archive in enumerate(seated)
                ),
                limits=JobLimits(),
            )
            reports: list[Report] = []
            play_match(job, lambda *more: reports.extend(more), bench=bench, nonce="localrun")  # noqa: B023
            for report in reports:
                if isinstance(report, DealReport):
                    winner = report.winner_side
                    won[None if winner is None else winner ^ swapped] += 1
                    for seat in (0, 1):
                        points[seat ^ swapped] += report.points[seat]
                    faults += [(fault.seat ^ swapped, report) for fault in report.faults]
                    think[0].extend(report.think_cpu_us)
                elif isinstance(report, MatchReport) and report.termination == "void":
                    print(f"deal {number + 1} is void: {report.reason}")
    print(f"{names[0]} {won[0]} : {won[1]} {names[1]}   drawn {won[None]}   points {points[0]} : {points[1]}")
    print(f"a move: p50 {percentile(think[0], 50)} us, p95 {percentile(think[0], 95)} us   seed {seed.hex()}")
    told = Counter(
        f"fault of {names[seat]}: {fault.kind} {fault.detail} {fault.exit}\n{fault.stderr_tail}"
        for seat, report in faults
        for fault in report.faults[:1]
    )
    for text, times in told.items():  # a broken bot fails alike in every deal
        print(text, end="")
        if times > 1:
            print(f"the same {times} times")
    return 1 if faults else 0


def _wrong(text: str) -> int:
    print(text, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
