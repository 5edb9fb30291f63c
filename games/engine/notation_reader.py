"""Reader of the text of deals. Whatever is given must agree with the replay; errors carry line and column from 1.

Codes of NotationError: `notation.syntax tag deck play winner points draw result too_long`.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, NoReturn

from .cards import card_int, parse_cards
from .deal import Deal
from .errors import EngineError, NotationError, shown
from .notation import (
    MAX_TEXT,
    RECORD_TAGS,
    VERSION,
    DealText,
    check_value,
    drawn_after,
    is_comment,
    is_tag_name,
    last_line,
    record_tags,
    trick_lines,
)
from .record import Record
from .rules import Rules

Line = tuple[int, str]
"""Number from 1 and text of a line."""

_WORD: Final = re.compile(r"[^ ]+")


def read(text: str | bytes) -> DealText:
    """The one deal of a text. Raises NotationError.

    >>> from games.engine import Deal, Record, Rules, shuffled
    >>> from games.engine import write_deal, write_deals
    >>> deal = Deal(Rules(), shuffled(Rules(), bytes(range(32)), "", 1).deck, dealer=1)
    >>> read(write_deal(Record.of(deal))).record == Record.of(deal)
    True
    """
    deals = read_all(text)
    if len(deals) != 1:
        _fail("syntax", 1, f"The text holds {len(deals)} deals, not one.")
    return deals[0]


def read_all(text: str | bytes) -> list[DealText]:
    """The deals of a text in order; each may have 64 KiB. Raises NotationError, also when there is none.

    >>> from games.engine import Deal, Record, Rules, shuffled
    >>> from games.engine import write_deal, write_deals
    >>> deal = Deal(Rules(), shuffled(Rules(), bytes(range(32)), "", 1).deck, dealer=1)
    >>> len(read_all(write_deals([Record.of(deal)] * 3)))
    3
    """
    deals = [_Reader(block).read() for block in _blocks(_lines(text))]
    if not deals:
        _fail("syntax", 1, 'The text holds no deal: a deal begins with [Bella "1"].')
    return deals


def stream(lines: Iterable[str | bytes]) -> Iterator[DealText]:
    """The deals of a text that comes line by line, as from an open file; memory for one deal, however many there are.

    Raises NotationError at the first deal that does not hold; none at all is no error.

    >>> from games.engine import Deal, Record, Rules, shuffled
    >>> from games.engine import write_deal, write_deals
    >>> deal = Deal(Rules(), shuffled(Rules(), bytes(range(32)), "", 1).deck, dealer=1)
    >>> lines = write_deals([Record.of(deal)] * 3).splitlines()
    >>> sum(1 for text in stream(lines))
    3
    """
    return (_Reader(block).read() for block in _blocks(_stripped(lines)))


def _stripped(lines: Iterable[str | bytes]) -> Iterator[Line]:
    for number, line in enumerate(lines, start=1):
        text = _decoded(line, number) if isinstance(line, (bytes, bytearray)) else line
        if not isinstance(text, str):
            _fail("syntax", number, "A deal is read from lines of text.")
        if number == 1:
            text = text.removeprefix("\ufeff")
        yield number, text.removesuffix("\n").removesuffix("\r")


def _decoded(line: bytes | bytearray, number: int) -> str:
    try:
        return bytes(line).decode("utf-8")
    except UnicodeDecodeError as error:
        _fail("syntax", number, "The text is not UTF-8.", column=error.start + 1)


def _lines(text: str | bytes) -> list[Line]:
    if isinstance(text, (bytes, bytearray)):
        return list(_stripped(bytes(text).split(b"\n")))
    if not isinstance(text, str):
        _fail("syntax", 1, "A deal is read from text.")
    return list(_stripped(text.split("\n")))


def _blocks(lines: Iterable[Line]) -> Iterator[list[Line]]:
    """Lines of each deal without blank ones: a tag after a line that is no tag begins a new deal."""
    block: list[Line] = []
    in_tags = False
    size = 0
    for number, line in lines:
        if not line.strip(" "):
            continue
        is_tag = line.lstrip(" ").startswith("[")
        if block and is_tag and not in_tags:
            yield block
            block, size = [], 0
        in_tags = is_tag
        block.append((number, line))
        size += 1 + (len(line) if line.isascii() else len(line.encode("utf-8", "surrogatepass")))
        if size > MAX_TEXT:
            _fail("too_long", number, f"The text of a deal has at most {MAX_TEXT} bytes.")
    if block:
        yield block


@dataclass(slots=True)
class _Reader:
    """Reads one deal: tags first, then the lines of play, replaying as it goes."""

    lines: list[Line]
    tags: dict[str, str] = field(default_factory=dict)
    tag_places: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Line and column of the value of each tag."""
    comments: list[tuple[int, str]] = field(default_factory=list)

    def read(self) -> DealText:
        start = 0
        while start < len(self.lines) and self.lines[start][1].lstrip(" ").startswith("["):
            self._read_tag(*self.lines[start])
            start += 1
        deal = self._deal()
        play = self.lines[start:]
        if not play:
            _fail("syntax", self.lines[-1][0], "The play is missing; a deal ends with its score or *.")
        if self._replay_canonical(deal, [line for _, line in play]):
            return self._done(deal)
        deal = self._deal()
        for number, line in play[:-1]:
            self._read_line(deal, number, line)
        number, line = play[-1]
        if _is_score(line.strip(" ")):
            self._check_score(deal, number, line)
        else:
            self._read_line(deal, number, line)
            _fail("syntax", number, "The last line must be the score, as in 73-47, or *.", column=_first(line))
        return self._done(deal)

    def _done(self, deal: Deal) -> DealText:
        self._check_tags(deal)
        free = tuple((name, value) for name, value in self.tags.items() if name not in RECORD_TAGS)
        return DealText(Record.of(deal), free, tuple(self.comments))

    # tags

    def _read_tag(self, number: int, line: str) -> None:
        text = line.strip(" ")
        name, space, rest = text[1:-1].partition(" ")
        quoted = rest.strip(" ")
        if not (text.endswith("]") and space and len(quoted) > 1 and quoted[0] == quoted[-1] == '"'):
            _fail("syntax", number, 'A tag is written [Name "value"].', column=_first(line))
        if not is_tag_name(name) or name in self.tags:
            _fail("tag", number, f"{shown(name)} is no name of a tag, or stands there twice.", column=_first(line) + 1)
        column = line.index('"') + 2
        value = _unescaped(quoted[1:-1], number, column)
        check_value(name, value, (number, column))
        self.tags[name] = value
        self.tag_places[name] = (number, column)

    def _fail_at(self, name: str, kind: str, message: str, reason: str | None = None) -> NoReturn:
        """Fail at the value of a tag."""
        line, column = self.tag_places.get(name, (self.lines[0][0], 1))
        _fail(kind, line, message, reason, column=column)

    def _deal(self) -> Deal:
        for name in ("Bella", "Rules", "Dealer", "Deck"):
            if name not in self.tags:
                _fail("tag", self.lines[0][0], f"The tag {name} is missing.")
        if self.tags["Bella"] != VERSION:
            self._fail_at("Bella", "tag", f"Version {shown(self.tags['Bella'])} of the format is not known.")
        at = "Rules"
        try:
            rules = Rules.parse(self.tags["Rules"])
            at = "Deck"
            deck = parse_cards(self.tags["Deck"])
            at = "Turned"
            turned = parse_cards(self.tags.get("Turned", ""))
            dealer = _whole(self.tags["Dealer"])
            deal = Deal(rules, deck, max(dealer, 0), turned)
            if dealer < 0:
                self._fail_at("Dealer", "tag", f"The dealer is a seat, not {shown(self.tags['Dealer'])}.")
        except NotationError:
            raise
        except EngineError as error:
            at = {"record.dealer": "Dealer", "record.deck": "Deck"}.get(error.code, at)
            self._fail_at(at, "deck" if at == "Deck" else "tag", error.message, error.code)
        return deal

    def _check_tags(self, deal: Deal) -> None:
        """Tags that follow from the record must agree with the replay."""
        known = record_tags(deal)
        for name, kind in (("Upcard", "tag"), ("Points", "points"), ("Result", "result")):
            given = self.tags.get(name)
            if given not in (None, known[name]) and given.upper().split() != known[name].upper().split():
                self._fail_at(name, kind, f"{name} must be {known[name]} after this play, not {shown(given)}.")

    # play

    def _replay_canonical(self, deal: Deal, play: list[str]) -> bool:
        """Play the cards if the lines are as `write` writes them, without comments or claim; else leave `deal` spoilt.

        Most texts are, and comparing whole lines is several times faster than reading each of their parts.
        """
        n = deal.rules.n
        if len(play) > deal.rules.tricks + 1:
            return False
        try:
            for line in play[:-1]:
                for code in line.split(" ", n + 2)[2 : n + 2]:
                    deal.play(card_int(code))
        except EngineError:
            return False
        return play == [*trick_lines(deal), last_line(deal)]

    def _read_line(self, deal: Deal, number: int, line: str) -> None:
        begin = line.lstrip(" ")
        if begin.startswith("{"):
            self._read_comment(deal, number, line)
        elif begin.lower().startswith("claim"):
            self._read_claim(deal, number, line)
        else:
            self._read_trick(deal, number, line)

    def _read_comment(self, deal: Deal, number: int, line: str) -> None:
        column = _first(line)
        line = line.strip(" ")
        text = line[1:-1]
        trick = deal.tricks_done + bool(deal.table)
        if len(line) < 2 or not line.endswith("}") or not is_comment(text) or not trick:
            _fail("syntax", number, "A comment is one line {so} after a trick, at most 500 characters.", column=column)
        self.comments.append((trick, text))

    def _read_claim(self, deal: Deal, number: int, line: str) -> None:
        words = line.split()
        if len(words) != 2 or words[0].lower() != "claim":
            _fail("syntax", number, "A call of the game is written claim <seat>.", column=_first(line))
        try:
            deal.claim(_whole(words[1]))
        except EngineError as error:
            _fail("play", number, error.message, error.code, column=_first(line))

    def _read_trick(self, deal: Deal, number: int, line: str) -> None:
        play, bar, drawn = line.partition("|")
        play, arrow, taken = play.partition(">")
        head, colon, cards = play.partition(":")
        trick, dot, leader = head.partition(".")
        done = deal.tricks_done
        if not (colon and dot) or _whole(trick.strip(" ")) < 0:
            message = "A trick is written number. leader: cards > winner +points | drawn, numbered from 1."
            _fail("syntax", number, message, column=_first(line))
        if deal.table:
            _fail("syntax", number, f"Trick {done + 1} is not finished before this line.", column=_first(line))
        if _whole(trick.strip(" ")) != done + 1:
            _fail("syntax", number, f"Trick {done + 1} comes here, not {trick.strip(' ')}.", column=_first(line))
        if _whole(leader.strip(" ")) != deal.leader:
            column = len(trick) + 1 + _first(leader)
            _fail("winner", number, f"Seat {deal.leader} leads this trick, not {shown(leader.strip())}.", column=column)
        before = sum(deal.points)
        self._play_cards(deal, number, _words(cards, len(head) + 1))
        finished = deal.tricks_done > done
        if (arrow or bar) and not finished:
            column = len(play) + 1
            _fail("syntax", number, "Only a finished trick has a winner and cards drawn.", column=column)
        if arrow:
            _check_taken(deal, number, _words(taken, len(play) + 1), sum(deal.points) - before, len(play) + 1)
        if bar:
            expected = drawn_after(deal, done)
            words = _words(drawn, len(line) - len(drawn))
            for at, word in enumerate(expected):
                if at >= len(words) or words[at][1].upper() != word:
                    column = words[at][0] if at < len(words) else len(line)
                    _fail("draw", number, f"The cards drawn are {' '.join(expected)}.", column=column)
            if len(words) > len(expected) or not expected:
                column = words[len(expected)][0] if len(words) > len(expected) else len(line)
                _fail("draw", number, f"The cards drawn are {' '.join(expected) or 'none'}.", column=column)

    def _play_cards(self, deal: Deal, number: int, words: list[tuple[int, str]]) -> None:
        if not 1 <= len(words) <= deal.rules.n:
            column = words[-1][0] if words else 1
            _fail("syntax", number, f"A trick has 1 to {deal.rules.n} cards.", column=column)
        for column, word in words:
            try:
                deal.play(card_int(word))
            except EngineError as error:
                kind = "syntax" if error.code == "card.code" else "play"
                _fail(kind, number, error.message, error.code, column=column)

    def _check_score(self, deal: Deal, number: int, line: str) -> None:
        given = line.strip(" ")
        if given != last_line(deal):
            _fail(
                "result",
                number,
                f"The last line must be {last_line(deal)} after this play, not {shown(given)}.",
                column=_first(line),
            )


