"""How fast bots end: past a deadline, and when the arena is killed.

    python -m benchmarks.bots_endings [--rounds 50]

`deadline` is the time from the moment at which a bot's wall guard or CPU allowance is used up to the moment at which
the kernel has ended its process, for one that spins and for one that sleeps and ignores every signal (99th percentile).
`killed` is the time from `kill -9` of a process with a sandbox and four bots to the end of the last of them, zygote
included. Exit code 1 when a figure is missed: deadline <= 20 ms, killed <= 1,000 ms.
"""

import argparse
import select
import statistics
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.bots_sandbox import ready, requests_of_a_deal
from bots.sandbox import Limits, start_sandbox
from bots.sandbox.zygote_sandbox import ZygoteSandbox

DEADLINE_MUST_MS, KILLED_MUST_MS = 20, 1_000
TIERS = ("namespaces", "landlock")
LIMIT_MS = 30
SPINS = b"def play(view):\n    while True: pass\n"
SLEEPS = b"""
import signal, time
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
def play(view):
    time.sleep(3600)
"""
ARENA = """
import os, sys, time
from bots.sandbox import Limits, start_sandbox
sandbox = start_sandbox(sys.argv[1])
sources = b"import time\\ntime.sleep(60)\\n", b"while True: pass\\n", b"while True: print('x')\\n", SLEEPS
living = [sandbox.spawn(sandbox.store.put({"bot.py": source}), limits=Limits(), seed=1) for source in sources]
for bot in living:
    os.write(bot._started.stdin, b'{"type":"start","n":1}\\n')
print(sandbox._zygote._process.pid, *(bot.pid for bot in living), flush=True)
time.sleep(60)
"""


def deadlines(sandbox: ZygoteSandbox, source: bytes, limits: Limits, rounds: int) -> list[float]:
    """Milliseconds from the end of the allowance to the end of the process, sorted."""
    folder, line, late = sandbox.store.put({"bot.py": source}), requests_of_a_deal()[0], []
    for _ in range(rounds):
        process = ready(sandbox.spawn(folder, limits=limits, seed=1))
        ended = select.poll()
        ended.register(process._started.pidfd, select.POLLIN)
        began = time.perf_counter()
        reply = process.ask(line, clock=limits.move_clock(limits.bank()))
        assert reply.fault is not None, reply
        ended.poll(10_000)
        passed_ms = (time.perf_counter() - began) * 1e3
        waited_ms = passed_ms - reply.wall_us / 1e3  # for a core: the bot's clocks stand still then
        late.append(
            passed_ms - LIMIT_MS - max(0.0, waited_ms)
            if reply.fault.detail == "wall"
            else reply.cpu_us / 1e3 - LIMIT_MS
        )
        process.close()
    return sorted(late)


def killed_ms(tier: str) -> float:
    """Milliseconds from kill -9 to the end of the last process."""
    arena = subprocess.Popen(
        [sys.executable, "-c", ARENA.replace("SLEEPS", repr(SLEEPS)), tier], stdout=subprocess.PIPE
    )
    assert arena.stdout is not None
    pids = [int(pid) for pid in arena.stdout.readline().split()]
    assert len(pids) == 5
    began = time.perf_counter()
    arena.kill()
    while any(map(is_alive, pids)) and time.perf_counter() - began < 10:
        time.sleep(0.001)
    passed = (time.perf_counter() - began) * 1e3
    arena.wait()
    arena.stdout.close()
    return passed


def is_alive(pid: int) -> bool:
    """Whether it runs; a zombie that nobody has reaped is no process left."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def main() -> int:
    """Measure and print; 1 when a figure is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=50)
    rounds = parser.parse_args().rounds
    ways = {
        "spins, CPU": (SPINS, Limits(move_cpu_ms=LIMIT_MS, bank_cpu_ms=0, move_wall_ms=20_000)),
        "spins, wall": (SPINS, Limits(move_cpu_ms=20_000, move_wall_ms=LIMIT_MS)),
        "sleeps, wall": (SLEEPS, Limits(move_wall_ms=LIMIT_MS)),
    }
    fits = True
    for tier in TIERS:
        with start_sandbox(tier) as sandbox:  # type: ignore[arg-type]
            for name, (source, limits) in ways.items():
                late = deadlines(sandbox, source, limits, rounds)
                worst = late[int(0.99 * (len(late) - 1))]
                fits &= worst <= DEADLINE_MUST_MS
                print(f"deadline {tier:<12} {name:<14} median {statistics.median(late):6.2f} ms, 99 % {worst:6.2f} ms"
                      f"   must be <= {DEADLINE_MUST_MS}")  # fmt: skip
        times = [killed_ms(tier) for _ in range(max(3, rounds // 5))]
        fits &= max(times) <= KILLED_MUST_MS
        middle, most = statistics.median(times), max(times)
        print(f"killed   {tier:<12} {'all 5 gone':<14} median {middle:6.1f} ms, most {most:6.1f} ms"
              f"   must be <= {KILLED_MUST_MS}")  # fmt: skip
    return 0 if fits else 1


if __name__ == "__main__":
    sys.exit(main())
