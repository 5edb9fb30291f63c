"""Is a long wait the bot's doing or the machine's? Time that a process was ready to run and did not get a core.

That time is never charged: it puts the wall guard off, up to as long again. Only a bot that had no core for half of
all that time, with nobody of its own match holding it, is the machine's fault. CPU time of the bot counts for nothing
here, else a bot could think for half of the wall, sleep for the rest and have a lost deal played again.
"""

from pathlib import Path

LATE_US = 250_000
"""A wait that ends this much after its time-out, and after the guard: the machine stood still."""


def queued_us(pid: int) -> int:
    """Time that the process has waited for a core (`/proc/<pid>/schedstat`); 0 where the kernel does not tell.

    A wait counts once it is over: one that lasts is found by `is_runnable` and a CPU clock that stands still.
    """
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) // 1000
    except (OSError, ValueError, IndexError):
        return 0


def is_runnable(pid: int) -> bool:
    """Whether the process runs or waits for a core (state R in `/proc/<pid>/stat`)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "R"
    except (OSError, IndexError):
        return False


def is_machines_fault(*, wall_us: int, queued_us: int, burned_us: int) -> bool:
    """Whether a passed wall guard is ours. `burned_us` is the CPU time of the sandbox's other bots meanwhile."""
    return 2 * queued_us >= wall_us and 2 * burned_us < queued_us
