"""`bella new`: a bot to start from, and its test."""

import argparse
import keyword
from pathlib import Path
from typing import Final

from bots.arena.runner.errors import UsageError

_HERE: Final = Path(__file__).parent
_STARTER: Final = "bots.arena.runner.starter"


def new(options: argparse.Namespace) -> int:
    """Write both files into the current folder, and neither when one is there. Raises UsageError."""
    name = options.name.removesuffix(".py")
    if not (name.isascii() and name.isidentifier()) or keyword.iskeyword(name) or name in ("bot", "games", "bots"):
        raise UsageError(f"{options.name!a} is no name for a bot: take letters, digits and _, as in my_bot")
    bot, test = Path(f"{name}.py"), Path(f"test_{name}.py")
    texts = {
        bot: _text("starter.py").replace("FILE", bot.name),
        test: _text("starter_checks.py").replace("my_bot", name).replace(_STARTER, name),
    }
    if there := [str(path) for path in texts if path.exists()]:
        raise UsageError(f"{' and '.join(there)}: already there, and nothing is overwritten; take another name")
    try:
        for path, text in texts.items():
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or 'cannot be written'}") from None
    print(
        f"{bot} is the bot: look into it, it is short\n{test} is its test: python {test}\nnext: bella play {bot} greedy"
    )
    return 0


def _text(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")
