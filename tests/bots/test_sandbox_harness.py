"""The forms of a Python bot, where its output goes, and what its owner reads when it breaks."""

import json
from collections.abc import Iterator

import pytest

from bots.protocol import deal_over_message, end_message, start_message, to_line
from bots.sandbox import Sandbox, start_sandbox
from tests.bots.sandbox_driver import RULES, SHORT, START, move, outcome, raw, request, running


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with start_sandbox() as started:
        yield started


def start_fault(sandbox: Sandbox, source: bytes) -> tuple[str, str]:
    with running(sandbox, source, ready=False) as bot:
        fault = bot.ask(START, clock=SHORT.start_clock()).fault
        return str(fault.kind), fault.detail


def test_the_form_play_gets_the_engines_view(sandbox: Sandbox) -> None:
    source = b"""
from games.engine import Observation
def play(view):
    print(isinstance(view, Observation), view.seat, view.legal == view.hand, view.clock.bank_cpu_ms, len(view.unseen()))
    return view.hand[1]
"""
    with running(sandbox, source) as bot:
        hand = json.loads(request())["hand"]
        assert outcome(move(bot)) == ("ok", hand[1])
        assert bot.take_log() == b"True 0 True 0 36\n"


def test_the_form_bot_is_one_object_that_hears_of_start_and_end(sandbox: Sandbox) -> None:
    source = b"""
class Bot:
    def __init__(self):
        self.heard = []
    def start(self, match):
        self.heard += [match.match, match.seat, match.players, match.rules.n, match.seed, match.limits["memory_mb"]]
    def play(self, view):
        print(self.heard)
        return view.legal[0]
    def deal_over(self, result):
        self.heard = [result.deal, result.points, result.winner, result.termination, result.tricks]
"""
    with running(sandbox, source, ready=False) as bot:
        start = start_message(n=1, match="K7Q2", seat=1, rules=RULES, seed=5, limits=SHORT.told())
        assert bot.ask(to_line(start), clock=SHORT.start_clock()).line == b'{"n":1,"ready":true}'
        assert outcome(move(bot))[0] == "ok"
        assert bot.take_log() == b"['K7Q2', 1, 2, 2, 5, 448]\n"
        over = deal_over_message(match="K7Q2", deal=1, points=(71, 49), winner=0, termination="normal", tricks=())
        bot.notify(to_line(over))
        assert outcome(move(bot, n=3), 3)[0] == "ok"
        assert bot.take_log() == b"[1, (71, 49), 0, 'normal', ()]\n"


def test_start_and_deal_over_are_optional(sandbox: Sandbox) -> None:
    with running(sandbox, b"class Bot:\n    def play(self, view):\n        return view.legal[0]\n") as bot:
        over = deal_over_message(match="K7Q2", deal=1, points=(71, 49), winner=0, termination="normal", tricks=())
        bot.notify(to_line(over))
        assert outcome(move(bot))[0] == "ok"


def test_the_raw_form_speaks_for_itself(sandbox: Sandbox) -> None:
    with running(sandbox, raw('answers.write(b\'{"n":2,"card":"AD","note":"ok"}\\n\'); time.sleep(60)')) as bot:
        assert move(bot).line == b'{"n":2,"card":"AD","note":"ok"}'


@pytest.mark.parametrize(
    ("source", "found"),
    [
        (b"", "none"),
        (b"play = 3\n", "none"),
        (b"def play(view): pass\nclass Bot: pass\n", "play and Bot"),
        (b"def play(view): pass\nclass Bot: pass\ndef main(a, b): pass\n", "play and Bot and main"),
    ],
)
def test_a_file_defines_exactly_one_form(sandbox: Sandbox, source: bytes, found: str) -> None:
    said = f"FormError: bot.py must define exactly one of play, Bot and main; it defines {found}"
    kind, detail = start_fault(sandbox, source)
    assert (kind, detail.endswith(said)) == ("crash", True)


def test_a_syntax_error_names_file_and_line(sandbox: Sandbox) -> None:
    with running(sandbox, b"x = 1\ndef play(view)\n    return 1\n", ready=False) as bot:
        fault = bot.ask(START, clock=SHORT.start_clock()).fault
        assert (fault.kind, fault.detail) == ("crash", "SyntaxError: expected ':'")
        assert b'File "bot.py", line 2' in bot.tail()


