"""One deal between bots: ask, judge, play. The deck never leaves this side."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from bots.arena.players import Faulted, Played, Player
from bots.arena.reports import Fault, LogPart
from bots.protocol import deal_over_message
from games.engine import Deal, DealResult, MatchScore, Rules, card_int


class Halted(Exception):
    """Whoever gave the job wants it no more: the deal is broken off and nothing of it is reported."""


@dataclass(slots=True, kw_only=True)
class DealPlay:
    """A deal as it was played: the engine's deal, what each play cost, and the fault that ended it, if one did."""

    deal: Deal
    number: int
    seats: list[int] = field(default_factory=list)
    think_cpu_us: list[int] = field(default_factory=list)
    think_wall_us: list[int] = field(default_factory=list)
    notes: list[str | None] = field(default_factory=list)
    bank_left_us: tuple[int, ...] = ()
    logs: tuple[tuple[LogPart, ...], ...] = ()
    faults: tuple[Fault, ...] = ()

    @property
    def result(self) -> DealResult:
        """What the deal adds to the score: a fault gives it to the others."""
        if self.faults:
            return DealResult.forfeited(self.deal.rules, self.faults[0].seat)
        return self.deal.result()

    @property
    def termination(self) -> str:
        """`normal`, `auto` (over 60, the rules stop the deal), or the kind of the fault."""
        if self.faults:
            return self.faults[0].kind
        return self.deal.termination

    def count(self, seat: int, played: Played) -> None:
        """Note who played and what it cost."""
        self.seats.append(seat)
        self.think_cpu_us.append(played.cpu_us)
        self.think_wall_us.append(played.wall_us)
        self.notes.append(played.note)

    def close(self, players: Sequence[Player]) -> None:
        """Note what is left of the banks, and take the logs."""
        self.bank_left_us = tuple(player.bank.cpu_us for player in players)
        self.logs = tuple(player.take_logs() for player in players)


def play_deal(play: DealPlay, players: Sequence[Player], score: MatchScore, *, is_unwanted: Callable[[], bool]) -> None:
    """Play `play.deal` to its end or to a fault, and tell every bot the result.

    Raises MachineFault when something of ours fails, and Halted as soon as `is_unwanted()`; `players` are then to be
    thrown away, as they are after a fault.
    """
    deal = play.deal
    for player in players:
        player.begin_deal()
    try:
        ply = 0
        while not deal.over:
            if is_unwanted():
                raise Halted
            seat = deal.turn
            view = deal.observe(seat, number=play.number, score=score.wins, drawn=score.drawn)
            played = players[seat].ask(view, ply)
            deal.play(card_int(played.card))
            play.count(seat, played)
            ply += 1
    except Faulted as error:
        play.faults = (error.fault,)
    announce(play, players)
    play.close(players)


def announce(play: DealPlay, players: Sequence[Player]) -> None:
    """The notice deal_over to every bot that still runs."""
    deal = play.deal
    message = deal_over_message(
        match=players[0].chair.match,
        deal=play.number,
        points=deal.side_points,
        winner=play.result.winner_side,
        termination=play.termination,
        tricks=deal.observe(None).tricks,
    )
    for player in players:
        player.notify(message)


def losing_sides(rules: Rules, faults: Sequence[Fault]) -> set[int]:
    """Sides that faulted."""
    return {rules.sides[fault.seat] for fault in faults}
