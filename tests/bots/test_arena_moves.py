"""`play_move` with real bots in the real sandbox: a card, a bot's fault or our trouble, and jobs that make no sense."""

import json
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bots import house
from bots.arena import (
    Bench,
    BotFilesError,
    JobLimits,
    MoveJob,
    MoveReport,
    Refused,
    Report,
    Returned,
    Started,
    WireError,
    play_move,
    read_report,
    write_report,
)
from bots.arena.reports import MAX_STDERR_TAIL
from bots.protocol import MAX_REQUEST, request_sha256
from bots.sandbox import Sandbox, start_sandbox
from games.engine import Rules
from tests.bots.arena_driver import FIRST, NONCE, QUICK, Folders, descriptors_kept, zygotes
from tests.bots.moving import move_job, view_after

HEAD: dict[str, Any] = {"run_id": "01234567-89ab-cdef-0123-456789abcdef", "nonce": NONCE, "seq": 1}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with start_sandbox() as started:
        yield started


def reported(folders: Folders, job: MoveJob, **bench: Any) -> list[Report]:
    """What is reported of a job; every report went through its JSON text, in one call."""
    calls: list[list[Report]] = []

    def report(*sent: Report) -> None:
        calls.append([read_report(write_report(one)) for one in sent])

    values = {"sandbox": folders.sandbox, "bot_dir": folders.paths.__getitem__, "worker": "test/moves/0"}
    play_move(MoveJob.from_dict(job.to_dict()), report, bench=Bench(**values | bench), nonce=NONCE)
    assert len(calls) <= 1
    for one in (reports := calls[0] if calls else []):
        assert (one.run_id, one.nonce) == (job.run_id, NONCE)
    assert [one.seq for one in reports] == list(range(len(reports)))
    return reports


def asked(sandbox: Sandbox, source: str | bytes, plies: int = 6, **changes: Any) -> MoveReport:
    """The report of one question after so many plays."""
    folders = Folders(sandbox)
    job = move_job(folders.put(source), view_after(plies), **{"limits": QUICK} | changes)
    started, report = reported(folders, job, speed=12_345)
    assert isinstance(started, Started)
    assert (started.tier, started.worker, started.speed) == (sandbox.tier, "test/moves/0", 12_345)
    assert isinstance(report, MoveReport)
    return report


# ---- a card


@pytest.mark.parametrize("plies", [0, 1, 17, 39])
def test_a_bot_plays_one_card_of_the_deal_as_it_stands(sandbox: Sandbox, plies: int) -> None:
    view = view_after(plies)
    for source in (FIRST, house.source("greedy"), house.source("medio")):
        report = asked(sandbox, source, plies)
        assert report.card in view.legal
        assert (report.fault, report.trouble) == (None, "")
        assert report.cpu_us > 0
        assert report.wall_us > 0


@pytest.mark.parametrize("code", ["n=3", "n=4 partners_see=always signals=auto", "n=2 open=all"])
def test_a_bot_plays_at_other_tables_too(sandbox: Sandbox, code: str) -> None:
    folders, view = Folders(sandbox), view_after(9, Rules.parse(code))
    _, report = reported(folders, move_job(folders.put(FIRST), view))
    assert report.card == view.legal[0]


def test_a_bot_gets_its_seed_and_the_numbers_as_they_were_sent(sandbox: Sandbox) -> None:
    source = """
import json
def main(requests, answers):
    start, play = json.loads(requests.readline()), None
    answers.write(json.dumps({"n": start["n"], "ready": True}).encode() + b"\\n")
    play = json.loads(requests.readline())
    note = f'{start["seed"]} {start["n"]} {play["n"]} {play["clock"]["bank_cpu_ms"]}'
    answers.write(json.dumps({"n": play["n"], "card": play["legal"][-1], "note": note}).encode() + b"\\n")
"""
    folders, view = Folders(sandbox), view_after(4)
    job = move_job(folders.put(source), view, bank_cpu_us=1_234_567)
    _, report = reported(folders, job)
    assert report.card == view.legal[-1]
    assert report.note == f"{json.loads(job.start)['seed']} 1 9 1234"


def test_every_question_has_a_fresh_process(sandbox: Sandbox) -> None:
    counting = "seen = []\ndef play(view):\n    seen.append(1)\n    print(len(seen))\n    return view.legal[0]\n"
    folders = Folders(sandbox)
    sha256 = folders.put(counting)
    asked(sandbox, counting)
    with descriptors_kept():
        for plies in range(0, 40, 8):
            _, report = reported(folders, move_job(sha256, view_after(plies)))
            assert report.log == "1\n"
    assert len(zygotes()) == 1


