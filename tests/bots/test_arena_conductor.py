"""`play_match` with real bots in the real sandbox: scores, clocks, faults, replays, resumed and halted matches."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bots import demo, house
from bots.arena import (
    Bench,
    BotFilesError,
    DealReport,
    DoneDeal,
    JobLimits,
    MatchReport,
    Refused,
    Returned,
    Started,
    play_match,
)
from bots.sandbox import Sandbox, start_sandbox
from tests.bots.arena_driver import FIRST, NONCE, QUICK, Folders, deals, descriptors_kept, end, job_for, played, zygotes


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with start_sandbox() as started:
        yield started


def bot(play: str, before: str = "") -> str:
    """A bot that plays its first card but for what `play` does first."""
    return f"import os, sys, time\n{before}\ndef play(view):\n    {play}\n    return view.legal[0]\n"


def at(deal: int, ply: int, action: str) -> str:
    """`action` in the play number `ply` (or the next own one) of a deal."""
    return bot(f"if view.deal == {deal} and 2 * len(view.tricks) + len(view.table) >= {ply}: {action}")


CRASH = "raise ValueError('no idea')"


# ---- matches without faults


def test_a_match_is_played_to_two_won_deals_and_reported(sandbox: Sandbox) -> None:
    reports = played(sandbox, house.source("medio"), house.source("random"))
    started = reports[0]
    assert isinstance(started, Started)
    assert (started.tier, started.policy) == (sandbox.tier, sandbox.policy)
    report = end(reports)
    assert report.termination == "normal"
    assert max(report.score) == 2
    for deal in deals(reports):
        assert deal.termination == "normal"
        assert sum(deal.points) == 120
        assert len(deal.plays) == 80
        assert min(deal.think_cpu_us) >= 0
        assert sum(deal.think_cpu_us) > 0  # of a single move a busy machine's clock may see nothing
        assert deal.bank_left_us == (0, 0)


def test_the_same_job_gives_the_same_plays(sandbox: Sandbox) -> None:
    bots = (demo.source("greedy_40"), house.source("random"))
    first, second = played(sandbox, *bots), played(sandbox, *bots)
    assert [deal.plays for deal in deals(first)] == [deal.plays for deal in deals(second)]
    other = played(sandbox, *bots, seed="ab" * 32)
    assert deals(other)[0].plays != deals(first)[0].plays


@pytest.mark.parametrize("rules", ["n=3", "n=4 partners_see=always signals=auto", "n=6", "n=2 stop_at_61=auto"])
def test_other_tables_are_played_too(sandbox: Sandbox, rules: str) -> None:
    seats = int(rules[2])
    reports = played(sandbox, *[house.source("medio")] * seats, rules=rules, limits=JobLimits())
    assert end(reports).termination == "normal"
    wanted = {"auto"} if "auto" in rules.partition("signals")[0] else {"normal"}
    assert {deal.termination for deal in deals(reports)} >= wanted


def test_a_drawn_match_ends_at_its_cap(sandbox: Sandbox) -> None:
    """All deals but the first drawn by decree: two runs of a resumed match at its cap."""
    done = tuple(DoneDeal(deal=number, winner_side=None, points=(60, 60)) for number in range(1, 9))
    reports = played(sandbox, FIRST, FIRST, done=done)
    assert [deal.deal for deal in deals(reports)] == [9]
    assert end(reports).deals == 9


def test_notes_and_logs_come_with_the_play_they_belong_to(sandbox: Sandbox) -> None:
    raw = """
import json, sys
def main(requests, answers):
    print("loaded")
    for line in requests:
        message = json.loads(line)
        if message["type"] == "start":
            answer = {"n": message["n"], "ready": True}
        elif message["type"] == "play":
            print("play", len(message["tricks"]))
            answer = {"n": message["n"], "card": message["legal"][0], "note": "tengo " + message["trump"]}
        else:
            print(message["type"])
            continue
        sys.stdout.flush()
        answers.write(json.dumps(answer).encode() + b"\\n")