def _check_taken(deal: Deal, number: int, words: list[tuple[int, str]], gain: int, arrow: int) -> None:
    if len(words) != 2 or not words[1][1].startswith("+"):
        _fail("syntax", number, "After > stand the winner and its points, as in > 0 +17.", column=arrow)
    (at, winner), (after, points) = words
    if _whole(winner) != deal.leader:
        _fail("winner", number, f"Seat {deal.leader} takes this trick, not {shown(winner)}.", column=at)
    if _whole(points[1:]) != gain:
        _fail("points", number, f"This trick is worth {gain} points, not {shown(points[1:])}.", column=after)


def _words(text: str, before: int) -> list[tuple[int, str]]:
    """Words with their columns in a line that has `before` characters before `text`."""
    return [(before + found.start() + 1, found.group()) for found in _WORD.finditer(text)]


def _first(line: str) -> int:
    """Column of the first character that is no space."""
    return len(line) - len(line.lstrip(" ")) + 1


def _is_score(line: str) -> bool:
    return line == "*" or (line[:1].isdigit() and set(line) <= set("0123456789-"))


def _whole(text: str) -> int:
    """A small number as written, -1 for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 3 else -1


def _unescaped(text: str, number: int, column: int) -> str:
    parts = text.split("\\\\")
    for part in parts:
        if part.replace('\\"', "").count("\\") or part.replace('\\"', "").count('"'):
            _fail("syntax", number, 'Inside a value write \\" and \\\\ for these two characters.', column=column)
    return "\\".join(part.replace('\\"', '"') for part in parts)


def _fail(kind: str, line: int, message: str, reason: str | None = None, *, column: int = 1) -> NoReturn:
    more = {"reason": reason} if reason else {}
    raise NotationError(f"notation.{kind}", message, line=line, column=column, **more) from None
