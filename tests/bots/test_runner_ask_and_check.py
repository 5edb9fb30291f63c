"""`bella ask` and `bella check`: single requests, and the checks of an upload."""

import json
import re
from pathlib import Path

import pytest

from bots.arena.sentences import WHAT_TO_DO
from bots.sandbox import Fault, FaultKind, MoveClock, Reply
from bots.sandbox.process import Process
from tests.bots.bella import SEED, Bella

GUIDE = Path(__file__).parents[2] / "docs" / "bot-authors.md"
#: The question that the guide for authors shows.
REQUEST = next(line for line in re.findall(r"^\{.*\}$", GUIDE.read_text(), re.MULTILINE) if '"play"' in line)


# ---- check


def test_the_checks_of_an_upload_are_made_here(bella: Bella) -> None:
    done = bella("check", "greedy", "--seed", SEED, "--slow", "0.5")
    assert done.status == 0
    checks = [line.split()[1].rstrip(":") for line in done.lines if not line.startswith(" ")]
    assert checks[:8] == [
        "unpack", "syntax", "form", "start", "self_play", "against_random", "against_greedy", "cold",
    ]  # fmt: skip
    assert re.fullmatch(r"ok    unpack: 1 file, \d+ bytes", done.lines[0])
    verdict, chance, itself, times = done.lines[-4:]
    assert verdict == "ok    verdict: The version is qualified."
    assert re.fullmatch(r" {6}against random: \d+\.\d% of \d+ deals, [+-]\d+ points", chance)
    assert itself == "      against greedy: 50.0% of 40 deals, +0 points"
    assert re.fullmatch(r" {6}CPU a move: p50 \d\.\d\d ms, p95 \d\.\d\d ms, max \d\.\d\d ms in \d+ moves", times)


def test_a_failed_check_says_where_and_what_to_do_and_gives_the_request_to_ask_again(bella: Bella) -> None:
    bella.write("mine.py", "def play(view):\n    return view.hand[0] if len(view.tricks) < 3 else view.hand[9]\n")
    done = bella("check", "mine.py")
    assert done.status == 1
    at = next(number for number, line in enumerate(done.lines) if line.startswith("FAIL"))
    assert done.lines[at] == (
        "FAIL  self_play: bot.py:2 The bot ended by itself (exit 1): IndexError: tuple index out of range"
    )
    assert done.lines[at + 1].strip() == WHAT_TO_DO["fix.crash"]
    assert [line for line in done.lines if line.startswith("FAIL")][-1] == "FAIL  verdict: The version is rejected."
    request = done.lines[at + 2].strip()
    asked = bella("ask", "mine.py", stdin=f"{request}\n\n")
    assert asked.status == 1
    assert asked.out.startswith("fault: The bot ended by itself (exit 1): IndexError: tuple index out of range\n")
    assert '      File "bot.py", line 2, in play' in asked.lines
    again = bella("ask", "first_legal", stdin=request)
    assert (again.status, again.out.split()[0]) == (0, json.loads(request)["legal"][0])


def test_a_bot_that_cannot_be_repeated_is_noted_and_qualifies(bella: Bella) -> None:
    source = "import time\ndef play(view):\n    return view.legal[time.perf_counter_ns() // 1000 % len(view.legal)]\n"
    bella.write("clock.py", source)
    done = bella("check", "clock.py", "--slow", "0.5")
    assert done.status == 0
    at = done.lines.index(
        "note  reproducible: The same seed gives other plays: the bot cannot be reproduced."
    )  # fmt: skip
    assert done.lines[at + 1].strip() == WHAT_TO_DO["fix.seed"]


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("def play(view)\n", "FAIL  syntax: bot.py, line 1: SyntaxError: expected ':'"),
        ("x = 1\n", "FAIL  form: bot.py must define exactly one of play, Bot and main; it defines: -."),
        (
            "raise KeyError('x')\ndef play(view): ...\n",
            "FAIL  start: bot.py:1 The bot ended by itself (exit 1): KeyError: 'x'",
        ),
    ],
)
def test_each_check_can_fail(bella: Bella, source: str, line: str) -> None:
    bella.write("mine.py", source)
    done = bella("check", "mine.py")
    assert done.status == 1
    assert [told for told in done.lines if told.startswith(line)] != []


