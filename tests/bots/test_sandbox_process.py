"""One question, one line, or the fault and whose it is: each row of the table of faults, clocks, the log."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bots.sandbox import Bank, Limits, MoveClock, Reply, Sandbox, SandboxBroken, start_sandbox
from bots.sandbox.log import BotLog
from bots.sandbox.stall import is_machines_fault
from tests.bots.sandbox_driver import HONEST, SHORT, START, move, outcome, raw, request, running

MIB = 1 << 20


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with start_sandbox() as started:
        yield started


def weigh(pid: int, nice: int) -> None:
    """How much of a contended core the process gets; weights count within a session's group first."""
    os.setpriority(os.PRIO_PROCESS, pid, nice)
    if (group := Path(f"/proc/{pid}/autogroup")).exists():
        group.write_text(str(nice))


def fault_of(sandbox: Sandbox, source: bytes, limits: Limits = SHORT) -> tuple[str, str, str]:
    """Kind, detail and exit of the first move; asked again when the machine was too busy to say."""
    for _ in range(5):
        with running(sandbox, source, limits=limits) as bot:
            if os.geteuid() == 0:
                weigh(bot.pid, -20)
            fault = move(bot, limits).fault
            assert fault is not None
            if fault.kind != "infrastructure":
                break
    return str(fault.kind), fault.detail, fault.exit


