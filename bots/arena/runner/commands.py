"""Runs one command, and tells what went wrong in one line."""

import argparse
import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Final

from bots.arena.runner import machine
from bots.arena.runner.ask import ask
from bots.arena.runner.check import check
from bots.arena.runner.errors import UsageError
from bots.arena.runner.new import new
from bots.arena.runner.options import parser
from bots.arena.runner.play import INTERRUPTED, play
from bots.arena.runner.replay import replay
from games.engine import cli

USAGE: Final = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command (default: that of the process); the exit status."""
    try:
        options = parser().parse_args(arguments)
    except SystemExit as leave:
        return int(leave.code or 0)
    try:
        status = _COMMANDS[options.command](options)
        sys.stdout.flush()  # here a reader that went away is noticed, not when the interpreter ends
    except UsageError as error:
        sys.stdout.flush()
        print(f"bella {options.command}: {error}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        machine.warn("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        # who reads us has seen enough; the interpreter would complain once more when it flushes
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except OSError as error:  # the disk is full, say
        print(f"bella {options.command}: {error.filename or 'writing'}: {error.strerror}", file=sys.stderr)
        return USAGE
    return status


def verify(options: argparse.Namespace) -> int:
    """Verify each file as `python -m games.engine verify` does; the worst exit status."""
    worst = 0
    for name in options.files:
        if len(options.files) > 1:
            print(f"{name}:", flush=True)
        worst = max(worst, cli.main(["verify", "--", name]))
    return worst


_COMMANDS: Final[dict[str, Callable[[argparse.Namespace], int]]] = {
    "play": play,
    "replay": replay,
    "check": check,
    "ask": ask,
    "verify": verify,
    "new": new,
}
