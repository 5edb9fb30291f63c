"""What a run of `play` adds up to."""

from array import array
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from bots.arena.reports import Fault
from bots.arena.runner.games import Plan, PlayedGame
from bots.arena.runner.interval import interval
from bots.arena.trials import percentile


@dataclass(slots=True)
class Side:
    """One bot's part. Times of its own moves, us."""

    won: int = 0
    points: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    cpu_us: "array[int]" = field(default_factory=lambda: array("q"))
    wall_us: "array[int]" = field(default_factory=lambda: array("q"))


@dataclass(frozen=True, slots=True)
class FirstFault:
    """The first fault of a bot and where it happened."""

    bot: int
    game: int
    deal: int
    fault: Fault


@dataclass(slots=True)
class Tally:
    """Wins, points, times and faults of the games so far."""

    plan: Plan
    sides: tuple[Side, Side] = field(default_factory=lambda: (Side(), Side()))
    games: int = 0
    drawn: int = 0
    void: Counter[str] = field(default_factory=Counter)
    first_faults: dict[int, FirstFault] = field(default_factory=dict)
    _scores: dict[int, list[float]] = field(default_factory=dict)

    def add(self, played: PlayedGame) -> None:
        """Count a game. A void one counts for nobody, but its faults do."""
        self.games += 1
        for bot, deal, fault in played.faults():
            self.sides[bot].faults[fault.kind] += 1
            self.first_faults.setdefault(bot, FirstFault(bot, played.game.number, deal, fault))
        for one in played.deals:
            for seat, cpu_us, wall_us in zip(one.seats, one.report.think_cpu_us, one.report.think_wall_us, strict=True):
                side = self.sides[played.game.bot_of(seat)]
                side.cpu_us.append(cpu_us)
                side.wall_us.append(wall_us)
        if played.is_void:
            self.void[played.end.reason] += 1
            return
        winner = played.winner
        self.drawn += winner is None
        for bot, side in enumerate(self.sides):
            side.won += winner == bot
            side.points += played.points[bot]
        score = 0.5 if winner is None else float(winner == 0)
        self._scores.setdefault(played.game.board, []).append(score)

    @property
    def has_faults(self) -> bool:
        """Whether any bot faulted."""
        return bool(self.first_faults)

    @property
    def score(self) -> float | None:
        """Games won by the first bot, a drawn one half, of those that count; None when none does."""
        counted = [score for scores in self._scores.values() for score in scores]
        return sum(counted) / len(counted) if counted else None

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the score: by mirrored pair (those that are whole), else by game."""
        wanted = 2 if self.plan.is_mirrored else 1
        return interval([sum(scores) / wanted for scores in self._scores.values() if len(scores) == wanted])

    def to_dict(self) -> dict[str, Any]:
        """For `--json`. Times in us."""
        plan = self.plan
        return {
            "bots": [
                {
                    "name": plan.names[bot],
                    "sha256": plan.bots[bot].archive.sha256,
                    "won": side.won,
                    "points": side.points,
                    "faults": dict(side.faults),
                    "cpu_us": _times(side.cpu_us),
                    "wall_us": _times(side.wall_us),
                }
                for bot, side in enumerate(self.sides)
            ],
            "unit": unit_of(plan),
            "played": self.games,
            "wanted": plan.count,
            "drawn": self.drawn,
            "void": dict(self.void),
            "mirrored": plan.is_mirrored,
            "score": self.score,
            "interval_95": list(self.interval),
            "first_faults": [_fault_dict(first, plan) for first in self.first_faults.values()],
            "rules": plan.rules.code,
            "seed": plan.seed.hex(),
        }


def unit_of(plan: Plan, count: int = 2) -> str:
    """What is counted: deals or matches."""
    if plan.counts_matches:
        return "match" if count == 1 else "matches"
    return "deal" if count == 1 else "deals"


def _times(values: "array[int]") -> dict[str, int]:
    return {
        "moves": len(values),
        "p50": percentile(values, 50),
        "p95": percentile(values, 95),
        "max": max(values, default=0),
    }


def _fault_dict(first: FirstFault, plan: Plan) -> dict[str, Any]:
    fault = first.fault
    names = ("kind", "detail", "exit", "seat", "ply", "request", "answer", "stderr_tail")
    place = {"bot": plan.names[first.bot], "game": first.game, "deal": first.deal}
    return {**place, **{name: getattr(fault, name) for name in names}}
