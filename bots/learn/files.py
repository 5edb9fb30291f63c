"""The guide's code: every snippet stands in a file of `code/`, and the tests run each of them."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from django.utils.safestring import SafeString

from bots import house
from bots.learn import highlight

CODE: Final = Path(__file__).parent / "code"
#: Bots of the guide that can be downloaded: whole files that qualify.
BOTS: Final = ("my_bot", "with_class", "raw", "ending")


@dataclass(frozen=True, slots=True)
class Snippet:
    """A file to show: `lines` are coloured, `text` is what is copied."""

    name: str
    text: str
    lines: tuple[SafeString, ...]

    @property
    def anchor(self) -> str:
        """An id for its place on a page."""
        return "code-" + self.name.translate(str.maketrans("/_.", "---"))


@cache
def snippet(name: str) -> Snippet:
    """A file of `code/` by its path there."""
    text = (CODE / name).read_text()
    return Snippet(name.rpartition("/")[2], text, _coloured(name, text))


def source(name: str) -> bytes:
    """A bot that anybody may download: of the house, or of the guide. Raises KeyError."""
    if name in BOTS:
        return (CODE / f"{name}.py").read_bytes()
    return house.source(name)


@cache
def house_file(name: str) -> Snippet:
    """The source of a house bot. Raises KeyError."""
    text = house.source(name).decode()
    return Snippet(f"{name}.py", text, _coloured(f"{name}.py", text))


def _coloured(name: str, text: str) -> tuple[SafeString, ...]:
    return highlight.python(text) if name.endswith(".py") else highlight.plain(text)