"""
    reports = played(sandbox, raw, FIRST, rules="n=2 format=deals:1")
    (deal,) = deals(reports)
    assert len(deal.notes) == 40
    assert sum(note is not None for note in deal.notes) == 20
    texts = [part.text for part in deal.logs[0]]
    assert texts[0] == "loaded\n"
    assert texts[1:21] == [f"play {trick}\n" for trick in range(20)]
    assert deal.logs[0][0].ply is None
    assert deal.logs[1] == ()


def test_a_bot_hears_the_result_of_each_deal_and_gets_a_fresh_process_each_match(sandbox: Sandbox) -> None:
    teller = """
import time
class Bot:
    heard = ()
    def start(self, match):
        print("started", time.monotonic_ns(), "seed", match.seed)
    def play(self, view):
        if not view.tricks and self.heard:
            print(*self.heard)
        return view.legal[0]
    def deal_over(self, result):
        self.heard = (result.deal, result.points, result.winner, len(result.tricks), result.termination)
"""
    first, second = played(sandbox, teller, FIRST), played(sandbox, teller, FIRST)
    lines = ["".join(part.text for part in deal.logs[0]) if deal.logs else "" for deal in deals(first)]
    one, two = deals(first)[0], lines[1]
    assert two == f"1 {one.points} {one.winner_side} 20 normal\n"
    assert lines[0] != "".join(part.text for part in deals(second)[0].logs[0])  # another start


# ---- faults: each row of the protocol's table


@pytest.mark.parametrize(
    ("play", "kind", "detail"),
    [
        ("while True: pass", "timeout", "cpu|bank"),
        (CRASH, "crash", "ValueError: no idea"),
        ("os._exit(3)", "crash", ""),
        ("os._exit(78)", "crash", ""),
        ("os.kill(os.getpid(), 9)", "crash", "PermissionError: .*"),
        ("os.abort()", "crash", ""),
        ("return next(c for c in view.unseen())", "illegal", ".. is not in the hand"),
        ("return None", "protocol", "not a card: None"),
        ("return 'AD', 1", "protocol", "not a card: None"),
        ("return 'asso'", "protocol", "not a card: 'asso'"),
        ("return bytearray(1 << 30)", "memory", "passed its memory limit"),
        ("sys.stdout.write('x' * (2 << 20))", "output", ".*log.*"),
    ],
)
def test_a_fault_costs_the_deal_and_names_the_request(sandbox: Sandbox, play: str, kind: str, detail: str) -> None:
    import re

    action = f"{play}" if "while" not in play else "[0 for _ in iter(int, 1)]"
    reports = played(sandbox, at(2, 7, action), FIRST, rules="n=2 format=deals:2")
    fair, faulty = deals(reports)
    assert fair.faults == ()
    assert (faulty.termination, faulty.winner_side) == (kind, 1)
    (fault,) = faulty.faults
    assert (fault.seat, fault.kind) == (0, kind)
    assert re.fullmatch(detail, fault.detail), fault.detail
    assert fault.ply == len(faulty.plays) // 2
    assert fault.ply in {7, 8}
    assert '"type":"play"' in fault.request
    assert end(reports).termination == "normal"
    if kind == "crash" and "raise" in play:
        assert 'File "bot.py", line' in fault.stderr_tail
        assert fault.exit == "exit 1"
    if kind in {"illegal", "protocol"}:
        assert '"card":' in fault.answer


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("raise RuntimeError('at import')", "crash"),
        ("def play(view): pass\ndef main(requests, answers): pass", "crash"),
        ("x = 1", "crash"),
        ("def play(view)", "crash"),
        ("while True: pass", "timeout"),
        ("class Bot:\n    def start(self, match): return 1 / 0\n    def play(self, view): pass", "crash"),
        ('def main(requests, answers): answers.write(b\'{"n":1,"ready":1}\\n\'); requests.read()', "protocol"),
    ],
)
def test_a_bot_that_does_not_start_loses_two_deals_and_so_the_match(sandbox: Sandbox, source: str, kind: str) -> None:
    reports = played(sandbox, FIRST, source, rules="n=2 format=first_to:3")
    assert [deal.termination for deal in deals(reports)] == [kind, kind]
    for deal in deals(reports):
        assert deal.plays == ""
        assert deal.faults[0].ply is None
        assert '"type":"start"' in deal.faults[0].request
    report = end(reports)
    assert (report.termination, report.outcome, report.score, report.deals) == ("fault", 0, (2, 0), 2)


def test_a_second_faulty_deal_loses_the_match_whatever_the_score(sandbox: Sandbox) -> None:
    bad = at(2, 10, CRASH).replace("view.deal == 2", "view.deal in (2, 3)")
    reports = played(sandbox, bad, FIRST, rules="n=2 format=first_to:5")
    assert [deal.termination for deal in deals(reports)] == ["normal", "crash", "crash"]
    report = end(reports)
    assert (report.termination, report.outcome, report.deals) == ("fault", 1, 3)


def test_in_a_test_match_faults_only_lose_their_deals(sandbox: Sandbox) -> None:
    reports = played(sandbox, at(1, 4, CRASH).replace("== 1", ">= 1"), FIRST, rules="n=2 format=deals:4", mode="test")
    assert [deal.termination for deal in deals(reports)] == ["crash"] * 4
    report = end(reports)
    assert (report.termination, report.outcome, report.score) == ("normal", 1, (0, 4))


def test_one_fault_each_loses_one_deal_each(sandbox: Sandbox) -> None:
    reports = played(sandbox, at(1, 3, CRASH), at(2, 3, CRASH), rules="n=2 format=deals:3")
    assert [(deal.termination, deal.winner_side) for deal in deals(reports)][:2] == [("crash", 1), ("crash", 0)]
    assert end(reports).termination == "normal"


def test_after_a_fault_both_bots_get_fresh_processes(sandbox: Sandbox) -> None:
    teller = bot("not view.tricks and print(BORN)", "BORN = time.monotonic_ns()")
    reports = played(sandbox, teller, at(2, 3, CRASH), rules="n=2 format=deals:3")
    first, second, third = (deal.logs[0][0].text for deal in deals(reports))
    assert first == second
    assert third != second


def test_a_deal_in_which_neither_starts_is_void_and_the_third_time_so_is_the_match(sandbox: Sandbox) -> None:
    reports = played(sandbox, "raise SystemExit(1)", "raise SystemExit(2)")
    assert deals(reports) == []
    report = end(reports)
    assert (report.termination, report.outcome, report.score, report.reason) == ("void", None, (0, 0), "faults")
    assert [(fault.seat, fault.exit) for fault in report.faults] == [(0, "exit 1"), (1, "exit 2")]


def test_partners_fall_together_and_a_third_side_shares(sandbox: Sandbox) -> None:
    pair = played(sandbox, FIRST, FIRST, at(1, 3, CRASH), FIRST, rules="n=4 format=deals:1")
    assert [(deal.winner_side, deal.faults[0].seat) for deal in deals(pair)] == [(1, 2)]
    broken = "raise SystemExit(1)"
    both = played(sandbox, broken, FIRST, broken, FIRST, rules="n=4 format=deals:1")
    assert [(deal.winner_side, len(deal.faults)) for deal in deals(both)] == [(1, 2)]
    three = played(sandbox, FIRST, FIRST, broken, rules="n=3 format=deals:3")
    assert [deal.winner_side for deal in deals(three)] == [None, None]
    assert (end(three).termination, end(three).outcome) == ("fault", None)


# ---- clocks


def test_the_bank_pays_until_it_is_empty_and_is_full_again_in_the_next_deal(sandbox: Sandbox) -> None:
    """60 ms free a move, 300 in the bank; 80 ms are used in each move: the bank ends in a late trick."""
    slow = bot(
        "work(0.08 if view.deal == 2 else 0.0)",
        "def work(seconds):\n    end = time.process_time() + seconds\n    while time.process_time() < end: pass",
    )
    limits = JobLimits(move_cpu_ms=60, bank_cpu_ms=300)
    reports = played(sandbox, slow, FIRST, rules="n=2 format=deals:3", limits=limits)
    first, second, third = deals(reports)
    assert second.termination == "timeout"
    assert second.faults[0].detail in {"cpu", "bank"}
    spent = 300_000 - second.bank_left_us[0]
    assert spent == 300_000
    assert 6 <= len(second.plays) // 4 <= 16
    assert '"clock":{"bank_cpu_ms":' in second.faults[0].request
    assert third.termination == "normal"
    assert third.bank_left_us[0] > 200_000
    assert first.bank_left_us[0] > 200_000


def test_a_sleeper_runs_out_of_wall_time_and_is_not_asked_for_cpu(sandbox: Sandbox) -> None:
    limits = JobLimits(move_wall_ms=400)
    reports = played(sandbox, at(1, 3, "time.sleep(9)"), FIRST, rules="n=2 format=deals:1", limits=limits)
    (deal,) = deals(reports)
    assert (deal.termination, deal.faults[0].detail) == ("timeout", "wall")
    assert deal.bank_left_us[0] > 2_900_000


def test_thinking_between_the_answers_is_paid_from_the_bank(sandbox: Sandbox) -> None:
    raw = """
