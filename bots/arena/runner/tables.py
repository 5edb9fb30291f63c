"""The result of `play` as text."""

from collections.abc import Iterator

from bots.arena.players import printable
from bots.arena.reports import Fault
from bots.arena.runner.tally import FirstFault, Tally, unit_of
from bots.arena.sentences import MESSAGES, WHAT_TO_DO
from bots.arena.trials import percentile

_MARGIN = "    "


def told(tally: Tally) -> str:
    """The table, the interval, the faults."""
    plan = tally.plan
    lines = [*_table(tally), "", _score(tally)]
    lines += [f"{count} void and not counted: {reason}" for reason, count in tally.void.items()]
    for first in tally.first_faults.values():
        lines += ["", *_faults(tally, first)]
    seed = f"--seed {plan.seed.hex()} gives the same cards again"
    return "\n".join([*lines, "", seed]) + "\n"


def _table(tally: Tally) -> Iterator[str]:
    plan = tally.plan
    count = (tally.games + 1) // 2
    pairs = f" in {count} mirrored pair{'s' * (count != 1)}" if plan.is_mirrored else ""
    yield f"{tally.games} {unit_of(plan, tally.games)}{pairs}, {plan.rules.code}"
    rows = [["", "won", "drawn", "points", "faults", "CPU a move p50", "p95", "max"]]
    for name, side in zip(plan.names, tally.sides, strict=True):
        times = [percentile(side.cpu_us, 50), percentile(side.cpu_us, 95), max(side.cpu_us, default=0)]
        counts = [side.won, tally.drawn, side.points, side.faults.total()]
        rows.append([name, *map(str, counts), *(f"{us / 1000:.2f} ms" for us in times)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *cells in rows:
        yield f"{name:{widths[0]}}" + "".join(
            f"  {cell:>{width}}" for cell, width in zip(cells, widths[1:], strict=True)
        )


def _score(tally: Tally) -> str:
    first, second = tally.plan.names
    if tally.score is None:
        return "Nothing was played to its end."
    low, high = tally.interval
    verdict = "which of the two is better is open: play more"
    if low > 0.5 or high < 0.5:
        verdict = f"{first if low > 0.5 else second} is the better one"
    by = "pair" if tally.plan.is_mirrored else unit_of(tally.plan, 1)
    return f"{first} scores {tally.score:.1%}, 95 % interval {low:.1%} to {high:.1%} by {by}: {verdict}."


def _faults(tally: Tally, first: FirstFault) -> Iterator[str]:
    """The faults of a bot by kind, and its first one in full."""
    fault, side = first.fault, tally.sides[first.bot]
    kinds = ", ".join(f"{count} {kind}" for kind, count in side.faults.most_common())
    where = "at the start" if fault.ply is None else f"ply {fault.ply}"
    place = f"match {first.game}, deal {first.deal}" if tally.plan.counts_matches else f"deal {first.game}"
    yield f"Faults of {tally.plan.names[first.bot]}: {kinds}. The first one, in {place}, seat {fault.seat}, {where}:"
    yield from told_fault(fault)


def told_fault(fault: Fault) -> Iterator[str]:
    """A fault: what happened, what to do, what was asked and answered, how the log ends."""
    yield _MARGIN + MESSAGES[f"fault.{fault.kind}"] % {"detail": fault.detail, "exit": fault.exit}
    yield _MARGIN + WHAT_TO_DO[f"fix.{fault.kind}"]
    yield f"{_MARGIN}request: {fault.request}"
    if fault.answer:
        yield f"{_MARGIN}answer:  {fault.answer}"
    if fault.stderr_tail.strip():
        yield f"{_MARGIN}end of the log:"
        yield from (f"{_MARGIN}{_MARGIN}{line}" for line in log_lines(fault.stderr_tail))


def log_lines(text: str) -> list[str]:
    """The lines of a bot's log; what would steer a terminal is made visible."""
    return [printable(line.expandtabs()) for line in text.rstrip("\n").splitlines()]
