"""Reader of the text of deals. Whatever is given must agree with the replay; errors carry `detail["line"]` from 1.

Codes of NotationError: `notation.syntax tag deck play winner points draw result too_long`.
"""

from dataclasses import dataclass, field
from typing import NoReturn

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


def read(text: str | bytes) -> DealText:
    """The one deal of a text. Raises NotationError."""
    deals = read_all(text)
    if len(deals) != 1:
        _fail("syntax", 1, f"The text holds {len(deals)} deals, not one.")
    return deals[0]


def read_all(text: str | bytes) -> list[DealText]:
    """The deals of a text in order; each may have 64 KiB. Raises NotationError, also when there is none."""
    blocks = _blocks(_lines(text))
    if not blocks:
        _fail("syntax", 1, 'The text holds no deal: a deal begins with [Bella "1"].')
    return [_Reader(block).read() for block in blocks]


def _lines(text: str | bytes) -> list[Line]:
    if isinstance(text, (bytes, bytearray)):
        try:
            text = bytes(text).decode("utf-8")
        except UnicodeDecodeError:
            _fail("syntax", 1, "The text is not UTF-8.")
    if not isinstance(text, str):
        _fail("syntax", 1, "A deal is read from text.")
    whole = text.removeprefix("\ufeff").replace("\r\n", "\n")
    return list(enumerate(whole.split("\n"), start=1))


def _blocks(lines: list[Line]) -> list[list[Line]]:
    """Lines of each deal without blank ones: a tag after a line that is no tag begins a new deal."""
    blocks: list[list[Line]] = []
    in_tags = False
    size = 0
    for number, line in lines:
        if not line.strip(" "):
            continue
        is_tag = line.lstrip(" ").startswith("[")
        if not blocks or (is_tag and not in_tags):
            blocks.append([])
            size = 0
        in_tags = is_tag
        blocks[-1].append((number, line))
        size += 1 + (len(line) if line.isascii() else len(line.encode("utf-8", "surrogatepass")))
        if size > MAX_TEXT:
            _fail("too_long", number, f"The text of a deal has at most {MAX_TEXT} bytes.")
    return blocks