def test_a_traceback_begins_in_the_bots_file(sandbox: Sandbox) -> None:
    with running(sandbox, b"def play(view):\n    return deep(view)\ndef deep(view):\n    return 1 / 0\n") as bot:
        assert move(bot).fault.detail == "ZeroDivisionError: division by zero"
        said = bot.tail().decode().splitlines()
        assert [line for line in said if line.strip(" ~^")] == [
            "Traceback (most recent call last):",
            '  File "bot.py", line 2, in play',
            "    return deep(view)",
            '  File "bot.py", line 4, in deep',
            "    return 1 / 0",
            "ZeroDivisionError: division by zero",
        ]


@pytest.mark.parametrize(
    ("value", "log"),
    [
        ("None", b"play returned NoneType, not a card such as 'AD'\n"),
        ("object()", b"play returned object, not a card such as 'AD'\n"),
        ("('AD',)", b"play returned tuple, not a card such as 'AD'\n"),
        ("b'AD'", b"play returned bytes, not a card such as 'AD'\n"),
        ("'XX'", b""),
        ("'\\ud800'", b""),
    ],
)
def test_what_is_no_card_breaks_the_protocol(sandbox: Sandbox, value: str, log: bytes) -> None:
    with running(sandbox, f"def play(view):\n    return {value}\n".encode()) as bot:
        assert outcome(move(bot))[0] == "protocol"
        assert bot.take_log() == log


def test_print_and_every_way_to_standard_output_is_log(sandbox: Sandbox) -> None:
    source = b"""
import os, sys
def play(view):
    print("print"); sys.__stdout__.write("stdout\\n"); sys.stdout.flush()
    os.write(1, b"one\\n"); os.write(2, b"two\\n")
    print("no newline", end="")
    return view.legal[0]
"""
    with running(sandbox, source) as bot:
        assert outcome(move(bot))[0] == "ok"
        assert bot.take_log() == b"print\nstdout\none\ntwo\nno newline"


def test_standard_input_is_empty(sandbox: Sandbox) -> None:
    source = b"import sys\ndef play(view):\n    print(repr(sys.stdin.read()))\n    return view.legal[0]\n"
    with running(sandbox, source) as bot:
        assert outcome(move(bot))[0] == "ok"
        assert bot.take_log() == b"''\n"


def test_chance_and_hashes_are_the_same_for_the_same_seed(sandbox: Sandbox) -> None:
    source = b"""
import random
def play(view):
    print(random.random(), list({"AD", "3C", "2B", "7S", "RD"}), hash("AD"))
    return view.legal[0]
"""
    logs = []
    for seed in (7, 7, 8):
        with running(sandbox, source, seed=seed) as bot:
            assert outcome(move(bot))[0] == "ok"
            logs.append(bot.take_log())
    with start_sandbox("landlock") as other, running(other, source, seed=7) as bot:
        assert outcome(move(bot))[0] == "ok"
        logs.append(bot.take_log())
    assert logs[0] == logs[1] == logs[3]
    assert logs[0].split(b" ", 1)[0] != logs[2].split(b" ", 1)[0]
    assert logs[0].split(b" ", 1)[1] == logs[2].split(b" ", 1)[1]


@pytest.mark.parametrize(("leave", "exit_"), [("exit()", "exit 0"), ("exit(4)", "exit 4"), ("exit('no')", "exit 1")])
def test_leaving_is_a_crash_with_its_code(sandbox: Sandbox, leave: str, exit_: str) -> None:
    with running(sandbox, f"import sys\ndef play(view):\n    sys.{leave}\n".encode()) as bot:
        fault = move(bot).fault
        assert (fault.kind, fault.exit) == ("crash", exit_)


def test_a_bot_ends_by_itself_when_its_requests_end(sandbox: Sandbox) -> None:
    """An exit that nobody owes: it takes less time than the grace, and no exit handler runs."""
    source = b"import atexit\natexit.register(print, 'late')\ndef play(view):\n    return view.legal[0]\n"
    with running(sandbox, source) as bot:
        bot.notify(to_line(end_message("K7Q2")))
        bot.close(grace_ms=5_000)
        assert bot._status == 0
        assert bot.take_log() == b""
