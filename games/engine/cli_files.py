"""What the command line reads: a bundle of a match, or deals one after the other, as text or as JSON lines."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, Any, Final, Never, TypeAlias

from . import notation_reader
from .cards import parse_cards
from .errors import EngineError
from .notation import MAX_TEXT, DealText, write
from .record import Record
from .rules import Rules

MAX_BUNDLE: Final = 64 * 1024 * 1024
#: Longest line of a file of deals: a whole deal fits.
MAX_LINE: Final = 2 * MAX_TEXT

Bundle: TypeAlias = dict[str, Any]


class Unreadable(Exception):
    """The file is none of the forms."""


class NoFile(Exception):
    """There is no such file, or it cannot be opened or read."""


@contextmanager
def opened(name: str) -> Iterator[Bundle | Iterator[DealText]]:
    """A bundle whole, or deals as they are read; `-` is standard input.

    Raises NoFile, Unreadable, and while the deals are read NotationError.
    """
    try:
        file: IO[bytes] = sys.stdin.buffer if name == "-" else Path(name).open("rb")  # noqa: SIM115
    except OSError as error:
        raise NoFile(f"{name}: {error.strerror or 'cannot be read'}") from None
    except ValueError:
        raise NoFile(f"{name!a} is no name of a file") from None
    try:
        yield _content(name, file)
    except BrokenPipeError:
        raise  # of what we write, not of the file
    except OSError as error:
        raise NoFile(f"{name}: {error.strerror or 'cannot be read'}") from None
    finally:
        if name != "-":
            file.close()


def _content(name: str, file: IO[bytes]) -> Bundle | Iterator[DealText]:
    read: list[bytes] = []
    size = 0
    while not (read and read[-1].strip()) and (line := file.readline(MAX_LINE)):
        read.append(line)
        size += len(line)
        if size > MAX_LINE:
            raise Unreadable(f"{name}: begins with too much empty space")
    first = b"".join(read)
    if not first.lstrip().startswith(b"{"):
        return notation_reader.stream(chain(read, _lines(name, file)))
    try:
        deal = json.loads(first, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return _bundle(name, first + file.read(MAX_BUNDLE + 1 - len(first)))
    if isinstance(deal, dict) and "plays" in deal:
        return _json_deals(name, chain(read, _lines(name, file)))
    return _bundle(name, first + file.read(MAX_BUNDLE + 1 - len(first)))


def _lines(name: str, file: IO[bytes]) -> Iterator[bytes]:
    while line := file.readline(MAX_LINE + 1):
        if len(line) > MAX_LINE:
            raise Unreadable(f"{name}: a line is longer than {MAX_LINE} bytes")
        yield line


def _bundle(name: str, data: bytes) -> Bundle:
    if len(data) > MAX_BUNDLE:
        raise Unreadable(f"{name}: larger than {MAX_BUNDLE} bytes")
    try:
        bundle = json.loads(data, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"{name}: not JSON ({error})") from None
    assert isinstance(bundle, dict)
    return bundle


def _json_deals(name: str, lines: Iterator[bytes]) -> Iterator[DealText]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield deal_of_json(line, f"{name}, line {number}")
            except EngineError as error:
                error.detail.setdefault("line", number)
                raise


def deal_of_json(line: bytes | str, where: str = "deal") -> DealText:
    """A deal of a line as `json_of_deal` writes it. Raises Unreadable, and EngineError for a record that is none."""
    try:
        data = json.loads(line, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"{where}: not a deal in JSON ({error})") from None
    if not isinstance(data, dict):
        raise Unreadable(f"{where}: a deal is an object")
    given, notes = data.pop("tags", {}), data.pop("comments", [])
    if not isinstance(given, dict) or not isinstance(notes, list):
        raise Unreadable(f"{where}: tags are an object, comments a list")
    if not all(isinstance(note, list) and len(note) == 2 for note in notes):
        raise Unreadable(f"{where}: a comment is a list of the number of the trick and a text")
    tags = tuple((key, str(value)) for key, value in given.items())
    comments = tuple((trick, text) for trick, text in notes)
    return checked(DealText(Record.from_dict(data), tags, comments))


def checked(text: DealText) -> DealText:
    """The same, if it can be replayed and written. Raises NotationError and what `Record.replay` raises."""
    write(text)
    return text


def json_of_deal(text: DealText) -> str:
    """A deal on one line: the record, its free tags, its comments (number of the trick, text)."""
    more = {"tags": dict(text.tags), "comments": [list(comment) for comment in text.comments]}
    return json.dumps(text.record.to_dict() | more, ensure_ascii=False, separators=(",", ":"))


def texts_of(bundle: Bundle) -> list[DealText]:
    """Deals of a bundle as texts, with the tags that prove their decks. Raises Unreadable, EngineError."""
    try:
        rules = bundle["rules"]
        rules = Rules.from_dict(rules) if isinstance(rules, dict) else Rules.parse(rules)
        shared = (("Seed", bundle["seed"]), ("Commitment", bundle["commitment"]), ("Salt", bundle["salt"]))
        texts = [
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
        raise Unreadable("the bundle lacks a field: run verify on it") from None
    return [checked(text) for text in texts]


def _no_constant(text: str) -> Never:
    raise ValueError(f"{text} is not JSON")
