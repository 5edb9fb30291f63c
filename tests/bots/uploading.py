"""Bots for tests: uploads, verdicts, reports of a check as the arena would send them."""

import hashlib
import io
import secrets
import zipfile
from collections.abc import Iterable
from itertools import count
from typing import Any

from accounts.models import User
from bots import doorbell
from bots.arena.reports import QualifyGame, QualifyStep, Started
from bots.arena.trials import RULES
from bots.models import BotVersion, QualifyRun
from bots.services import activation, qualifying, uploads
from bots.services.runs.answers import Answer
from games.engine import Deal, format_cards, shuffled

GOOD = b"def play(view):\n    return view.hand[0]\n"
_numbers = count(1)


def source(mark: object = "") -> bytes:
    """A good bot whose content is its own."""
    return GOOD + f"# {mark or next(_numbers)}\n".encode()


def zipped(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as target:
        for name, data in files.items():
            target.writestr(name.replace("__", "."), data)
    return out.getvalue()


def upload(owner: User, name: str = "VelaBot", content: bytes | None = None, **options: Any) -> BotVersion:
    options = {"filename": "bot.py"} | options
    return uploads.upload(owner=owner, name=name, content=source() if content is None else content, **options)


def give_verdict(version: BotVersion, *, is_qualified: bool = True) -> BotVersion:
    """The end of a check, without the check."""
    from django.db import transaction

    with transaction.atomic():
        run = version.checks.get(state__in=("queued", "playing"))
        qualifying.end(run, "done", reason="test")
        activation.judge(qualifying.locked(run_id=run.run_id)[1], is_qualified=is_qualified)
        qualifying.start_next(bot_id=version.bot_id)
    version.refresh_from_db()
    version.bot.refresh_from_db()
    return version


def qualified(owner: User, name: str = "VelaBot", **options: Any) -> BotVersion:
    return give_verdict(upload(owner, name, **options))


class Arena:
    """Reports of one delivery of a check's job, as a worker makes them: it holds the key of the run."""

    def __init__(self, run: QualifyRun) -> None:
        self.run = run
        self.nonce = secrets.token_hex(8)
        self.seq = 0
        doorbell.valkey().set(f"arena:run:{run.run_id}", self.nonce, ex=60)

    def head(self) -> dict[str, Any]:
        self.seq += 1
        return {"run_id": str(self.run.run_id), "nonce": self.nonce, "seq": self.seq - 1}

    def started(self) -> Started:
        identity = {"policy": "p", "kernel": "k", "python": "3"}
        return Started(**self.head(), attempt=0, worker="w1", tier="landlock", **identity)

    def step(
        self, check: str = "syntax", *, ok: bool = True, code: str = "check.syntax_ok", **more: Any
    ) -> QualifyStep:
        return QualifyStep(**self.head(), check=check, ok=ok, code=code, **more)

    def verdict(self, verdict: str = "qualified") -> QualifyStep:
        return self.step("verdict", ok=verdict == "qualified", code=f"verdict.{verdict}", verdict=verdict)

    def games(self, numbers: Iterable[int] = (1, 2), **change: Any) -> tuple[QualifyGame, ...]:
        return tuple(self.game(number, **change) for number in numbers)

    def game(self, number: int, **change: Any) -> QualifyGame:
        """A whole deal in which everybody plays his first card."""
        pair = (number + 1) // 2
        shuffle = shuffled(RULES, bytes(self.run.seed), "", pair)
        deal = Deal(RULES, shuffle.deck, pair % 2, shuffle.turned)
        while not deal.over:
            deal.play(deal.legal()[0])
        fields: dict[str, Any] = {
            "number": number, "opponent": "random", "seat": (number - 1) % 2, "rules": RULES.code, "dealer": pair % 2,
            "deck": format_cards(shuffle.deck), "plays": format_cards(deal.plays), "think_us": (900,) * 40,
            "points": tuple(deal.points), "winner_side": deal.result().winner_side, "termination": "normal",
        }  # fmt: skip
        return QualifyGame(**(fields | change))

    def tell(self, report: Any) -> Answer:
        return qualifying.receive(report)


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
