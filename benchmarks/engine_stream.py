"""A file of many deals passes in the memory of one: `python -m benchmarks.engine_stream [deals]`.

Deals of two players by chance are written one after the other into a pipe and counted at its end by
`python -m games.engine stats -`, a process of its own whose peak of memory is read when it ends. Twice: a thousand
deals, then all of them (100,000). Exits with 1 when the second run needs more than 4 MB above the first.
"""

import os
import subprocess
import sys
import time
from random import Random

from games.engine import Deal, Record, Rules, shuffled, write_deal

DEALS = 100_000
FEW = 1000
MARGIN_KB = 4096


def texts(count: int) -> list[bytes]:
    """Texts of different deals, each ready to be followed by another."""
    rules, rng = Rules(), Random(3)
    made = []
    for number in range(1, count + 1):
        deal = Deal(rules, shuffled(rules, bytes(32), "", number).deck, number % 2)
        while not deal.over:
            deal.play(rng.choice(deal.legal()))
        made.append(write_deal(Record.of(deal)).encode() + b"\n")
    return made


def run(deals: int, block: list[bytes]) -> tuple[float, int, str]:
    """Seconds, peak of memory in KB and what was printed first, for `deals` deals."""
    start = time.monotonic()
    with subprocess.Popen(
        [sys.executable, "-m", "games.engine", "stats", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for at in range(0, deals, len(block)):
            process.stdin.write(b"".join(block[: deals - at]))
        process.stdin.close()
        shown = process.stdout.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"stats ended with {process.returncode}")
    return time.monotonic() - start, usage.ru_maxrss, shown.splitlines()[1].strip()


def main(arguments: list[str]) -> int:
    """Print the table."""
    deals = int(arguments[0]) if arguments else DEALS
    block = texts(FEW)
    print(f"{'deals':>9}{'seconds':>10}{'deals/s':>10}{'peak MB':>10}")
    peaks = []
    for count in (FEW, deals):
        seconds, peak, shown = run(count, block)
        if not shown.startswith(f"deals {count}: {count} over"):
            raise SystemExit(f"not every deal was counted: {shown}")
        peaks.append(peak)
        print(f"{count:>9}{seconds:>10.2f}{count / seconds:>10.0f}{peak / 1024:>10.1f}")
    is_met = peaks[1] <= peaks[0] + MARGIN_KB
    print(f"memory of the long file above that of the short one: {(peaks[1] - peaks[0]) / 1024:.1f} MB, at most 4")
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