@dataclass(slots=True)
class _Reader:
    """Reads one deal: tags first, then the lines of play, replaying as it goes."""

    lines: list[Line]
    tags: dict[str, str] = field(default_factory=dict)
    tag_lines: dict[str, int] = field(default_factory=dict)
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
            self._read_line(deal, number, line.strip(" "))
        number, line = play[-1]
        if _is_score(line.strip(" ")):
            self._check_score(deal, number, line.strip(" "))
        else:
            self._read_line(deal, number, line.strip(" "))
            _fail("syntax", number, "The last line must be the score, as in 73-47, or *.")
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
            _fail("syntax", number, 'A tag is written [Name "value"].')
        if not is_tag_name(name) or name in self.tags:
            _fail("tag", number, f"{shown(name)} is no name of a tag, or stands there twice.")
        value = _unescaped(quoted[1:-1], number)
        check_value(name, value, number)
        self.tags[name] = value
        self.tag_lines[name] = number

    def _line_of(self, name: str) -> int:
        return self.tag_lines.get(name, self.lines[0][0])

    def _deal(self) -> Deal:
        for name in ("Bella", "Rules", "Dealer", "Deck"):
            if name not in self.tags:
                _fail("tag", self.lines[0][0], f"The tag {name} is missing.")
        if self.tags["Bella"] != VERSION:
            _fail("tag", self._line_of("Bella"), f"Version {shown(self.tags['Bella'])} of the format is not known.")
        at = "Rules"
        try:
            rules = Rules.parse(self.tags["Rules"])
            at = "Deck"
            deck = parse_cards(self.tags["Deck"])
            at = "Turned"
            turned = parse_cards(self.tags.get("Turned", ""))
            deal = Deal(rules, deck, _whole(self.tags["Dealer"]), turned)
        except EngineError as error:
            at = {"record.dealer": "Dealer", "record.deck": "Deck"}.get(error.code, at)
            _fail("deck" if at == "Deck" else "tag", self._line_of(at), error.message, error.code)
        return deal

    def _check_tags(self, deal: Deal) -> None:
        """Tags that follow from the record must agree with the replay."""
        known = record_tags(deal)
        for name, kind in (("Upcard", "tag"), ("Points", "points"), ("Result", "result")):
            given = self.tags.get(name)
            if given not in (None, known[name]) and given.upper().split() != known[name].upper().split():
                _fail(kind, self._line_of(name), f"{name} must be {known[name]} after this play, not {shown(given)}.")

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
        if line.startswith("{"):
            self._read_comment(deal, number, line)
        elif line.lower().startswith("claim"):
            self._read_claim(deal, number, line)
        else:
            self._read_trick(deal, number, line)

    def _read_comment(self, deal: Deal, number: int, line: str) -> None:
        text = line[1:-1]
        trick = deal.tricks_done + bool(deal.table)
        if len(line) < 2 or not line.endswith("}") or not is_comment(text) or not trick:
            _fail("syntax", number, "A comment is one line {so} after a trick, at most 500 characters.")
        self.comments.append((trick, text))

    def _read_claim(self, deal: Deal, number: int, line: str) -> None:
        words = line.split()
        if len(words) != 2 or words[0].lower() != "claim":
            _fail("syntax", number, "A call of the game is written claim <seat>.")
        try:
            deal.claim(_whole(words[1]))
        except EngineError as error:
            _fail("play", number, error.message, error.code)

    def _read_trick(self, deal: Deal, number: int, line: str) -> None:
        play, bar, drawn = line.partition("|")
        play, arrow, taken = play.partition(">")
        head, colon, cards = play.partition(":")
        trick, dot, leader = head.partition(".")
        done = deal.tricks_done
        if not (colon and dot) or _whole(trick.strip(" ")) != done + 1 or deal.table:
            _fail(
                "syntax",
                number,
                "A trick is written number. leader: cards > winner +points | drawn, numbered from 1.",
            )
        if _whole(leader.strip(" ")) != deal.leader:
            _fail("winner", number, f"Seat {deal.leader} leads this trick, not {shown(leader.strip())}.")
        before = sum(deal.points)
        self._play_cards(deal, number, cards.split())
        finished = deal.tricks_done > done
        if (arrow or bar) and not finished:
            _fail("syntax", number, "Only a finished trick has a winner and cards drawn.")
        if arrow:
            _check_taken(deal, number, taken.split(), sum(deal.points) - before)
        if bar:
            expected = drawn_after(deal, done)
            if drawn.upper().split() != expected or not expected:
                _fail("draw", number, f"The cards drawn are {' '.join(expected) or 'none'}.")

    def _play_cards(self, deal: Deal, number: int, words: list[str]) -> None:
        if not 1 <= len(words) <= deal.rules.n:
            _fail("syntax", number, f"A trick has 1 to {deal.rules.n} cards.")
        try:
            for word in words:
                deal.play(card_int(word))
        except EngineError as error:
            _fail("syntax" if error.code == "card.code" else "play", number, error.message, error.code)

    def _check_score(self, deal: Deal, number: int, line: str) -> None:
        if line != last_line(deal):
            _fail("result", number, f"The last line must be {last_line(deal)} after this play, not {shown(line)}.")


def _check_taken(deal: Deal, number: int, words: list[str], gain: int) -> None:
    if len(words) != 2 or not words[1].startswith("+"):
        _fail("syntax", number, "After > stand the winner and its points, as in > 0 +17.")
    if _whole(words[0]) != deal.leader:
        _fail("winner", number, f"Seat {deal.leader} takes this trick, not {shown(words[0])}.")
    if _whole(words[1][1:]) != gain:
        _fail("points", number, f"This trick is worth {gain} points, not {shown(words[1][1:])}.")


def _is_score(line: str) -> bool:
    return line == "*" or (line[:1].isdigit() and set(line) <= set("0123456789-"))


def _whole(text: str) -> int:
    """A small number as written, -1 for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 3 else -1


def _unescaped(text: str, number: int) -> str:
    parts = text.split("\\\\")
    for part in parts:
        if part.replace('\\"', "").count("\\") or part.replace('\\"', "").count('"'):
            _fail("syntax", number, 'Inside a value write \\" and \\\\ for these two characters.')
    return "\\".join(part.replace('\\"', '"') for part in parts)


def _fail(kind: str, line: int, message: str, reason: str | None = None) -> NoReturn:
    raise NotationError(f"notation.{kind}", message, line=line, **({"reason": reason} if reason else {})) from None