def test_what_is_left_out_of_an_upload_is_told(bella: Bella) -> None:
    (bella.folder / "mine" / ".idea").mkdir(parents=True)
    (bella.folder / "mine" / ".idea" / "x.xml").write_text("<x/>")
    (bella.folder / "mine" / "bot.py").write_text("x = 1\n")
    assert bella("check", "mine").lines[0] == "ok    unpack: 1 file, 6 bytes; left out: .idea/x.xml"


# ---- ask


def test_the_card_the_time_the_note_and_the_log_are_printed(bella: Bella) -> None:
    talks = "def play(view):\n    print('I hold', *view.hand)\n    return print('so') or view.hand[1]\n"
    bella.write("talks.py", talks)
    done = bella("ask", "talks.py", stdin=REQUEST)
    hand = json.loads(REQUEST)["hand"]
    assert (done.status, done.err) == (0, "")
    assert re.fullmatch(rf"{hand[1]}   \d+ us", done.lines[0])
    assert done.lines[1:] == [f"    I hold {' '.join(hand)}", "    so"]
    noted = """
import json
def main(requests, answers):
    for line in requests:
        message = json.loads(line)
        said = {"ready": True} if message["type"] == "start" else {"card": "2B", "note": "hm"}
        answers.write(json.dumps({"n": message["n"], **said}).encode() + b"\\n")
"""
    bella.write("noted.py", noted)
    assert bella("ask", "noted.py", stdin=REQUEST).lines[0].endswith('us   "hm"')


def test_the_lines_of_a_pipe_log_are_asked_as_they_are_and_answered_alike(bella: Bella) -> None:
    """With the start seed of the log: a bot that keeps nothing but its dice would differ in its second card."""
    bella.write("seeded.py", "class Bot:\n    def start(self, match):\n        self.seed = match.seed\n"
                "    def play(self, view):\n        return view.legal[self.seed % len(view.legal)]\n")  # fmt: skip
    bella("play", "seeded.py", "crashes.py", "--deals", "2", "--jsonl", "pipes.jsonl", "--seed", SEED)
    lines = [json.loads(line) for line in bella.read("pipes.jsonl").splitlines()]
    kept = [line for line in lines if line["name"] == "seeded.py"]
    played = [line["message"]["card"] for line in kept if "card" in line.get("message", ())]
    text = "".join(json.dumps(line) + "\n" for line in kept)
    done = bella("ask", "seeded.py", stdin=text)
    assert done.status == 0
    assert [line.split()[0] for line in done.lines] == played
    everything = bella("ask", "first_legal", stdin=bella.read("pipes.jsonl"))
    asked = [line["message"] for line in lines if line.get("to") == "bot" and line["message"]["type"] == "play"]
    assert [line.split()[0] for line in everything.lines] == [message["legal"][0] for message in asked]


