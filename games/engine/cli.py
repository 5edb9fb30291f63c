"""Command line of the engine: `python -m games.engine verify|show|deal`.

Exit codes: 0 all is well, 1 something in the file does not hold, 2 wrong use or a file that cannot be read.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Never

from . import notation, notation_reader, verify
from .cards import parse_cards
from .errors import EngineError
from .notation import DealText
from .record import Record
from .rules import Rules
from .shuffle import commitment, first_dealer, shuffled

OK: Final = 0
PROBLEMS: Final = 1
USAGE: Final = 2
MAX_FILE: Final = 64 * 1024 * 1024


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    options = _parser().parse_args(arguments)
    try:
        code: int = options.run(options)
    except _Unreadable as error:
        print(f"error: {error}", file=sys.stderr)
        return USAGE
    except EngineError as error:
        print(f"error: {error}", file=sys.stderr)
        return PROBLEMS if hasattr(options, "file") else USAGE
    return code


class _Unreadable(Exception):
    """The file cannot be read, or is neither a bundle nor the text of deals."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m games.engine",
        description="Check, show and deal Briscola.",
        epilog="exit codes: 0 all is well; 1 something in the file does not hold; 2 wrong use or unreadable file",
    )
    commands = parser.add_subparsers(required=True, metavar="command")
    command = commands.add_parser(
        "verify",
        help="check a match (JSON bundle) or deals (.bella)",
        description="Check that points and winners follow from the plays, and decks from seed and commitment.",
    )
    command.add_argument("file", help="bundle of a match (JSON) or text of deals (.bella); - for standard input")
    command.set_defaults(run=_verify)
    command = commands.add_parser("show", help="print the deals of a file, trick by trick", description="Print deals.")
    command.add_argument("file", help="as for verify")
    command.set_defaults(run=_show)
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


def _verify(options: argparse.Namespace) -> int:
    content = _content(options.file)
    if isinstance(content, list):
        problems = [problem for text in content for problem in _deck_problems(text)]
        for text in content:
            print(_summary(text))
    else:
        problems = list(map(str, verify.verify_match(content)))
        deals = content.get("deals")
        print(f"match of {len(deals) if isinstance(deals, list) else 0} deals")
    for problem in problems:
        print(f"problem: {problem}")
    print(f"{len(problems)} problems" if problems else "verified")
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
    content = _content(options.file)
    texts = content if isinstance(content, list) else _texts_of(content)
    print(notation.write_all(texts), end="")
    return OK


def _texts_of(bundle: dict[str, Any]) -> list[DealText]:
    """Deals of a bundle as texts, with the tags that prove their decks."""
    try:
        rules = bundle["rules"]
        rules = Rules.from_dict(rules) if isinstance(rules, dict) else Rules.parse(rules)
        shared = (("Seed", bundle["seed"]), ("Commitment", bundle["commitment"]), ("Salt", bundle["salt"]))
        return [
            DealText(
                Record(
                    rules,
                    parse_cards(deal["deck"]),
                    parse_cards(deal["plays"]),
                    deal["dealer"],
                    parse_cards(deal["turned"]),
                    deal.get("end") or "played",
                ),
                (("Number", str(deal["number"])), *((name, value) for name, value in shared if value)),
            )
            for deal in bundle["deals"]
        ]
    except (KeyError, TypeError, AttributeError):
        raise _Unreadable("the bundle lacks a field: run verify on it") from None


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


def _content(name: str) -> dict[str, Any] | list[DealText]:
    """A bundle, or deals with everything in them replayed. Raises _Unreadable, NotationError."""
    try:
        data = sys.stdin.buffer.read(MAX_FILE + 1) if name == "-" else _read_file(Path(name))
    except OSError as error:
        raise _Unreadable(f"{name}: {error.strerror or 'cannot be read'}") from None
    except ValueError:
        raise _Unreadable(f"{name!a} is no name of a file") from None
    if len(data) > MAX_FILE:
        raise _Unreadable(f"{name}: larger than {MAX_FILE} bytes")
    if not data.lstrip().startswith(b"{"):
        return notation_reader.read_all(data)
    try:
        bundle = json.loads(data, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise _Unreadable(f"{name}: not JSON ({error})") from None
    assert isinstance(bundle, dict)
    return bundle


def _read_file(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(MAX_FILE + 1)


def _no_constant(text: str) -> Never:
    raise ValueError(f"{text} is not JSON")