import json, time
def main(requests, answers):
    for line in requests:
        message = json.loads(line)
        if message["type"] == "start":
            answers.write(b'{"n":%d,"ready":true}\\n' % message["n"])
        elif message["type"] == "play":
            answers.write(b'{"n":%d,"card":"%s"}\\n' % (message["n"], message["legal"][0].encode()))
            if len(message["tricks"]) == 5:
                end = time.process_time() + 0.2
                while time.process_time() < end: pass
"""
    waits = bot("time.sleep(0.8 if len(view.tricks) in (5, 6) else 0)")
    limits = JobLimits(bank_cpu_ms=1_000, move_cpu_ms=100)
    reports = played(sandbox, raw, waits, rules="n=2 format=deals:1", limits=limits)
    (deal,) = deals(reports)
    assert deal.termination == "normal"
    # What it thinks after the next question has come is in the free part of that one: half of it on a busy machine.
    assert 700_000 <= deal.bank_left_us[0] <= 900_000


# ---- the machine's faults


def test_a_broken_sandbox_replays_the_deal_and_blames_nobody(sandbox: Sandbox) -> None:
    """The zygote is killed when the first deal has been reported; its bots die with it."""
    killed = []

    def kill(*reports: Any) -> None:
        if not killed and isinstance(reports[0], DealReport):
            killed.extend(zygotes())
            for pid in killed:
                os.kill(pid, signal.SIGKILL)

    reports = played(sandbox, house.source("greedy"), FIRST, rules="n=2 format=deals:3", on_report=kill)
    assert len(killed) == 1
    assert [deal.faults for deal in deals(reports)] == [(), (), ()]
    assert end(reports).termination == "normal"


# ---- resumed, halted, refused


def test_a_resumed_match_goes_on_from_the_done_deals(sandbox: Sandbox) -> None:
    whole = played(sandbox, house.source("greedy"), house.source("medio"), rules="n=2 format=deals:3")
    first = deals(whole)[0]
    done = (DoneDeal(deal=1, winner_side=first.winner_side, points=first.points),)
    rest = played(sandbox, house.source("greedy"), house.source("medio"), rules="n=2 format=deals:3", done=done)
    assert [deal.plays for deal in deals(rest)] == [deal.plays for deal in deals(whole)[1:]]
    assert (end(rest).outcome, end(rest).score) == (end(whole).outcome, end(whole).score)


def test_a_resumed_match_that_is_over_only_reports_its_end(sandbox: Sandbox) -> None:
    done = tuple(DoneDeal(deal=number, winner_side=1, points=(50, 70)) for number in (1, 2))
    reports = played(sandbox, FIRST, FIRST, done=done)
    assert [report.type for report in reports] == ["started", "match"]
    assert (end(reports).outcome, end(reports).score) == (1, (0, 2))


def test_a_resumed_match_remembers_the_fault_before_it(sandbox: Sandbox) -> None:
    done = (DoneDeal(deal=1, winner_side=1, points=(11, 4), fault_seat=0),)
    reports = played(sandbox, at(2, 3, CRASH), FIRST, rules="n=2 format=first_to:5", done=done)
    assert (end(reports).termination, end(reports).outcome, end(reports).deals) == ("fault", 1, 2)


@pytest.mark.parametrize("reason", ["time", "drain", "stop"])
def test_a_halt_between_deals_gives_the_rest_back(sandbox: Sandbox, reason: str) -> None:
    halts: list[str] = []

    def after(*reports: Any) -> None:
        if isinstance(reports[0], DealReport):
            halts.append(reason)

    reports = played(
        sandbox, FIRST, FIRST, rules="n=2 format=deals:5", halt=lambda: halts[-1] if halts else None, on_report=after
    )
    assert [report.type for report in reports] == ["started", "deal", "returned"]
    last = reports[-1]
    assert isinstance(last, Returned)
    assert (last.next_deal, last.reason) == (2, reason)


@pytest.mark.parametrize("reason", ["stop", "lost"])
def test_a_stop_and_a_lost_lease_break_off_the_running_deal(sandbox: Sandbox, reason: str) -> None:
    asked = iter([None] * 20)
    reports = played(sandbox, FIRST, FIRST, halt=lambda: next(asked, reason))
    assert [report.type for report in reports] == ["started", "returned"][: 2 if reason == "stop" else 1]


def test_a_drain_lets_the_running_deal_end(sandbox: Sandbox) -> None:
    asked = iter([None] * 20)
    reports = played(sandbox, FIRST, FIRST, halt=lambda: next(asked, "drain"))
    assert [report.type for report in reports] == ["started", "deal", "returned"]


def test_a_job_that_is_stopped_before_its_first_card_is_given_back_unplayed(sandbox: Sandbox) -> None:
    reports = played(sandbox, FIRST, FIRST, halt=lambda: "stop")
    assert [report.type for report in reports] == ["returned"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"rules": "n=2 format=first_to:0"}, "bad_job"),
        ({"rules": "n=2 x=1"}, "bad_job"),
        ({"rules": "n=3"}, "bad_job"),
        ({"rules": "n=2 sides=1,0"}, "bad_job"),
        ({"done": tuple(DoneDeal(deal=n, winner_side=0, points=(61, 59)) for n in (1, 2, 3))}, "bad_job"),
        ({"done": (DoneDeal(deal=1, winner_side=0, points=(61,)),)}, "bad_job"),
        ({"done": (DoneDeal(deal=1, winner_side=0, points=(61, 59), fault_seat=5),)}, "bad_job"),
    ],
)
def test_a_job_that_makes_no_sense_is_refused(sandbox: Sandbox, changes: dict[str, Any], reason: str) -> None:
    folders = Folders(sandbox)
    job = job_for(folders, FIRST, FIRST, **{key: value for key, value in changes.items() if key != "rules"})
    job = type(job).from_dict(job.to_dict() | {key: value for key, value in changes.items() if key == "rules"})
    reports: list[Any] = []
    play_match(job, lambda *sent: reports.extend(sent), bench=bench(folders), nonce=NONCE)
    (report,) = reports
    assert isinstance(report, Refused)
    assert (report.reason, report.seq) == (reason, 0)
    assert job.seed not in report.detail


def bench(folders: Folders) -> Bench:
    return Bench(sandbox=folders.sandbox, bot_dir=folders.paths.__getitem__)


@pytest.mark.parametrize("reason", ["no_files", "wrong_files"])
def test_a_match_without_its_files_is_refused(sandbox: Sandbox, reason: Any) -> None:
    folders = Folders(sandbox)
    reports: list[Any] = []

    def missing(sha256: str) -> Path:
        raise BotFilesError(reason, sha256)

    job = job_for(folders, FIRST, FIRST)
    play_match(job, lambda *sent: reports.extend(sent), bench=Bench(sandbox=sandbox, bot_dir=missing), nonce=NONCE)
    assert [(type(report), report.reason) for report in reports] == [(Refused, reason)]


def test_a_job_that_demands_a_better_tier_is_refused() -> None:
    with start_sandbox("landlock") as weak:
        (report,) = played(weak, FIRST, FIRST, tier_min="namespaces")
        assert isinstance(report, Refused)
        assert report.reason == "no_tier"
        assert isinstance(played(weak, FIRST, FIRST, tier_min="landlock")[-1], MatchReport)


def test_many_matches_leave_no_descriptor_and_no_process(sandbox: Sandbox) -> None:
    played(sandbox, FIRST, FIRST)
    folders = Folders(sandbox)
    jobs = [job_for(folders, FIRST, at(1, 5, CRASH), rules="n=2 format=deals:2", limits=QUICK) for _ in range(20)]
    with descriptors_kept():
        for job in jobs:
            play_match(job, lambda *_: None, bench=bench(folders), nonce=NONCE)
    assert len(zygotes()) == 1
    children = [
        pid for zygote in zygotes() for pid in Path(f"/proc/{zygote}/task/{zygote}/children").read_text().split()
    ]
    living = [pid for pid in children if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"]
    assert living == []