def test_a_line_of_the_site_s_log_is_asked_as_it_is(bella: Bella) -> None:
    message = json.loads(REQUEST)
    site = {"seat": 1, "deal": 2, "ply": 3, "to": "bot", "message": message}
    answer = {"seat": 1, "deal": 2, "ply": 3, "from": "bot", "message": {"n": 4, "card": "2B"}, "cpu_us": 90}
    done = bella("ask", "first_legal", stdin=f"{json.dumps(site)}\n{json.dumps(answer)}\n")
    assert (done.status, [line.split()[0] for line in done.lines]) == (0, [message["legal"][0]])


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("def play(view):\n    return 'XX'\n", "fault: The bot's answer cannot be read: not a card: 'XX'."),
        (
            "def play(view):\n    return 'AD' if 'AD' not in view.hand else 'AC'\n",
            "fault: The bot played a card that it does not hold: AD.",
        ),
        ("x =\n", "fault: The bot ended by itself (exit 1): SyntaxError: invalid syntax"),
        ("import time\ndef play(view):\n    while True: pass\n", "fault: The bot used more time than it has (cpu)."),
    ],
)
def test_an_answer_that_is_none_is_told(bella: Bella, source: str, told: str) -> None:
    bella.write("mine.py", source)
    done = bella("ask", "mine.py", "--slow", "0.2", stdin=REQUEST)
    assert (done.status, done.lines[0]) == (1, told)


def test_one_fault_among_good_answers_makes_the_exit_status(bella: Bella) -> None:
    bella.write("mine.py", "def play(view):\n    return view.hand[view.deal - 2]\n")
    other = json.dumps(json.loads(REQUEST) | {"deal": 9})
    done = bella("ask", "mine.py", stdin=f"{REQUEST}\n{other}\n{REQUEST}\n")
    assert done.status == 1
    assert [line.split()[0] for line in done.lines if not line.startswith(" ")] == ["2B", "fault:", "2B"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("hello", "line 1 is no request"),
        ('{"type":"play"}', "KeyError"),
        ('{"type":"dance"}', "it needs the type play"),
        ('{"to":"bot"}', "KeyError"),
        ("[]", "it needs the type play"),
        ("[" * 9000, "RecursionError"),
        (REQUEST + "\n" + REQUEST.replace('"legal":["2B","4B","5B"]', '"legal":[]'), "line 2 is no request"),
        (REQUEST.replace('"turn":1', '"turn":0'), "it asks nobody for a card"),
        (REQUEST.replace('"n":4', '"n":"4"'), "n and bank_cpu_ms are whole numbers"),
        (REQUEST.replace('"redraw":"none"', '"redraw":"all"'), "RulesError"),
        ("", "standard input holds no request"),
        ('{"type":"end","match":"K7Q2M9XR"}', "standard input holds no request"),
        ('{"seat":0,"from":"bot","log":"hello"}', "standard input holds no request"),
    ],
)
def test_what_is_no_request_is_refused_in_one_line(bella: Bella, line: str, words: str) -> None:
    done = bella("ask", "greedy", stdin=line)
    assert done.status == 2
    assert words in done.err
    assert done.err.count("\n") == 1
    assert done.err.startswith("bella ask: ")


def test_when_the_machine_fails_it_is_asked_again_and_nobody_is_blamed(
    bella: Bella, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that is stopped before it was confined is the machine's fault."""
    ask, failures = Process.ask, [1, 1]

    def failing(self: Process, line: bytes, *, clock: MoveClock) -> Reply:
        if failures and b'"start"' in line:  # not the probe of the sandbox
            failures.pop()
            return Reply(None, 0, 0, fault=Fault(FaultKind.INFRASTRUCTURE, "no core"))
        return ask(self, line, clock=clock)

    monkeypatch.setattr(Process, "ask", failing)
    done = bella("ask", "first_legal", stdin=REQUEST)
    assert (done.status, done.out.split()[0], failures) == (0, "2B", [])
    failures += [1, 1, 1]
    lost = bella("ask", "first_legal", stdin=REQUEST)
    assert (lost.status, lost.out) == (2, "")
    assert lost.err == "bella ask: this machine failed (no core): try it again\n"
    bella("play", "first.py", "last.py", "--deals", "2", "--record", "games.bella")
    failures += [1, 1]
    assert bella("replay", "games.bella", "first.py").out.startswith("0 differences in 40 cards;")
    failures += [1, 1, 1]
    assert (
        bella("replay", "games.bella", "first.py").err == "bella replay: this machine failed (no core): try it again\n"
    )