def test_the_bank_travels_with_the_job(sandbox: Sandbox) -> None:
    thinks = "import time\ndef play(view):\n    while time.process_time() < 0.3: pass\n    return view.legal[0]\n"
    limits = JobLimits(move_cpu_ms=100, bank_cpu_ms=3_000)
    paid = asked(sandbox, thinks, limits=limits, bank_cpu_us=900_000)
    assert paid.card is not None
    assert 200_000 <= paid.cpu_us < 500_000
    assert paid.bank_left_us == pytest.approx(900_000 - (paid.cpu_us - 100_000), abs=2_000)
    broke = asked(sandbox, thinks, limits=limits, bank_cpu_us=50_000)
    assert broke.fault is not None
    assert (broke.fault.kind, broke.fault.detail, broke.bank_left_us) == ("timeout", "cpu", 0)
    empty = asked(sandbox, thinks, limits=limits, bank_cpu_us=0)
    assert empty.fault is not None
    assert (empty.fault.kind, empty.fault.detail) == ("timeout", "bank")


def test_the_end_of_the_log_comes_with_the_card(sandbox: Sandbox) -> None:
    source = "print('loaded')\ndef play(view):\n    for i in range(4000): print('line', i)\n    return view.legal[0]\n"
    report = asked(sandbox, source)
    assert report.card is not None
    assert len(report.log) <= MAX_STDERR_TAIL
    assert report.log.endswith("line 3998\nline 3999\n")
    assert asked(sandbox, "print('loaded')\n" + FIRST).log == "loaded\n"


# ---- faults: each kind, with the request as it was sent


def does(action: str) -> str:
    return f"import os, sys, time\ndef play(view):\n    {action}\n    return view.legal[0]\n"


@pytest.mark.parametrize(
    ("source", "kind", "detail"),
    [
        (does("[0 for _ in iter(int, 1)]"), "timeout", "cpu|bank"),
        (does("time.sleep(60)"), "timeout", "wall"),
        (does("raise ValueError('no idea')"), "crash", "ValueError: no idea"),
        (does("os._exit(78)"), "crash", ""),
        (does("os.abort()"), "crash", ""),
        (does("return next(c for c in view.unseen())"), "illegal", ".. is not in the hand"),
        (does("return None"), "protocol", "not a card: None"),
        (does("return bytearray(1 << 30)"), "memory", "passed its memory limit"),
        (does("print('x' * (2 << 20))"), "output", ".*log.*"),
    ],
)
def test_a_fault_is_reported_in_place_of_the_card(sandbox: Sandbox, source: str, kind: str, detail: str) -> None:
    report = asked(sandbox, source, plies=6)
    assert report.card is None
    fault = report.fault
    assert fault is not None
    assert (fault.kind, fault.ply, fault.seat) == (kind, 6, view_after(6).seat)
    assert re.fullmatch(detail, fault.detail), fault.detail
    assert json.loads(fault.request)["n"] == 9
    assert fault.request_sha256 == request_sha256(fault.request.encode())
    assert report.cpu_us > 0


@pytest.mark.parametrize(
    ("answer", "kind", "detail"),
    [
        ("b'x' * 5000 + b'\\n'", "output", "a line longer than 4096 bytes"),
        ("b'x' * (1 << 20)", "output", "a line longer than 4096 bytes"),
        ('b\'{"n":10,"card":"AD"}\\n\'', "protocol", "n is not 9"),
        ('b\'{"n":9,"card":"AD"}\\n\' * 2', "protocol", "more than one line"),
        ("b'\\n'", "protocol", "an empty line"),
        ("b'[' * 1900 + b'\\n'", "protocol", "nested too deeply|not JSON.*"),
        ("b'\\xff\\n'", "protocol", "not UTF-8"),
    ],
)
def test_bytes_that_are_no_answer_are_a_fault(sandbox: Sandbox, answer: str, kind: str, detail: str) -> None:
    source = f"""
def main(requests, answers):
    requests.readline(); answers.write(b'{{"n":1,"ready":true}}\\n'); requests.readline()
    answers.write({answer})
    requests.read()
"""
    fault = asked(sandbox, source).fault
    assert fault is not None
    assert fault.kind == kind
    assert re.fullmatch(detail, fault.detail), fault.detail


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("raise RuntimeError('at import')", "crash"),
        ("while True: pass", "timeout"),
        ("x = 1", "crash"),
        ('def main(requests, answers): answers.write(b\'{"n":2,"ready":true}\\n\'); requests.read()', "protocol"),
    ],
)
def test_a_bot_that_does_not_start_is_charged_before_the_question(sandbox: Sandbox, source: str, kind: str) -> None:
    report = asked(sandbox, source)
    assert report.fault is not None
    assert (report.fault.kind, report.fault.ply) == (kind, None)
    assert json.loads(report.fault.request)["type"] == "start"


# ---- ours


def test_a_dead_zygote_is_our_trouble_and_the_next_question_finds_a_new_one(sandbox: Sandbox) -> None:
    folders = Folders(sandbox)
    job = move_job(folders.put(FIRST), view_after(3))
    for pid in zygotes():
        os.kill(pid, signal.SIGKILL)
    _, report = reported(folders, job)
    assert (report.card, report.fault) == (None, None)
    assert report.trouble.startswith("spawn: ")
    _, report = reported(folders, job)
    assert report.card is not None


