"""Runs the command `bella` for tests, in this process, as somebody types it."""

import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bots.arena.__main__ import main

SEED = f"{7:064x}"
FIRST = "def play(view):\n    return view.legal[0]\n"
LAST = "def play(view):\n    return view.legal[-1]\n"
#: Faults at its fourth trick, and says something before.
CRASHES = """
def play(view):
    print("trick", len(view.tricks))
    return view.hand[9 if len(view.tricks) == 3 else 0]
"""
#: Chance that can be repeated, and a memory of the deals before.
DICE = """
from random import Random

class Bot:
    def start(self, match):
        self.random = Random(match.seed)
        self.lost = 0

    def play(self, view):
        cards = sorted(view.legal, reverse=self.lost % 2)
        return self.random.choice(cards)

    def deal_over(self, result):
        self.lost += result.points[0] > result.points[1]
"""


@dataclass(frozen=True, slots=True)
class Done:
    """What a command did."""

    status: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Bella:
    """A folder with bots, and the command in it."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self._capsys = capsys
        self._monkeypatch = monkeypatch
        monkeypatch.chdir(folder)
        for name, source in (("first", FIRST), ("last", LAST), ("crashes", CRASHES), ("dice", DICE)):
            (folder / f"{name}.py").write_text(source)

    def __call__(self, *arguments: str, stdin: str = "") -> Done:
        self._monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        self._capsys.readouterr()
        status = main(arguments)
        out, err = self._capsys.readouterr()
        return Done(status, out, err)

    def read(self, name: str) -> str:
        return (self.folder / name).read_text()

    def write(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text)
        return name
