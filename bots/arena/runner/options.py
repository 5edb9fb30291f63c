"""The command line: what can be asked for, and its help."""

import argparse
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any, Final, NoReturn

from games.engine import EngineError, Rules

MAX_DEALS: Final = 100_000
SLOWEST: Final = 10.0
SANDBOXES: Final = ("auto", "namespaces", "landlock", "none")

_EXITS: Final = "exit status: 0 fine, 1 a bot faulted, 2 a wrong call, 130 interrupted"
_BOT: Final = "a .py file, a zip, a folder with bot.py, or a house bot: random principiante greedy medio esperto"


class Parser(argparse.ArgumentParser):
    """One that tells a wrong call in one line."""

    def __init__(self, **options: Any) -> None:
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        """Say it, and where help is; exit status 2."""
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def parser() -> Parser:
    """Of `bella` and of its commands; `options.command` is the name of the chosen one."""
    whole = Parser(
        prog="bella",
        description="Write and try bots for Briscola on your own machine: the conductor, the clocks and the messages\n"
        "are those of the site; nothing is sent anywhere.",
        epilog="first steps:\n"
        "  bella new my_bot                   a bot to start from, and its test\n"
        "  bella play my_bot.py greedy        20 deals against a house bot\n"
        "  bella check my_bot.py              the checks that an upload must pass\n"
        "  bella replay K7Q2M9XR.json my_bot.py --seat 1    a match of the site, card by card\n\n"
        + _EXITS
        + "\nin a checkout that is not installed: python -m bots.arena instead of bella",
    )
    whole.add_argument("--version", action="version", version=f"bella {version()}")
    commands = whole.add_subparsers(required=True, metavar="COMMAND", dest="command")
    _add_play(commands)
    _add_replay(commands)
    _add_check(commands)
    _add_ask(commands)
    _add_verify(commands)
    _add_new(commands)
    return whole


def version() -> str:
    """Of the installed package, or of the checkout that this file is part of."""
    try:
        return metadata.version("bella")
    except metadata.PackageNotFoundError:
        project = Path(__file__).parents[3] / "pyproject.toml"
        return str(tomllib.loads(project.read_text())["project"]["version"]) if project.exists() else "unknown"


def _command(commands: Any, name: str, brief: str, description: str, examples: str) -> Parser:
    made: Parser = commands.add_parser(
        name, help=brief, description=description, epilog=f"examples:\n{examples}\n\n{_EXITS}"
    )
    return made


def _add_play(commands: Any) -> None:
    command = _command(
        commands,
        "play",
        "let two bots play",
        "Let A and B play. Deals come in mirrored pairs: the same cards twice, with the seats exchanged, so that luck\n"
        "falls on both alike. In games of pairs A plays seats 0 and 2, B seats 1 and 3.",
        "  bella play my_bot.py greedy --deals 200\n"
        "  bella play my_bot.py old.zip --format first_to:2 --deals 50     50 matches\n"
        "  bella play my_bot.py medio --rules 'n=4'                        in pairs\n"
        "  bella play my_bot.py medio --show                               one deal, told trick by trick\n"
        "  bella play my_bot.py medio --record games.bella --jsonl pipes.jsonl",
    )
    command.add_argument("first", metavar="A", help=_BOT)
    command.add_argument("second", metavar="B", help="another one")
    command.add_argument(
        "--deals", "--matches", type=_deals, metavar="N",
        help="number of deals, with --format of matches; default 20, with --show 1",
    )  # fmt: skip
    command.add_argument("--no-mirror", dest="mirror", action="store_false", help="other cards in every deal")
    _add_seed(command, "the same cards again")
    command.add_argument(
        "--rules", type=_rules, default="n=2", metavar="CODE", help="as a page of rules shows it; default 'n=2'"
    )
    command.add_argument(
        "--format", metavar="F", help="play whole matches and count those: first_to:2, deals:3, race:120 ..."
    )
    command.add_argument("--jsonl", metavar="FILE", help="write what goes over the pipes, with times")
    command.add_argument("--record", metavar="FILE", help="write the deals as game notation (.bella)")
    command.add_argument("--json", action="store_true", help="the result as a JSON object on standard output")
    command.add_argument("--show", action="store_true", help="tell each deal trick by trick")
    _add_machine(command)


