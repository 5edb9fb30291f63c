"""The command `bella`, in a checkout `python -m bots.arena`: see `bots.arena.runner`."""

import signal
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from types import FrameType
from typing import NoReturn


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command (default: that of this process); its exit status."""
    if sys.platform == "win32":
        print("bella needs Linux or macOS: on Windows run it in WSL, the Windows Subsystem for Linux", file=sys.stderr)
        return 2
    try:
        from bots.arena.runner.commands import main as run

        if arguments is None:
            signal.signal(signal.SIGTERM, _terminate)
            for stream in (sys.stdin, sys.stdout, sys.stderr):
                if isinstance(stream, TextIOWrapper):  # no text and no terminal makes an error of an encoding
                    stream.reconfigure(errors="backslashreplace")
        return run(arguments)
    except KeyboardInterrupt:  # before the command was chosen, or once more while it ended
        return 130


def _terminate(number: int, _frame: FrameType | None) -> NoReturn:
    """Leave no process and no folder behind."""
    raise SystemExit(128 + number)


if __name__ == "__main__":
    sys.exit(main())
