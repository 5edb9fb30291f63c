"""Text of a deal (`.bella`): tags, one line a trick, the score. What is written here is read back by `notation_reader`.

`docs/engine.md` shows the format. `read(write(record)).record == record`, and a text in canonical form comes back the
same from `write(read(text))`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from .cards import CODES, NO_CARD, POINTS, format_cards
from .deal import Deal
from .errors import NotationError, shown
from .record import Record

VERSION: Final = "1"
RECORD_TAGS: Final = ("Bella", "Rules", "Dealer", "Deck", "Upcard", "Turned", "Points", "Result")
"""Tags that the record itself gives, in their order."""

MAX_TEXT: Final = 65_536
"""Longest text of one deal, in bytes of UTF-8."""

MAX_VALUE: Final = 200
MAX_COMMENT: Final = 500
MAX_NAME: Final = 32


@dataclass(frozen=True, slots=True)
class DealText:
    """A record with its free tags (name, value) and comments (number of the trick from 1, text), in their order."""

    record: Record
    tags: tuple[tuple[str, str], ...] = ()
    comments: tuple[tuple[int, str], ...] = ()

    def tag(self, name: str) -> str | None:
        """Value of a free tag, None when it is not there."""
        return dict(self.tags).get(name)


def write(text: DealText | Record) -> str:
    """Canonical text of a deal. Raises NotationError (`notation.tag comment`) and what `Record.replay` raises.

    >>> from games.engine import Deal, Record, Rules, shuffled
    >>> deal = Deal(Rules(), shuffled(Rules(), bytes(range(32)), "", 1).deck, dealer=1)
    >>> deal.play(deal.legal()[0])
    >>> print(write(Record.of(deal)).splitlines()[-2])
    1. 0: 5S
    """
    if isinstance(text, Record):
        text = DealText(text)
    deal = text.record.replay()
    lines = [f'[{name} "{value}"]' for name, value in record_tags(deal).items() if value or name != "Turned"]
    lines += [f'[{name} "{_escaped(value)}"]' for name, value in _checked_tags(text.tags)]
    lines.append("")
    comments = _by_trick(text.comments, deal)
    for number, line in enumerate(trick_lines(deal), start=1):
        lines.append(line)
        lines += [f"{{{comment}}}" for comment in comments.get(number, ())]
    if deal.end != "played":
        lines.append(deal.end.replace(":", " "))
    lines.append(last_line(deal))
    return "\n".join(lines) + "\n"


def write_all(texts: Iterable[DealText | Record]) -> str:
    """Text of several deals, one blank line between them.

    >>> from games.engine import Deal, Record, Rules, shuffled
    >>> deal = Deal(Rules(), shuffled(Rules(), bytes(range(32)), "", 1).deck, dealer=1)
    >>> write_all([Record.of(deal)] * 3).count("[Bella")
    3
    """
    return "\n".join(map(write, texts))


def record_tags(deal: Deal) -> dict[str, str]:
    """Values of the tags that follow from the record."""
    winner = deal.winner_side
    return {
        "Bella": VERSION,
        "Rules": deal.rules.code,
        "Dealer": str(deal.dealer),
        "Deck": format_cards(deal.deck),
        "Upcard": "-" if deal.upcard == NO_CARD else CODES[deal.upcard],
        "Turned": format_cards(deal.turned),
        "Points": " ".join(map(str, deal.points)),
        "Result": "*" if not deal.over else "draw" if winner is None else str(winner),
    }


def last_line(deal: Deal) -> str:
    """Points by side joined by `-`, or `*` while the deal is not over."""
    return "-".join(map(str, deal.side_points)) if deal.over else "*"


def draws_of(deal: Deal) -> list[str]:
    """Codes of the stock in drawing order, the upcard, if any, last and with its `*`."""
    under = deal.rules.hand * deal.rules.n
    if deal.upcard == NO_CARD:
        return [CODES[card] for card in deal.deck[under:]]
    return [*[CODES[card] for card in deal.deck[under + 1 :]], CODES[deal.upcard] + "*"]


def drawn_after(deal: Deal, number: int) -> list[str]:
    """Codes drawn after trick `number` (from 0), the last one finished; none when it ended the deal."""
    n = deal.rules.n
    return [] if deal.over else draws_of(deal)[number * n : number * n + n]


def trick_lines(deal: Deal) -> list[str]:
    """One line a trick, the unfinished one last."""
    n = deal.rules.n
    codes = [CODES[card] for card in deal.plays]
    points = [POINTS[card] for card in deal.plays]
    winners = deal._winners
    draws = draws_of(deal)
    if deal.over:
        del draws[(len(winners) - 1) * n :]
    lines: list[str] = []
    leader = deal._first
    for number, winner in enumerate(winners):
        at = number * n
        end = at + n
        line = f"{number + 1}. {leader}: {' '.join(codes[at:end])} > {winner} +{sum(points[at:end])}"
        lines.append(f"{line} | {' '.join(draws[at:end])}" if at < len(draws) else line)
        leader = winner
    lying = len(codes) % n
    if lying:
        lines.append(f"{len(lines) + 1}. {leader}: {' '.join(codes[-lying:])}")
    return lines


def is_tag_name(name: str) -> bool:
    """Whether `name` may be the name of a tag: a letter, then letters, digits or _, at most 32."""
    plain = isinstance(name, str) and name.isascii() and 0 < len(name) <= MAX_NAME and name[0].isalpha()
    return plain and name.replace("_", "a").isalnum()


def has_control(text: str) -> bool:
    """Whether `text` holds a control character (or half of a surrogate pair, which no file can hold)."""
    return not text.isprintable() and any(
        char < " " or "\x7f" <= char < "\xa0" or "\ud800" <= char <= "\udfff" for char in text
    )


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')


def _checked_tags(tags: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    names = [name for name, _ in tags]
    for name, value in tags:
        if not is_tag_name(name) or name in RECORD_TAGS or names.count(name) > 1:
            raise NotationError("notation.tag", f"{shown(name)} cannot be a free tag, or stands there twice.", tag=name)
        check_value(name, value)
    return tags


def check_value(name: str, value: str, place: tuple[int, int] | None = None) -> None:
    """Raises NotationError `notation.tag` unless `value` may stand in a tag; `place` = its line and column."""
    if not isinstance(value, str) or len(value) > MAX_VALUE or has_control(value):
        where = {} if place is None else {"line": place[0], "column": place[1]}
        raise NotationError(
            "notation.tag",
            f"The tag {name} takes at most {MAX_VALUE} plain characters.",
            tag=name,
            **where,
        )


def is_comment(text: str) -> bool:
    """Whether `text` may be a comment: one line of at most 500 characters without braces or control characters."""
    return (
        isinstance(text, str)
        and len(text) <= MAX_COMMENT
        and not has_control(text)
        and "{" not in text
        and "}" not in text
    )


def _by_trick(comments: tuple[tuple[int, str], ...], deal: Deal) -> dict[int, list[str]]:
    if not comments:
        return {}
    last = len(deal.tricks) + bool(deal.table)
    by_trick: dict[int, list[str]] = {}
    for number, text in comments:
        if not is_comment(text) or type(number) is not int or not 1 <= number <= last:
            raise NotationError("notation.comment", "A comment is one line without braces, after a trick.")
        by_trick.setdefault(number, []).append(text)
    return by_trick