def _add_replay(commands: Any) -> None:
    command = _command(
        commands,
        "replay",
        "put the positions of a match of the site to a bot",
        "Put each position that a seat had in a match to your bot, with the messages and the start seed of the site,\n"
        "and print where its card differs. RECORD is what the match's page gives to download (record as JSON), a file\n"
        "of --record, or the games of a check (API, versions/<n>/games/), which hold no seed.",
        "  bella replay K7Q2M9XR.json my_bot.py --seat 1\n"
        "  bella replay K7Q2M9XR.json my_bot.py --seat 1 --deal 2 --ply 18     one position, in full",
    )
    command.add_argument("record", metavar="RECORD", help="JSON or .bella file")
    command.add_argument("bot", metavar="BOT", help=_BOT)
    command.add_argument(
        "--seat",
        type=_number(0, 7),
        metavar="N",
        help="whose positions; default: that of a bot of this name, where the record has names, else 0",
    )
    command.add_argument("--deal", type=_number(1, 10_000), metavar="N", help="of this deal alone")
    command.add_argument(
        "--ply", type=_number(0, 39), metavar="N", help="of this card alone: so many were played before it in the deal"
    )
    _add_machine(command)


def _add_check(commands: Any) -> None:
    command = _command(
        commands,
        "check",
        "make the checks of an upload",
        "Make the checks that the site makes of an upload, with the same code: archive, syntax, form, start, games\n"
        "against itself and the house, single requests, the same seed twice. What fails is told with what to do.",
        "  bella check my_bot.py\n  bella check my_bot.zip",
    )
    command.add_argument("bot", metavar="FILE", help=_BOT)
    _add_seed(command, "the same games again")
    _add_machine(command)


def _add_ask(commands: Any) -> None:
    command = _command(
        commands,
        "ask",
        "put single requests to a bot",
        "Put requests to a bot, one a line of standard input, each to a fresh process; print card, CPU time and log.\n"
        "A line is a request as a failed check or a fault shows it, or one of a log, of --jsonl or of the site.",
        "  bella ask my_bot.py < request.jsonl\n  grep '\"deal\":2' pipes.jsonl | bella ask my_bot.py",
    )
    command.add_argument("bot", metavar="BOT", help=_BOT)
    _add_seed(command, "of the match, where no start message comes before the request")
    _add_machine(command)


def _add_verify(commands: Any) -> None:
    command = _command(
        commands,
        "verify",
        "verify records of matches",
        "Check that points and winners follow from the plays, and decks from seed and commitment.",
        "  bella verify K7Q2M9XR.json\n  bella verify games.bella other.bella",
    )
    command.epilog = (command.epilog or "").replace("1 a bot faulted", "1 something does not hold")
    command.add_argument(
        "files", nargs="+", metavar="FILE", help="record of a match (JSON) or deals (.bella); - for standard input"
    )


def _add_new(commands: Any) -> None:
    command = _command(
        commands,
        "new",
        "write a bot to start from, and its test",
        "Write NAME.py, a bot that plays sensibly, and test_NAME.py, which plays it without a sandbox and without\n"
        "waiting. Files that are there are never overwritten.",
        "  bella new\n  bella new velabot && python test_velabot.py && bella play velabot.py greedy",
    )
    command.add_argument("name", nargs="?", default="my_bot", metavar="NAME", help="default my_bot")


def _add_seed(command: Parser, what: str) -> None:
    command.add_argument("--seed", type=_seed, metavar="HEX", help=f"64 hexadecimal digits: {what}; default chance")


def _add_machine(command: Parser) -> None:
    command.add_argument(
        "--sandbox", choices=SANDBOXES, default="auto",
        help="default auto, the best that holds; none: without, for code that you trust",
    )  # fmt: skip
    command.add_argument(
        "--slow", type=_slow, default=1.0, metavar="X", help="time limits times X, for a slow machine; default 1.0"
    )


def _number(low: int, high: int) -> Any:
    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and low <= int(text[:9]) <= high):
            raise argparse.ArgumentTypeError(f"a number from {low} to {high} is needed, not {text!a}")
        return int(text)

    return read


def _deals(text: str) -> int:
    read: int = _number(1, MAX_DEALS)(text)
    return read


def _seed(text: str) -> bytes:
    try:
        seed = bytes.fromhex(text)
    except ValueError:
        seed = b""
    if len(seed) != 32:
        raise argparse.ArgumentTypeError("64 hexadecimal digits are needed; leave it out for a seed of chance")
    return seed


def _slow(text: str) -> float:
    try:
        factor = float(text)
    except ValueError:
        factor = 0.0
    if not 0.1 <= factor <= SLOWEST:
        raise argparse.ArgumentTypeError(f"a factor from 0.1 to {SLOWEST:g} is needed, not {text!a}")
    return factor


def _rules(text: str) -> str:
    try:
        Rules.parse(text)
    except EngineError as error:
        raise argparse.ArgumentTypeError(f"{error.message} Leave it out for two players and the usual rules") from None
    return text
