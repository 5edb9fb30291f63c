"""Drives bots in a sandbox by hand: start, a few tricks of a real deal, and the name of what happened."""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bots.protocol import AnswerError, parse_answer, play_message, start_message, to_line
from bots.sandbox import BotProcess, FaultKind, Limits, Reply, Sandbox
from bots.sandbox.interpreter import find, user_arguments
from games.engine import Deal, Rules, card_code, card_int, shuffled

HOSTILE = Path(__file__).resolve().parent.parent / "hostile"
BOTS_UID = 64_101 if os.geteuid() == 0 else None
"""The user of bots when root runs the tests; None: the user of the tests."""
RULES = Rules.preset("fantacarte", 2)
HONEST = b"def play(view):\n    return view.legal[0]\n"

# Short clocks: kinds of faults are tested with them, not clocks. Filling memory takes longer.
SHORT = Limits(start_cpu_ms=400, start_wall_ms=2_000, move_cpu_ms=400, bank_cpu_ms=0, move_wall_ms=1_000)
LONG = Limits(start_cpu_ms=2_000, start_wall_ms=8_000, move_cpu_ms=2_000, bank_cpu_ms=0, move_wall_ms=8_000)

START = b'{"type":"start","n":1}\n'

_HAS_NAMESPACES = "import ctypes; raise SystemExit(ctypes.CDLL(None).unshare(0x10000000 | 0x20000 | 0x40000000) != 0)"


def tiers_of_this_machine() -> tuple[str, ...]:
    """Tiers that the kernel could carry, asked without any of our code: a broken tier fails, it is not left out."""
    asked = [find(BOTS_UID), "-I", "-c", _HAS_NAMESPACES]
    has_namespaces = subprocess.run(asked, env={}, cwd="/", check=False, **user_arguments(BOTS_UID)).returncode == 0
    return ("namespaces", "landlock") if has_namespaces else ("landlock",)


TIERS = tiers_of_this_machine()


@dataclass(frozen=True, slots=True)
class Ending:
    """How a case ended: `ok`, `illegal` or a kind of fault; of whom; the log of both seats."""

    outcome: str
    seat: int | None
    detail: str
    log: str


def raw(body: str) -> bytes:
    """A bot of the raw form that says it is ready, reads a `line` and runs `body` with `requests` and `answers`."""
    lines = "\n".join("    " + line for line in body.strip().splitlines())
    return f"""
import json, os, sys, time
def main(requests, answers):
    requests.readline(); answers.write(b'{{"n":1,"ready":true}}\\n')
    line = requests.readline()
{lines}
""".encode()


@contextmanager
def running(
    sandbox: Sandbox, source: bytes | Mapping[str, bytes], *, limits: Limits = SHORT, ready: bool = True, seed: int = 1
) -> Iterator[BotProcess]:
    """A process of a bot, ready for its first move unless `ready` is false; it and its folder are gone afterwards."""
    files = {"bot.py": source} if isinstance(source, bytes) else source
    folder = sandbox.store.put(files)
    bot = sandbox.spawn(folder, limits=limits, seed=seed)
    try:
        if ready:
            reply = bot.ask(START, clock=limits.start_clock())
            assert reply.line == b'{"n":1,"ready":true}', (reply, bot.tail())
        yield bot
    finally:
        bot.close()
        sandbox.store.remove(folder)


def request(n: int = 2, seat: int = 0) -> bytes:
    """A play request: seat 0 is to lead the first trick of a fixed deal."""
    deal = new_deal(dealer=1 - seat)
    return to_line(play_message(deal.observe(seat), n=n, match="TEST", bank_cpu_ms=0))


def move(bot: BotProcess, limits: Limits = SHORT, n: int = 2) -> Reply:
    """Ask for a card with a full bank."""
    return bot.ask(request(n), clock=limits.move_clock(limits.bank()))


def outcome(reply: Reply, n: int = 2) -> tuple[str, str]:
    """Kind and detail of a play's reply: `ok`, a fault, or what the reader of the protocol says."""
    if reply.fault is not None:
        return str(reply.fault.kind), reply.fault.detail
    try:
        answer = parse_answer(reply.line or b"", n=n, wanted="card")
    except AnswerError as error:
        return "protocol", str(error)
    return "ok", answer.card or ""


def new_deal(dealer: int = 1) -> Deal:
    """The same deal each time."""
    shuffle = shuffled(RULES, bytes(32), "", 1)
    return Deal(RULES, shuffle.deck, dealer, shuffle.turned)


def play_case(sandbox: Sandbox, folders: Sequence[Path], limits: Limits, tricks: int = 3) -> Ending:
    """Start a bot a seat and play some tricks; the machine's faults are played again, as the conductor does."""
    ending = Ending("infrastructure", None, "", "")
    for _ in range(3):
        ending = _play_once(sandbox, folders, limits, tricks)
        if ending.outcome != FaultKind.INFRASTRUCTURE:
            break
    return ending


def _play_once(sandbox: Sandbox, folders: Sequence[Path], limits: Limits, tricks: int) -> Ending:
    deal, bots, asked = new_deal(), [], [1, 1]
    try:
        for seat, folder in enumerate(folders):
            bot = sandbox.spawn(folder, limits=limits, seed=seat)
            bots.append(bot)
            start = start_message(n=1, match="TEST", seat=seat, rules=RULES, seed=seat, limits=limits.told())
            reply = bot.ask(to_line(start), clock=limits.start_clock())
            if reply.fault is not None:
                return _ending(str(reply.fault.kind), seat, reply.fault.detail, bots)
            try:
                parse_answer(reply.line or b"", n=1, wanted="ready")
            except AnswerError as error:
                return _ending("protocol", seat, str(error), bots)
        for _ in range(2 * tricks):
            seat = deal.turn
            asked[seat] += 1
            message = play_message(deal.observe(seat), n=asked[seat], match="TEST", bank_cpu_ms=0)
            reply = bots[seat].ask(to_line(message), clock=limits.move_clock(limits.bank()))
            kind, card = outcome(reply, asked[seat])
            if kind != "ok":
                return _ending(kind, seat, card, bots)
            if card not in map(card_code, deal.legal()):
                return _ending("illegal", seat, card, bots)
            deal.play(card_int(card))
        return _ending("ok", None, "", bots)
    finally:
        for bot in bots:
            bot.close()


def _ending(kind: str, seat: int | None, detail: str, bots: Iterable[BotProcess]) -> Ending:
    return Ending(kind, seat, detail, "".join(bot.tail().decode("utf-8", "replace") for bot in bots))


def hostile_files(name: str, targets: Mapping[str, object]) -> dict[str, bytes]:
    """A hostile bot as it is packed: its file, the helper, and what the test chose for it to look for."""
    return {
        "bot.py": (HOSTILE / f"{name}.py").read_bytes(),
        "probe.py": (HOSTILE / "probe.py").read_bytes(),
        "target.json": json.dumps(dict(targets)).encode(),
    }


@contextmanager
def open_folder() -> Iterator[Path]:
    """A temporary folder that every user may enter (pytest's own are closed to the bots' user)."""
    folder = Path(tempfile.mkdtemp(prefix="bella-test-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)