# source of the bot after its first request, kind, detail, exit
ROWS = {
    "exit": ("os._exit(3)", "crash", "", "exit 3"),
    "exit of success": ("os._exit(0)", "crash", "", "exit 0"),
    "the exit of a failed set-up": ("os._exit(78)", "crash", "", "exit 78"),
    "the exit of a failed set-up, with its words": (
        "os.write(2, b'OSError: no_new_privs\\n'); os._exit(78)", "crash", "OSError: no_new_privs", "exit 78"),
    "memory": ("bytearray(10 ** 10)", "memory", "passed its memory limit", "exit 77"),
    "exception": ("raise RuntimeError('no')", "crash", "RuntimeError: no", "exit 1"),
    "signal": ("import ctypes; ctypes.string_at(1)", "crash", "", "signal 11 SIGSEGV"),
    "closed answers": ("answers.close(); os.closerange(3, 64); time.sleep(60)", "crash", "closed its pipes", ""),
    "two lines": ("answers.write(b'{}\\n{}\\n'); time.sleep(60)", "protocol", "more than one line", ""),
    "no newline": ("answers.write(b'x' * 4097); time.sleep(60)", "output", "a line longer than 4096 bytes", ""),
    "long line": ("answers.write(b'x' * 4097 + b'\\n'); time.sleep(60)", "output", "a line longer than 4096 bytes", ""),
    "log": ("while True: os.write(2, b'x' * 65536)", "output", "more than 1 MiB of log in a deal", ""),
    "spins": ("while True: pass", "timeout", "bank", ""),
    "sleeps": ("time.sleep(60)", "timeout", "wall", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_a_bad_end_has_its_kind(sandbox: Sandbox, name: str) -> None:
    body, *expected = ROWS[name]
    assert list(fault_of(sandbox, raw(body))) == expected


def test_a_fault_shows_what_had_come(sandbox: Sandbox) -> None:
    with running(sandbox, raw("""answers.write(b'{"n":2,'); os._exit(0)""")) as bot:
        assert move(bot).got == b'{"n":2,'
    with running(sandbox, raw("answers.write(b'x' * 9000); time.sleep(60)")) as bot:
        assert move(bot).got == b"x" * 4096


def test_a_line_of_exactly_the_limit_is_a_line(sandbox: Sandbox) -> None:
    with running(sandbox, raw("answers.write(b'x' * 4096 + b'\\n'); time.sleep(60)")) as bot:
        assert move(bot).line == b"x" * 4096


def test_bytes_before_the_question_are_a_fault_of_the_next_one(sandbox: Sandbox) -> None:
    source = raw("answers.write(b'a\\n'); answers.write(b'b\\n'); os.write(2, b'done'); time.sleep(60)")
    with running(sandbox, source) as bot:
        reply = move(bot)
        if reply.fault is None:  # the second line came after the first was read
            wait_for_log(bot, b"done")
            reply = move(bot, n=3)
        assert (reply.fault.kind, reply.fault.detail) in {
            ("protocol", "wrote before it was asked"), ("protocol", "more than one line"),
        }  # fmt: skip


def wait_for_log(bot: object, text: bytes) -> None:
    end = time.monotonic() + 5
    while text not in bot.tail():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_bot_that_reads_nothing_is_a_fault_of_the_protocol(sandbox: Sandbox) -> None:
    with running(sandbox, raw("time.sleep(60)")) as bot:
        for _ in range(3):
            bot.notify(b"x" * 60_000 + b"\n")
        fault = move(bot).fault
        assert (fault.kind, fault.detail) == ("protocol", "does not read its requests")


def test_the_same_fault_answers_every_further_question(sandbox: Sandbox) -> None:
    with running(sandbox, raw("os._exit(5)")) as bot:
        first = move(bot)
        assert move(bot, n=3).fault == first.fault
        bot.notify(b"{}\n")
        bot.close()
        bot.close()
        assert move(bot, n=4).fault == first.fault


def test_a_killed_process_is_a_crash_by_that_signal(sandbox: Sandbox) -> None:
    with running(sandbox, HONEST) as bot:
        os.kill(bot.pid, signal.SIGKILL)
        fault = move(bot).fault
        assert (fault.kind, fault.exit) == ("crash", "signal 9 SIGKILL")


def test_load_and_start_share_one_clock(sandbox: Sandbox) -> None:
    with running(sandbox, b"while True: pass\n", ready=False) as bot:
        reply = bot.ask(START, clock=SHORT.start_clock())
        assert (reply.fault.kind, reply.fault.detail, reply.pondered_us) == ("timeout", "cpu", 0)
        assert SHORT.start_cpu_ms * 1000 <= reply.cpu_us < 3 * SHORT.start_cpu_ms * 1000  # more on a busy machine


def test_a_stopped_process_is_a_timeout_by_the_wall(sandbox: Sandbox) -> None:
    with running(sandbox, HONEST) as bot:
        os.kill(bot.pid, signal.SIGSTOP)
        fault = move(bot, Limits(move_wall_ms=300)).fault
        assert (fault.kind, fault.detail) == ("timeout", "wall")


SPIN = b"""
import time
def spin(ms):
    end = time.process_time() + ms / 1000
    while time.process_time() < end: pass
"""


def test_thinking_above_the_free_part_is_taken_from_the_bank(sandbox: Sandbox) -> None:
    limits = Limits(move_cpu_ms=50, bank_cpu_ms=300)
    source = SPIN + b"def play(view):\n    spin(150)\n    return view.legal[0]\n"
    with running(sandbox, source, limits=limits) as bot:
        bank = limits.bank()
        replies = []
        for n in range(2, 6):
            clock = limits.move_clock(bank)
            replies.append(bot.ask(request(n), clock=clock))
            bank = bank.after(clock, replies[-1])
        # 150 ms a move: 100 of 300 from the bank each time, so that the third or fourth finds too little
        faults = [reply.fault for reply in replies if reply.fault is not None]
        assert faults[0].kind == "timeout"
        assert faults[0].detail in {"cpu", "bank"}
        assert [reply.fault is None for reply in replies[:2]] == [True, True]
        assert bank.cpu_us == 0


def test_thinking_between_answer_and_question_is_taken_from_the_bank(sandbox: Sandbox) -> None:
    limits = Limits(move_cpu_ms=50, bank_cpu_ms=1_000)
    source = SPIN + raw("""
answers.write(b'{"n":2,"card":"AD"}\\n')
spin(200); os.write(2, b'done')
requests.readline(); answers.write(b'{"n":3,"card":"AD"}\\n')
""")
    with running(sandbox, source, limits=limits) as bot:
        bank = limits.bank()
        first = bot.ask(request(2), clock=limits.move_clock(bank))
        wait_for_log(bot, b"done")
        clock = limits.move_clock(bank.after(limits.move_clock(bank), first))
        second = bot.ask(request(3), clock=clock)
        assert second.fault is None
        assert 200_000 <= first.cpu_us + second.pondered_us < 300_000
        assert bank.after(clock, second).cpu_us < 850_000


def test_who_ponders_away_the_whole_bank_has_no_time_left(sandbox: Sandbox) -> None:
    limits = Limits(move_cpu_ms=50, bank_cpu_ms=100)
    source = SPIN + raw("answers.write(b'{}\\n'); spin(200); os.write(2, b'done'); time.sleep(60)")
    with running(sandbox, source, limits=limits) as bot:
        assert move(bot, limits).line == b"{}"
        wait_for_log(bot, b"done")
        fault = move(bot, limits, n=3).fault
        assert (fault.kind, fault.detail) == ("timeout", "bank")


def test_waiting_above_the_free_part_is_taken_from_the_wall_bank(sandbox: Sandbox) -> None:
    limits = Limits(free_wall_ms=50, bank_wall_ms=400)
    source = b"import time\ndef play(view):\n    time.sleep(0.2)\n    return view.legal[0]\n"
    with running(sandbox, source, limits=limits) as bot:
        bank, details = limits.bank(), []
        for n in range(2, 7):
            clock = limits.move_clock(bank)
            reply = bot.ask(request(n), clock=clock)
            bank = bank.after(clock, reply)
            details.append(reply.fault.detail if reply.fault else "ok")
        assert details[:2] == ["ok", "ok"]
        assert set(details[2:]) == {"ok", "bank"} or details[2:] == ["bank"] * 3
        assert bank.wall_us == 0


def test_a_bank_is_charged_for_what_is_above_the_free_part_only() -> None:
    clock = MoveClock(cpu_us=100, wall_us=5_000, bank_cpu_us=1_000, free_wall_us=250, bank_wall_us=2_000)
    bank = Bank(1_000, 2_000)
    assert bank.after(clock, Reply(b"", cpu_us=100, wall_us=250)) == bank
    assert bank.after(clock, Reply(b"", cpu_us=180, wall_us=300)) == Bank(920, 1_950)
    assert bank.after(clock, Reply(b"", cpu_us=90, wall_us=10, pondered_us=40)) == Bank(960, 2_000)
    assert bank.after(clock, Reply(b"", cpu_us=9_000, wall_us=9_000)) == Bank(0, 0)


def test_the_clocks_of_the_limits() -> None:
    limits = Limits()
    assert limits.start_clock() == MoveClock(cpu_us=2_000_000, wall_us=10_000_000)
    assert limits.bank() == Bank(3_000_000, 15_000_000)
    assert limits.move_clock(Bank(7, 9)) == MoveClock(
        cpu_us=100_000, wall_us=5_000_000, bank_cpu_us=7, free_wall_us=250_000, bank_wall_us=9
    )
    assert limits.told() == {
        "start_cpu_ms": 2000, "move_cpu_ms": 100, "bank_cpu_ms": 3000, "move_wall_ms": 5000, "memory_mb": 448,
    }  # fmt: skip


def test_a_kill_comes_soon_after_its_deadline(sandbox: Sandbox) -> None:
    late = []
    for _ in range(10):
        with running(sandbox, raw("while True: pass")) as bot:
            limits = Limits(move_cpu_ms=20, bank_cpu_ms=0)
            reply = move(bot, limits)
            assert reply.fault.kind == "timeout"
            late.append(reply.cpu_us - 20_000)
    assert min(late) < 20_000


# ---- the machine's faults


@pytest.mark.parametrize(
    ("queued_us", "burned_us", "is_ours"),
    [
        (600_000, 0, True),  # no core for most of the time
        (500_000, 249_999, True),
        (499_999, 0, False),  # it had a core and slept
        (10_000, 0, False),
        (600_000, 300_000, False),  # the opponent held the core
    ],
)
def test_a_passed_wall_guard_is_ours_only_without_a_core(queued_us: int, burned_us: int, is_ours: bool) -> None:
    assert is_machines_fault(wall_us=1_000_000, queued_us=queued_us, burned_us=burned_us) is is_ours


def test_thinking_for_half_of_the_wall_and_sleeping_is_no_excuse(sandbox: Sandbox) -> None:
    limits = Limits(move_cpu_ms=2_000, move_wall_ms=600)
    source = SPIN + b"def play(view):\n    spin(400); time.sleep(60)\n"
    assert fault_of(sandbox, source, limits)[:2] == ("timeout", "wall")


def test_a_bot_that_gets_no_core_is_not_blamed(sandbox: Sandbox) -> None:
    """Real contention: the bot shares one core with a stranger, and has next to no weight there."""
    if os.geteuid() != 0:
        pytest.skip("only root may lower the weight of another user's process")
    core = max(os.sched_getaffinity(0))
    with running(sandbox, raw("while True: pass")) as bot:
        os.sched_setaffinity(bot.pid, {core})
        stranger = os.fork()
        if stranger == 0:
            os.sched_setaffinity(0, {core})
            end = time.monotonic() + 3
            while time.monotonic() < end:
                pass
            os._exit(0)
        try:
            weigh(bot.pid, 19)
            reply = move(bot, Limits(move_cpu_ms=2_000, move_wall_ms=500))
        finally:
            os.kill(stranger, signal.SIGKILL)
            os.waitpid(stranger, 0)
        assert reply.fault.kind == "infrastructure", reply
        assert reply.fault.detail.startswith(("no core for ", "the machine stood still for "))


def test_a_failed_step_before_the_file_is_loaded_is_ours(sandbox: Sandbox) -> None:
    folder = sandbox.store.put({"bot.py": HONEST})
    sandbox.store.remove(folder)
    bot = sandbox.spawn(folder, limits=SHORT, seed=1)
    fault = bot.ask(START, clock=SHORT.start_clock()).fault
    bot.close()
    assert (fault.kind, fault.exit) == ("infrastructure", "exit 78")
    assert fault.detail.startswith("FileNotFoundError: ")


def test_a_missing_entry_is_the_bots_fault(sandbox: Sandbox) -> None:
    with running(sandbox, {"other.py": HONEST}, ready=False) as bot:
        fault = bot.ask(START, clock=SHORT.start_clock()).fault
        assert (fault.kind, fault.exit) == ("crash", "exit 1")
        assert fault.detail == "FileNotFoundError: [Errno 2] No such file or directory: 'bot.py'"


def test_a_dead_zygote_is_ours_and_the_next_spawn_starts_another() -> None:
    with start_sandbox() as sandbox:
        folder = sandbox.store.put({"bot.py": HONEST})
        bot = sandbox.spawn(folder, limits=SHORT, seed=1)
        assert bot.ask(START, clock=SHORT.start_clock()).fault is None
        sandbox._zygote._process.kill()
        sandbox._zygote._process.wait()
        assert move(bot).fault.kind == "infrastructure"
        with pytest.raises(SandboxBroken):
            sandbox.spawn(folder, limits=SHORT, seed=1)
        again = sandbox.spawn(folder, limits=SHORT, seed=1)
        assert again.ask(START, clock=SHORT.start_clock()).line == b'{"n":1,"ready":true}'
        again.close()
        bot.close()


# ---- the log


def test_a_log_is_taken_a_play_at_a_time_and_cut_in_front(sandbox: Sandbox) -> None:
    source = b"""
def play(view):
    print("a" * 5000 if view.seat == 0 else "short")
    print("end")
    return view.legal[0]
"""
    with running(sandbox, source) as bot:
        assert bot.take_log() == b""
        assert outcome(move(bot))[0] == "ok"
        taken = bot.take_log()
        assert taken == b"[... 2957 bytes cut ...]\n" + b"a" * 2043 + b"\nend\n"
        assert bot.take_log() == b""
        assert bot.ask(request(3, seat=1), clock=SHORT.move_clock(SHORT.bank())).fault is None
        assert bot.take_log() == b"short\nend\n"
        assert bot.tail() == b"a" * 5000 + b"\nend\nshort\nend\n"


def test_the_quota_of_the_log_is_a_deals(sandbox: Sandbox) -> None:
    source = b"import os\ndef play(view):\n    os.write(2, b'x' * 60000)\n    return view.legal[0]\n"
    with running(sandbox, source) as bot:
        for n in range(2, 40):
            if n % 15 == 0:
                bot.new_deal()
            assert move(bot, n=n).fault is None
        bot.new_deal()
        kinds = [outcome(move(bot, n=n), n)[0] for n in range(40, 60)]
        # What a process wrote just before an answer may be read just after it.
        assert kinds.index("output") in (MIB // 60_000, MIB // 60_000 + 1)


def test_a_tail_is_bounded_whatever_is_written() -> None:
    read_end, write_end = os.pipe2(os.O_NONBLOCK)
    log = BotLog(read_end)
    for number in range(40):
        os.write(write_end, b"%04d" % number * 1000)
        log.drain_all()
    assert log.in_deal == 160_000
    assert len(log.tail()) == 16_384
    assert log.tail().endswith(b"0039" * 1000)
    assert len(log.take()) == 2_048 + len(b"[... 157952 bytes cut ...]\n")
    os.close(write_end)
    log.drain_all()
    assert log.ended
    os.close(read_end)
