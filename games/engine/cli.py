"""Command line of the engine: `python -m games.engine deal|show|verify|convert|stats`.

Exit codes: 0 all is well, 1 what the file says does not hold or is none of the forms, 2 wrong use or no such file.
Files of deals are worked through deal by deal: a million need no more memory than one.
"""

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from . import cli_stats, notation, verify
from .cli_files import Bundle, NoFile, Unreadable, json_of_deal, opened, texts_of
from .errors import EngineError
from .notation import DealText
from .record import Record
from .rules import Rules
from .shuffle import commitment, first_dealer, shuffled

OK: Final = 0
PROBLEMS: Final = 1
USAGE: Final = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    options = _parser().parse_args(arguments)
    try:
        code: int = options.run(options)
        sys.stdout.flush()  # here a reader that went away is noticed, not when the interpreter ends
    except NoFile as error:
        print(f"error: {error}", file=sys.stderr)
        return USAGE
    except Unreadable as error:
        print(f"error: {error}", file=sys.stderr)
        return PROBLEMS
    except EngineError as error:
        print(f"error: {error}", file=sys.stderr)
        return PROBLEMS if hasattr(options, "file") else USAGE
    except BrokenPipeError:
        # who reads us has seen enough; the interpreter would complain once more when it flushes
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    else:
        return code
    return OK


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m games.engine",
        description="Deal, show, check, convert and count games of Briscola.",
        epilog="exit codes: 0 all is well; 1 the file does not hold or makes no sense; 2 wrong use or no such file",
    )
    commands = parser.add_subparsers(required=True, metavar="command")
    command = commands.add_parser(
        "verify",
        help="check a match (JSON bundle) or deals",
        description="Check that points and winners follow from the plays, and decks from seed and commitment.",
    )
    command.add_argument(
        "file", help="bundle of a match (JSON), text of deals (.bella) or deals as JSON lines; - for standard input"
    )
    command.set_defaults(run=_verify)
    command = commands.add_parser("show", help="print the deals of a file, trick by trick", description="Print deals.")
    command.add_argument("file", help="as for verify")
    command.set_defaults(run=_show)
    command = commands.add_parser(
        "convert",
        help="write the deals of a file in another form",
        description="Write deals as text, as one JSON object a line, or as position strings at their end.",
    )
    command.add_argument("file", help="as for verify")
    command.add_argument("--to", choices=("bella", "jsonl", "positions"), default="bella", help="default: bella")
    command.set_defaults(run=_convert)
    command = commands.add_parser(
        "stats",
        help="count what happened in the deals of a file",
        description="Wins by side, draws, the first leader's advantage and the luck of the draw, by rules.",
    )
    command.add_argument("file", help="as for verify")
    command.set_defaults(run=_stats)
    command = commands.add_parser(
        "deal",
        help="print the deck that a seed gives",
        description="Shuffle a deal with bella-1 and print it as the text of a deal without plays.",
    )
    command.add_argument("--seed", required=True, help="64 hexadecimal digits")
    command.add_argument("--rules", default="n=2", help="rules code, as in 'n=2 redraw=A3' (default: n=2)")
    command.add_argument("--salt", default="", help="salt of the match (default: none)")
    command.add_argument("--number", type=int, default=1, help="number of the deal (default: 1)")
    command.add_argument("--dealer", type=int, help="seat that deals (default: the first dealer that the seed gives)")
    command.set_defaults(run=_deal)
    return parser


def _texts(content: Bundle | Iterable[DealText]) -> Iterator[DealText]:
    """The deals, of which there must be one at least."""
    empty = True
    for text in texts_of(content) if isinstance(content, dict) else content:
        empty = False
        yield text
    if empty:
        raise Unreadable('the file holds no deal: a deal begins with [Bella "1"]')


def _verify(options: argparse.Namespace) -> int:
    with opened(options.file) as content:
        return _verify_match(content) if isinstance(content, dict) else _verify_deals(_texts(content))


def _verify_match(bundle: Bundle) -> int:
    problems = verify.verify_match(bundle)
    deals = bundle.get("deals")
    print(f"match of {len(deals) if isinstance(deals, list) else 0} deals")
    for problem in problems:
        print(f"problem: {problem}")
    return _verdict(len(problems))


def _verify_deals(texts: Iterable[DealText]) -> int:
    found = 0
    for text in texts:
        print(_summary(text))
        for problem in _deck_problems(text):
            print(f"problem: {problem}")
            found += 1
    return _verdict(found)


def _verdict(problems: int) -> int:
    print(f"{problems} problems" if problems else "verified")
    return PROBLEMS if problems else OK


def _summary(text: DealText) -> str:
    deal = text.record.replay()
    winner = "not over" if not deal.over else "drawn" if deal.winner_side is None else f"side {deal.winner_side} wins"
    proof = "deck proved by its seed" if {"Seed", "Number"} <= dict(text.tags).keys() else "no seed given"
    return f"deal: {deal.rules.code}, {'-'.join(map(str, deal.side_points))}, {winner}; {proof}"


def _deck_problems(text: DealText) -> list[str]:
    """What does not hold between the deck of a deal and its tags Seed, Number, Salt and Commitment."""
    seed_text, number = text.tag("Seed"), text.tag("Number")
    if seed_text is None:
        return []
    seed = _seed(seed_text)
    problems = []
    if text.tag("Commitment") not in (None, commitment(seed)):
        problems.append("The commitment is not that of the seed [verify.commitment]")
    if number is not None:
        at = int(number) if number.isascii() and number.isdigit() and len(number) < 10 else 0
        shuffle = shuffled(text.record.rules, seed, text.tag("Salt") or "", at)
        if (shuffle.deck, shuffle.turned) != (text.record.deck, text.record.turned):
            problems.append(f"deal {at}: The deck is not the one that the seed gives [verify.deck]")
    return problems


def _show(options: argparse.Namespace) -> int:
    with opened(options.file) as content:
        _print_texts(_texts(content))
    return OK


def _print_texts(texts: Iterable[DealText]) -> None:
    for number, text in enumerate(texts):
        print(("\n" if number else "") + notation.write(text), end="")


def _convert(options: argparse.Namespace) -> int:
    with opened(options.file) as content:
        texts = _texts(content)
        if options.to == "bella":
            _print_texts(texts)
            return OK
        for text in texts:
            print(json_of_deal(text) if options.to == "jsonl" else text.record.replay().position())
    return OK


def _stats(options: argparse.Namespace) -> int:
    with opened(options.file) as content:
        found = cli_stats.by_rules(_texts(content))
    for code, stats in found.items():
        print(code)
        for line in stats.lines():
            print(f"  {line}")
    return OK


def _deal(options: argparse.Namespace) -> int:
    rules = Rules.parse(options.rules)
    seed = _seed(options.seed)
    shuffle = shuffled(rules, seed, options.salt, options.number)
    dealer = first_dealer(rules, seed, options.salt) if options.dealer is None else options.dealer
    tags = [("Number", str(options.number)), ("Seed", seed.hex()), ("Commitment", commitment(seed))]
    if options.salt:
        tags.append(("Salt", options.salt))
    print(notation.write(DealText(Record(rules, shuffle.deck, (), dealer, shuffle.turned), tuple(tags))), end="")
    return OK


def _seed(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return b""
