"""A thousand matches leave no process, no descriptor, no folder and no memory behind, whatever the bots did."""

from pathlib import Path

import pytest

from bots.arena import Bench, JobLimits, MatchReport, Report, play_match
from bots.sandbox import start_sandbox
from tests.bots.arena_driver import FIRST, NONCE, Folders, descriptors_kept, job_for, zygotes
from tests.bots.fuzzing import resident
from tests.bots.sandbox_driver import open_folder

MATCHES = 1_000
#: How the opponents end: in order, by an error, by a signal, at their start, by memory, asked for too much at once.
WAYS = [
    FIRST,
    "def play(view):\n    raise ValueError('no idea')\n",
    "import os\ndef play(view):\n    os.abort()\n",
    "import os\nos._exit(4)\n",
    "def play(view):\n    return bytearray(10 ** 10)\n",
    "def play(view):\n    print('x' * 100_000)\n    return view.legal[0]\n",
    "def main(requests, answers):\n    requests.readline(); answers.write(b'y' * 5000)\n",
]
LIMITS = JobLimits(start_cpu_ms=1_000, move_cpu_ms=500, bank_cpu_ms=0)


def living_children(pid: int) -> list[int]:
    """Children that are no zombies."""
    found = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return [child for child in found if Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0] != "Z"]


@pytest.mark.slow
def test_a_thousand_matches_leave_nothing_behind() -> None:
    ended: list[str] = []

    def report(*reports: Report) -> None:
        ended.extend(one.termination for one in reports if isinstance(one, MatchReport))

    with open_folder() as base, start_sandbox(base=base) as sandbox:
        folders = Folders(sandbox)
        jobs = [job_for(folders, source, FIRST, rules="n=2 format=deals:1", limits=LIMITS) for source in WAYS]
        bench = Bench(sandbox=sandbox, bot_dir=folders.paths.__getitem__)
        for job in jobs:
            play_match(job, report, bench=bench, nonce=NONCE)
        ended.clear()
        files, memory, (zygote,) = sorted(base.rglob("*")), resident(), zygotes()
        with descriptors_kept():
            for number in range(MATCHES):
                play_match(jobs[number % len(jobs)], report, bench=bench, nonce=NONCE)
        assert len(ended) == MATCHES
        assert set(ended) == {"normal"}  # one faulty deal, and there is no other
        assert sorted(base.rglob("*")) == files
        assert zygotes() == [zygote]
        assert living_children(zygote) == []
        assert resident() - memory <= 4 << 20
    assert zygotes() == []
