"""Figures of many deals, counted as they pass: `python -m games.engine stats`."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import sqrt

from .luck import LUCK_TABLE, luck
from .notation import DealText


@dataclass(slots=True)
class Stats:
    """Counts of deals of one set of rules, in constant memory."""

    deals: int = 0
    unfinished: int = 0
    drawn: int = 0
    early: int = 0
    redrawn: int = 0
    wins: Counter[int] = field(default_factory=Counter)
    """By side."""
    leader_wins: int = 0
    leader_points: int = 0
    """Of the side that leads the first trick."""
    lucks: int = 0
    luck_sum: int = 0
    luck_squares: int = 0
    """Luck of seat 0, tenths of a point."""
    luckier_wins: int = 0
    luckier: int = 0

    def add(self, text: DealText) -> None:
        """Count a deal."""
        record = text.record
        deal = record.replay()
        self.deals += 1
        self.redrawn += bool(record.turned)
        if not deal.over:
            self.unfinished += 1
            return
        winner = deal.winner_side
        first = record.rules.sides[deal.tricks[0].leader] if deal.tricks else None
        self.early += bool(deal.unplayed)
        self.drawn += winner is None
        if winner is not None:
            self.wins[winner] += 1
            self.leader_wins += winner == first
        if first is not None:
            self.leader_points += deal.side_points[first]
        if (found := luck(record)) is not None:
            self.lucks += 1
            self.luck_sum += found[0]
            self.luck_squares += found[0] ** 2
            if winner is not None and found[0]:
                self.luckier += 1
                self.luckier_wins += winner == record.rules.sides[0 if found[0] > 0 else 1]

    def lines(self) -> list[str]:
        """The figures in words."""
        played = self.deals - self.unfinished
        found = [f"deals {self.deals}: {played} over, {self.unfinished} not, {self.early} ended early"]
        if self.redrawn:
            found.append(f"upcard turned back in {_share(self.redrawn, self.deals)}")
        if played:
            won = ", ".join(f"side {side} {_share(count, played)}" for side, count in sorted(self.wins.items()))
            found.append(f"won: {won or 'none'}; drawn {_share(self.drawn, played)}")
            mean = self.leader_points / played
            found.append(f"who leads first: wins {_share(self.leader_wins, played)}, {mean:.2f} points")
        if self.lucks > 1:
            mean = self.luck_sum / self.lucks
            spread = sqrt(max(0.0, self.luck_squares / self.lucks - mean**2))
            error = spread / sqrt(self.lucks)
            found.append(
                f"luck ({LUCK_TABLE}) of seat 0: mean {mean / 10:.2f} +- {1.96 * error / 10:.2f} points, "
                f"sd {spread / 10:.2f}; the luckier side wins {_share(self.luckier_wins, self.luckier)}"
            )
        return found


def by_rules(texts: Iterable[DealText]) -> dict[str, Stats]:
    """Figures by rules code, in the order in which the rules appear."""
    found: dict[str, Stats] = {}
    for text in texts:
        found.setdefault(text.record.rules.code, Stats()).add(text)
    return found


def _share(part: int, whole: int) -> str:
    return f"{part} ({100 * part / whole:.1f} %)" if whole else f"{part}"
