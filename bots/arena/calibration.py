"""How fast this core runs Python: one figure to set beside CPU times of other machines. Allowances do not depend on it.

Unit: rounds of `_rounds` a millisecond of CPU time (integer arithmetic, a list, a branch: what bots' loops are made
of); some thousands to some tens of thousands. The best of several short runs counts, as others on the same core and a
clock that is still rising only ever make it slower.
"""

import time

ROUNDS = 5_000
RUNS = 25


def _rounds(count: int) -> int:
    """The work: always the same, its result is the same on every machine."""
    weights = [11, 10, 4, 3, 2, 0, 0, 0]
    state, total = 1, 0
    for _ in range(count):
        state = (state * 1_103_515_245 + 12_345) & 0x7FFF_FFFF
        value = weights[state >> 28]
        if value > 2:
            total += value
        else:
            total ^= state & 3
    return total


def speed() -> int:
    """Rounds a millisecond of CPU time of this thread, at least 1. Takes some 20 ms of it."""
    best = 0
    for _ in range(RUNS):
        began = time.thread_time_ns()
        _rounds(ROUNDS)
        best = max(best, ROUNDS * 1_000_000 // max(1, time.thread_time_ns() - began))
    return max(1, best)
