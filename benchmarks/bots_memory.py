"""What memory bots cost: a bot's private pages beside its zygote's, and the conductor's growth under floods.

    python -m benchmarks.bots_memory [--rounds 20]

`private` is what one running bot holds alone, after its start and a deal's moves (`Private_*` of its smaps_rollup; the
kernel shows that of a confined process to root only). `growth` is what this process holds more after matches against
bots that write for ever than after one round of them, and `peak` the most in between; every report is made and dropped.
Exit code 1 when a figure is missed: private <= 3 MiB, growth and peak <= 4 MiB.
"""

import argparse
import gc
import os
import statistics
import sys
from pathlib import Path

from benchmarks.bots_sandbox import LIMITS, PLAY, ready, requests_of_a_deal
from bots import house
from bots.arena import Bench, JobLimits, MatchJob, MatchReport, Report, SeatJob, play_match, unpack, write_report
from bots.sandbox import start_sandbox
from bots.sandbox.zygote_sandbox import ZygoteSandbox

PRIVATE_MUST_MIB, GROWTH_MUST_MIB = 3.0, 4.0
TIERS = ("namespaces", "landlock")
MIB = 1 << 20
#: Every way to flood: answers with and without lines, the log, one huge line, all at once.
FLOODS = {
    "endless line": "while True: answers.write(b'x' * 65536)",
    "many lines": "while True: answers.write(b'{}\\n' * 20000)",
    "log": "while True: os.write(2, b'x' * 65536)",
    "log lines": "while True: os.write(2, b'\\n' * 65536)",
    "huge line": "answers.write(b'y' * 10_000_000 + b'\\n')",
    "both": "while True: os.write(2, b'z' * 4096); os.set_blocking(answers.fileno(), False); answers.write(b'y')",
}
FLOOD = """
import json, os
def main(requests, answers):
    requests.readline(); answers.write(b'{{"n":1,"ready":true}}\\n'); requests.readline()
    {0}
    requests.read()
"""


def private_mib(pid: int) -> float:
    """Memory that is the process's alone. Raises PermissionError for who may not look."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) / 1024


def resident_mib(name: str = "VmRSS") -> float:
    """Memory of this process now, or the most since `forget_peak` (VmHWM)."""
    (line,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(f"{name}:")]
    return int(line.split()[1]) / 1024


def forget_peak() -> None:
    """The most memory so far is what is held now."""
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")


def measure_private(sandbox: ZygoteSandbox, rounds: int) -> tuple[dict[str, float], float]:
    """Private MiB of a trivial and of a house bot, medians; of the zygote."""
    found = {}
    for name, source in {"trivial": PLAY, "greedy": house.source("greedy")}.items():
        folder, values = sandbox.store.put({"bot.py": source}), []
        for _ in range(rounds):
            process = ready(sandbox.spawn(folder, limits=LIMITS, seed=1))
            for line in requests_of_a_deal():
                assert process.ask(line, clock=LIMITS.move_clock(LIMITS.bank())).line is not None
            values.append(private_mib(process.pid))
            process.close()
        found[name] = statistics.median(values)
    assert sandbox._zygote is not None
    return found, private_mib(sandbox._zygote._process.pid)


def measure_floods(sandbox: ZygoteSandbox, rounds: int) -> tuple[float, float, int]:
    """Growth and peak of this process in MiB over matches against every flood, and their number."""
    sources = [FLOOD.format(body).encode() for body in FLOODS.values()] + [PLAY]
    archives = [unpack(source) for source in sources]
    folders = {one.sha256: sandbox.store.put(dict(one.files)) for one in archives}
    bench = Bench(sandbox=sandbox, bot_dir=folders.__getitem__)
    seen: list[int] = []

    def report(*reports: Report) -> None:
        for one in reports:
            write_report(one)
            seen.append(isinstance(one, MatchReport) and one.termination == "fault")

    def matches() -> None:
        for archive in archives[:-1]:
            pair = (archive.sha256, archives[-1].sha256)
            job = MatchJob(
                run_id="00000000-0000-0000-0000-000000000000", match="F", rules="n=2", seed="ab" * 32, first_dealer=0,
                seats=tuple(SeatJob(seat=seat, side=seat, sha256=sha256) for seat, sha256 in enumerate(pair)),
                limits=JobLimits(),
            )  # fmt: skip
            play_match(job, report, bench=bench, nonce="benchmark")

    for _ in range(3):
        matches()
    forget_peak()
    before = resident_mib()
    seen.clear()
    for _ in range(rounds):
        matches()
    assert sum(seen) == rounds * len(FLOODS), "every flood loses its match"
    peak = resident_mib("VmHWM") - before
    gc.collect()
    return resident_mib() - before, peak, sum(seen)


def main() -> int:
    """Measure and print; 1 when a figure is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    rounds = parser.parse_args().rounds
    fits = True
    for tier in TIERS:
        with start_sandbox(tier) as sandbox:  # type: ignore[arg-type]
            if os.geteuid() == 0:
                found, zygote = measure_private(sandbox, rounds)
                for name, mib in found.items():
                    fits &= mib <= PRIVATE_MUST_MIB
                    print(f"private {tier:<12} {name:<8} {mib:6.2f} MiB   must be <= {PRIVATE_MUST_MIB}")
                print(f"        {tier:<12} zygote   {zygote:6.2f} MiB")
            else:
                print(f"private {tier:<12} only root may look")
            growth, peak, count = measure_floods(sandbox, rounds)
            fits &= max(growth, peak) <= GROWTH_MUST_MIB
            told = f"{growth:6.2f} MiB, peak {peak:.2f}, {count} matches"
            print(f"growth  {tier:<12} {told}   must be <= {GROWTH_MUST_MIB}")
    return 0 if fits else 1


if __name__ == "__main__":
    sys.exit(main())
