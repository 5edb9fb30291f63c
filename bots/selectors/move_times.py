"""CPU time of the moves of a version."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveTimes:
    """Half, 95 of 100, and all of `moves` took at most so long: us of CPU."""

    moves: int
    p50_us: int
    p95_us: int
    max_us: int

    @property
    def p50_ms(self) -> float:
        """Half of the moves, ms."""
        return round(self.p50_us / 1000, 2)

    @property
    def p95_ms(self) -> float:
        """95 of 100 moves, ms."""
        return round(self.p95_us / 1000, 2)

    @property
    def max_ms(self) -> float:
        """The longest move, ms."""
        return round(self.max_us / 1000, 2)
