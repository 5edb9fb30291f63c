"""Games of one deal each between two bots in fresh processes, as a check needs them, and what they add up to."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from bots.arena.conductor import Bench
from bots.arena.dealing import DealPlay, play_deal
from bots.arena.players import Chair, Faulted, Player
from bots.arena.reports import MAX_STDERR_TAIL, Fault, QualifyGame
from bots.protocol import bot_seed
from bots.sandbox import Limits
from games.engine import Deal, MatchScore, Observation, Rules, format_cards, shuffled

RULES: Final = Rules(format="deals:1")
MATCH: Final = "check"
_TRACEBACK_LINE = re.compile(r'File "([^"\n]{1,120})", line (\d{1,6})')


@dataclass(frozen=True, slots=True)
class Contender:
    """A bot in a trial."""

    name: str
    bot_dir: Path
    entry: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Trials:
    """Plays the deals of `seed`: deal `number` has the same deck, dealer and bot seeds whoever sits where."""

    bench: Bench
    limits: Limits
    seed: bytes = field(repr=False)

    def game(self, number: int, contenders: Sequence[Contender]) -> DealPlay:
        """One deal. A fault is in the result. Raises MachineFault, Halted."""
        shuffle = shuffled(RULES, self.seed, "", number)
        play = DealPlay(deal=Deal(RULES, shuffle.deck, number % RULES.n, shuffle.turned), number=number)
        players: list[Player] = []
        try:
            for seat, contender in enumerate(contenders):
                players.append(self._seated(contender, seat))
            faults = []
            for player in players:
                try:
                    player.start()
                except Faulted as error:
                    faults.append(error.fault)
            play.faults = tuple(faults)
            if faults:
                play.close(players)
            else:
                play_deal(play, players, MatchScore(RULES), is_unwanted=self.bench.is_unwanted)
        finally:
            for player in players:
                player.kill()
        return play

    def start(self, contender: Contender) -> tuple[str, int]:
        """Start it and end it; its log and the CPU time that it took, us. Raises Faulted, MachineFault."""
        player = self._seated(contender, 0)
        try:
            cpu_us = player.start()
            return "".join(part.text for part in player.take_logs()), cpu_us
        finally:
            player.kill()

    def ask(self, contender: Contender, view: Observation, ply: int) -> None:
        """One request to a fresh process. Raises Faulted, MachineFault."""
        assert view.seat is not None
        player = self._seated(contender, view.seat)
        try:
            player.start()
            player.begin_deal()
            player.ask(view, ply)
        finally:
            player.kill()

    def _seated(self, contender: Contender, seat: int) -> Player:
        chair = Chair(
            match=MATCH,
            rules=RULES,
            seat=seat,
            bot_dir=contender.bot_dir,
            entry=contender.entry,
            seed=bot_seed(self.seed, seat),
            limits=self.limits,
        )
        return Player(self.bench.sandbox, chair)


@dataclass(slots=True)
class Series:
    """Games of the checked bot against one opponent."""

    opponent: Contender
    is_itself: bool
    pairs: int = 0
    won: int = 0
    drawn: int = 0
    lost: int = 0
    points: int = 0
    against: int = 0
    think_us: list[int] = field(default_factory=list)
    games: list[QualifyGame] = field(default_factory=list)
    log: str = ""

    def add(self, play: DealPlay, seat: int) -> None:
        """Count one deal in which the checked bot had `seat`."""
        winner, points = play.result.winner_side, play.deal.points
        self.won += winner == seat
        self.drawn += winner is None
        self.lost += winner == 1 - seat
        self.points += points[seat]
        self.against += points[1 - seat]
        mine = (cost for at, cost in zip(play.seats, play.think_cpu_us, strict=True) if self.is_itself or at == seat)
        self.think_us.extend(mine)
        text = "".join(part.text for part in play.logs[seat]) if play.logs else ""
        self.log = (self.log + text)[-MAX_STDERR_TAIL:]
        self.games.append(
            QualifyGame(
                number=len(self.games) + 1,
                opponent=self.opponent.name,
                seat=None if self.is_itself else seat,
                rules=RULES.code,
                dealer=play.deal.dealer,
                deck=format_cards(play.deal.deck),
                plays=format_cards(play.deal.plays),
                think_us=tuple(play.think_cpu_us),
                points=play.deal.points,
                winner_side=winner,
                termination=play.termination,
                fault_seat=play.faults[0].seat if play.faults else None,
            )
        )

    @property
    def deals(self) -> int:
        """Deals counted."""
        return self.won + self.drawn + self.lost

    @property
    def score(self) -> int:
        """Deals won, a drawn one half, in thousandths of all."""
        return (1000 * self.won + 500 * self.drawn) // max(1, self.deals)

    def params(self) -> dict[str, Any]:
        """For the sentence and the page: against itself nobody wins, so only the deals count."""
        results = {"won": self.won, "drawn": self.drawn, "lost": self.lost}
        sums = {"points": self.points, "against": self.against, "score": self.score}
        return {"opponent": self.opponent.name, "deals": self.deals, **results, **sums}


def fault_step(fault: Fault, *, opponent: str = "") -> dict[str, Any]:
    """How a step tells a fault: where in the bot's files, what it was asked, what it answered, what to do."""
    places = _TRACEBACK_LINE.findall(fault.stderr_tail)
    file, line = places[-1] if places and fault.kind == "crash" else ("", None)
    params: dict[str, Any] = {"detail": fault.detail, "exit": fault.exit, "ply": fault.ply, "kind": fault.kind}
    return {
        "ok": False,
        "code": f"fault.{fault.kind}",
        "params": params | ({"opponent": opponent} if opponent else {}),
        "what_to_do": f"fix.{fault.kind}",
        "file": file,
        "line": int(line) if line and int(line) else None,
        "log": fault.stderr_tail,
        "request": fault.request,
        "answer": fault.answer,
    }


def percentile(values: Sequence[int], percent: int) -> int:
    """The value below which `percent` of the values lie (nearest rank); 0 without values."""
    ranked = sorted(values)
    return ranked[min(len(ranked) - 1, len(ranked) * percent // 100)] if ranked else 0
