"""The code of versions as pages show it: numbered lines, and what changed between two versions."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from accounts.templatetags.text import visible
from bots.learn import highlight
from bots.models import Bot, BotVersion
from bots.selectors import permissions

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser

    from accounts.models import User

Files = Sequence[tuple[str, bytes]]
#: Unchanged lines around a change.
CONTEXT: Final = 3


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a change: its numbers before and after (None where it was not or is not any more)."""

    kind: Literal["same", "gone", "new", "gap"]
    before: int | None
    after: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Change:
    """What changed in one file; `state` says what became of the file itself."""

    name: str
    state: Literal["changed", "new", "gone"]
    lines: tuple[Line, ...]
    added: int
    removed: int


def readable(bot: Bot, user: "User | AnonymousUser", *, but: BotVersion) -> list[BotVersion]:
    """The other versions whose code this reader may see, the newest first."""
    rows = permissions.readable(bot, user).exclude(pk=but.pk)
    return list(rows.select_related("bot__player").defer("report").order_by("-number"))


def lines(files: Files) -> list[tuple[str, Sequence[str]]]:
    """Names of files and their lines as safe HTML, Python in colours."""
    return [
        (name, highlight.python(text(data)) if name.endswith(".py") else highlight.plain(text(data)))
        for name, data in files
    ]


def text(data: bytes) -> str:
    """A file as text: what is no UTF-8, turns a line round or is not seen, as escapes; others by their size."""
    if b"\0" in data:
        return f"({len(data)} bytes)"
    return visible(data.decode("utf-8", "backslashreplace"))


def changes(before: Files, after: Files) -> list[Change]:
    """What changed from one version to the next, by file; files that are the same are left out."""
    old, new = dict(before), dict(after)
    found = []
    for name in sorted(old.keys() | new.keys()):
        if old.get(name) == new.get(name):
            continue
        state: Literal["changed", "new", "gone"] = (
            "new" if name not in old else "gone" if name not in new else "changed"
        )
        rows = tuple(_compared(text(old.get(name, b"")).splitlines(), text(new.get(name, b"")).splitlines()))
        found.append(
            Change(name, state, rows, sum(row.kind == "new" for row in rows), sum(row.kind == "gone" for row in rows))
        )
    return found


def _compared(before: list[str], after: list[str]) -> list[Line]:
    found: list[Line] = []
    groups = list(difflib.SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(CONTEXT))
    for number, group in enumerate(groups):
        if number:
            found.append(Line("gap", None, None, ""))
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                found += [Line("same", i1 + k + 1, j1 + k + 1, before[i1 + k]) for k in range(i2 - i1)]
                continue
            found += [Line("gone", i + 1, None, before[i]) for i in range(i1, i2)]
            found += [Line("new", None, j + 1, after[j]) for j in range(j1, j2)]
    return found