def test_a_report_holds_exactly_one_of_card_fault_and_trouble() -> None:
    for fields in ({}, {"card": "AD", "trouble": "x"}):
        with pytest.raises(WireError, match="a card, a fault or a trouble"):
            MoveReport(**HEAD, **fields)


# ---- halts and refusals


@pytest.mark.parametrize("halt", ["stop", "drain", "time"])
def test_a_job_that_is_not_wanted_is_given_back(sandbox: Sandbox, halt: Any) -> None:
    folders = Folders(sandbox)
    (report,) = reported(folders, move_job(folders.put(FIRST), view_after(3)), halt=lambda: halt)
    assert isinstance(report, Returned)
    assert (report.reason, report.next_deal) == (halt, 1)


def test_nothing_is_said_of_a_run_that_is_anothers(sandbox: Sandbox) -> None:
    folders = Folders(sandbox)
    job = move_job(folders.put(FIRST), view_after(3))
    assert reported(folders, job, halt=lambda: "lost") == []
    answers = iter([None, "lost"])
    assert reported(folders, job, halt=lambda: next(answers)) == []


VIEW = view_after(6)


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"match": "OTHER"}, "start.match"),
        ({"deal": 2}, "request.deal"),
        ({"seat": 1 - (VIEW.seat or 0)}, "start.seat"),
        ({"seat": 7}, "seat: a seat of these rules"),
        ({"bank_cpu_us": 1_000_000, "request": {"clock": {"bank_cpu_ms": 2_000}}}, "request.clock"),
        ({"start": {"seed": -1}}, "start.seed"),
        ({"start": {"seed": 1 << 53}}, "start.seed"),
        ({"start": {"seed": True}}, "start.seed"),
        ({"start": {"n": 0}}, "start.n"),
        ({"start": {"n": True}}, "start.n"),
        ({"start": {"n": 9}}, "request.n"),
        ({"start": {"protocol": 2}}, "start.protocol"),
        ({"start": {"type": "play"}}, "start.type"),
        ({"start": {"limits": {}}}, "start.limits"),
        ({"start": {"rules": {"n": 99}}}, "messages of the protocol"),
        ({"start": {"players": 3}}, "start.players"),
        ({"request": {"rules": Rules.parse("n=3").to_dict()}}, "request"),
        ({"request": {"type": "start"}}, "request.type"),
        ({"request": {"turn": 1 - (VIEW.seat or 0)}}, "request.turn"),
        ({"request": {"legal": []}}, "request.legal"),
        ({"request": {"legal": ["AD", "AC", "AS", "AB"]}}, "request.legal"),
        ({"request": {"hand": "AD"}}, "messages of the protocol"),
        ({"request": {"table": [{"seat": 0}]}}, "messages of the protocol"),
        ({"request": {"tricks": 5}}, "messages of the protocol"),
    ],
    ids=str,
)
def test_a_job_that_makes_no_sense_is_refused_without_repeating_it(
    sandbox: Sandbox, changes: dict[str, Any], where: str
) -> None:
    folders = Folders(sandbox)
    job = move_job(folders.put(FIRST), VIEW, **changes)
    (report,) = reported(folders, job)
    assert isinstance(report, Refused)
    assert report.reason == "bad_job"
    assert where in report.detail
    assert str(json.loads(job.start)["seed"]) not in report.detail


@pytest.mark.parametrize("name", ["start", "request"])
@pytest.mark.parametrize(
    "bad", ["", "[]", "nonsense", "{}", "[" * 60_000, '{"n":1}\n{"n":2}', "é" * (MAX_REQUEST // 2)]
)
def test_what_is_no_message_is_refused(sandbox: Sandbox, name: str, bad: str) -> None:
    folders = Folders(sandbox)
    good = move_job(folders.put(FIRST), VIEW).to_dict()
    (report,) = reported(folders, MoveJob.from_dict(good | {name: bad}))
    assert isinstance(report, Refused)
    assert report.detail.startswith(f"MoveJob.{name}")


def test_a_message_may_have_keys_that_are_new(sandbox: Sandbox) -> None:
    assert asked(sandbox, FIRST, start={"later": 1}, request={"later": [2]}).card is not None


def test_files_and_tier_are_looked_at_before_a_process_starts(sandbox: Sandbox) -> None:
    folders = Folders(sandbox)
    job = move_job(folders.put(FIRST), view_after(3))

    def missing(sha256: str) -> Path:
        raise BotFilesError("no_files", sha256)

    (report,) = reported(folders, job, bot_dir=missing)
    assert (report.type, report.reason, job.bot.sha256 in report.detail) == ("refused", "no_files", True)
    with start_sandbox("unsafe") as weak:
        own = Folders(weak)
        (report,) = reported(own, move_job(own.put(FIRST), view_after(3)))
        assert (report.type, report.reason) == ("refused", "no_tier")
        _, report = reported(own, move_job(own.put(FIRST), view_after(3), tier_min="unsafe"))
        assert report.card is not None
