"""`bella replay`: the positions of a match of the site, put to a bot of this machine."""

import argparse
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bots.arena.conductor import MAX_TRIES
from bots.arena.players import Chair, Faulted, MachineFault, Played, Player, printable
from bots.arena.reports import Fault
from bots.arena.runner import machine
from bots.arena.runner.bots_here import LocalBot, read_bot
from bots.arena.runner.errors import UsageError
from bots.arena.runner.records import RecordedDeal, RecordedMatch, read_matches
from bots.arena.runner.tables import log_lines, told_fault
from bots.arena.trials import percentile
from bots.protocol import bot_seed, deal_over_message, play_message, to_line
from bots.sandbox import Sandbox
from games.engine import Deal, MatchScore, Observation, card_code

#: With the second faulty deal of a bot the site ends a match; here the positions after it would say nothing new.
_MAX_FAULTS = 2


def replay(options: argparse.Namespace) -> int:
    """Put the positions to the bot and print where its card differs; 1 when it faulted. Raises UsageError."""
    bot = read_bot(options.bot)
    matches = read_matches(options.record)
    seats = [_seat(match, options.seat, Path(bot.name).name) for match in matches]
    _check_place(matches, seats, options)
    if any(match.seed is None for match in matches):
        machine.warn("the record holds no seed: a bot that draws random numbers may differ by chance")
    with closing(machine.open_sandbox(options.sandbox)) as sandbox:
        folder = sandbox.store.put(dict(bot.archive.files))
        run = _Run(sandbox=sandbox, bot=bot, folder=folder, slow=options.slow, deal=options.deal, ply=options.ply)
        for match, seat in zip(matches, seats, strict=True):
            run.match(match, seat)
    print(run.summary())
    return 1 if run.faults else 0


def _seat(match: RecordedMatch, wanted: int | None, name: str) -> int:
    """The seat whose cards are looked at: the wanted one, that of the record, that of a bot of this name, or 0."""
    seat = wanted if wanted is not None else match.seat
    if seat is None:
        seat = match.names.index(name) if name in match.names else 0
    if seat >= match.rules.n:
        raise UsageError(f"--seat {seat}: the match has seats 0 to {match.rules.n - 1}")
    return seat


def _check_place(matches: list[RecordedMatch], seats: list[int], options: argparse.Namespace) -> None:
    """Refuse a deal that is not there, and a card that is not the seat's."""
    deals = [(deal, seat) for match, seat in zip(matches, seats, strict=True) for deal in match.deals]
    chosen = [(deal, seat) for deal, seat in deals if options.deal in (None, deal.number)]
    if not chosen:
        raise UsageError(f"--deal {options.deal}: the record has deals {deals[0][0].number} to {deals[-1][0].number}")
    if options.ply is None:
        return
    if len(chosen) > 1:
        raise UsageError("--ply needs --deal: the record has several deals")
    deal, seat = chosen[0]
    turns = dict(_turns(deal))
    if options.ply not in turns:
        raise UsageError(f"--ply {options.ply}: the deal has plies 0 to {max(turns, default=0)}")
    if turns[options.ply] != seat:
        raise UsageError(f"--ply {options.ply} is a card of seat {turns[options.ply]}: --seat {turns[options.ply]}")


def _turns(deal: RecordedDeal) -> Iterator[tuple[int, int]]:
    """(ply, seat that was asked), the card that a fault stands for included."""
    played = deal.record.replay(0)
    for ply, card in enumerate(deal.record.plays):
        assert played.turn is not None
        yield ply, played.turn
        played.play(card)
    if deal.fault_seat is not None and played.turn == deal.fault_seat:
        yield len(deal.record.plays), deal.fault_seat


@dataclass(slots=True, kw_only=True)
class _Run:
    """The replay so far."""

    sandbox: Sandbox
    bot: LocalBot
    folder: Path
    slow: float
    deal: int | None
    ply: int | None
    asked: int = 0
    differences: int = 0
    faults: int = 0
    cpu_us: list[int] = field(default_factory=list)
    _told: set[tuple[int, int]] = field(default_factory=set)
    """Deal and ply of the positions that count already."""

    def match(self, match: RecordedMatch, seat: int) -> None:
        """The deals of a match, up to the wanted one; from its beginning again when the machine fails.

        Raises UsageError when it fails again and again.
        """
        faults = self.faults
        for left in reversed(range(MAX_TRIES)):
            try:
                self._match(match, seat)
                return
            except MachineFault as error:
                self.faults = faults
                if not left:
                    raise UsageError(f"this machine failed ({error}): try it again") from None

    def _match(self, match: RecordedMatch, seat: int) -> None:
        """In one process as on the site; a fault ends it there too. Raises MachineFault."""
        score, player = MatchScore(match.rules), None
        chair = Chair(
            match=match.name,
            rules=match.rules,
            seat=seat,
            bot_dir=self.folder,
            entry=self.bot.archive.entry,
            seed=bot_seed(match.seed or bytes(32), seat),
            limits=machine.limits_of(self.slow).for_process(match.rules.deal_cap, match.rules.tricks),
        )
        try:
            for deal in match.deals:
                if self.faults >= _MAX_FAULTS or (self.deal is not None and deal.number > self.deal):
                    return
                is_over = deal.fault_seat is not None
                try:
                    if player is None:
                        player = Player(self.sandbox, chair)
                        player.start()
                    self._play(player, deal, score)
                except Faulted as error:
                    self._tell_fault(deal, error.fault)
                    is_over = True
                if is_over and player is not None:
                    player.kill()
                    player = None
                score = score.add(deal.result(deal.record.replay()))
        finally:
            if player is not None:
                player.kill()

    def summary(self) -> str:
        """What came of it."""
        times = f"CPU a move: p50 {percentile(self.cpu_us, 50)} us, max {max(self.cpu_us, default=0)} us"
        faults = f", {_count(self.faults, 'fault')}" if self.faults else ""
        if self.faults >= _MAX_FAULTS:
            faults += " (what follows the second is left out)"
        return f"{_count(self.differences, 'difference')} in {_count(self.asked, 'card')}{faults}; {times}"

    def _play(self, player: Player, deal: RecordedDeal, score: MatchScore) -> None:
        """Put the positions of one deal; the cards that were played go on. Raises Faulted, MachineFault."""
        played = deal.record.replay(0)
        seat = player.chair.seat
        player.begin_deal()
        cards: list[int | None] = [*deal.record.plays]
        if deal.fault_seat == seat:
            cards.append(None)
        for ply, card in enumerate(cards):
            if played.turn == seat:
                view = played.observe(seat, number=deal.told, score=score.wins, drawn=score.drawn)
                self._ask(player, deal, view, ply, None if card is None else card_code(card))
            if card is None or (deal.number == self.deal and ply == self.ply):
                return
            played.play(card)
        if deal.fault_seat is None:
            player.notify(_deal_over(player.chair.match, deal, deal.record.replay()))

    def _ask(self, player: Player, deal: RecordedDeal, view: Observation, ply: int, card: str | None) -> None:
        """Put one position; `card` is what was played there, None where the bot of the match faulted."""
        answer = player.ask(view, ply)
        logged = "".join(part.text for part in player.take_logs())
        is_wanted = self.deal in (None, deal.number) and self.ply in (None, ply)
        if not is_wanted or (deal.number, ply) in self._told:
            return
        self._told.add((deal.number, ply))
        self.asked += 1
        self.cpu_us.append(answer.cpu_us)
        self.differences += card not in (None, answer.card)
        if self.ply is not None:
            print(_position(player.chair.match, deal, view, ply, card=card, answer=answer, log=logged))
        elif card is None:
            print(f"{_place(deal, view, ply)}: {deal.termination} in the match; yours {answer.card}   {_seen(view)}")
        elif card != answer.card:
            print(f"{_place(deal, view, ply)}: yours {answer.card}, played {card}   {_seen(view)}", flush=True)

    def _tell_fault(self, deal: RecordedDeal, fault: Fault) -> None:
        self.faults += 1
        where = "at the start" if fault.ply is None else f"ply {fault.ply}"
        print(f"deal {deal.number}, {where}: your bot faulted")
        for line in told_fault(fault):
            print(line)


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _place(deal: RecordedDeal, view: Observation, ply: int) -> str:
    return f"deal {deal.number}, trick {len(view.tricks) + 1}, ply {ply}"


def _seen(view: Observation) -> str:
    """Hand, table and trump."""
    table = " ".join(card for _, card in view.table) or "-"
    trump = f", trump {view.trump}" if view.trump else ""
    return f"hand {' '.join(view.hand)}, table {table}{trump}"


def _position(
    match: str, deal: RecordedDeal, view: Observation, ply: int, *, card: str | None, answer: Played, log: str
) -> str:
    """One position in full."""
    message = play_message(view, n=2, match=match, bank_cpu_ms=0)
    lines = [
        f"{_place(deal, view, ply)}, seat {view.seat}",
        f"  {_seen(view)}",
        f"  points {' to '.join(map(str, view.points))}, {view.stock} cards to draw",
        f"  played {card or deal.termination}",
        f"  yours  {answer.card}   {answer.cpu_us} us" + (f'   "{printable(answer.note)}"' if answer.note else ""),
        *(f"  log    {line}" for line in log_lines(log)),
        f"  request: {to_line(message).decode().rstrip()}",
    ]
    return "\n".join(lines)


def _deal_over(match: str, deal: RecordedDeal, played: Deal) -> dict[str, Any]:
    """The notice, as the conductor sends it."""
    return deal_over_message(
        match=match,
        deal=deal.told,
        points=played.side_points,
        winner=deal.result(played).winner_side,
        termination=played.termination,
        tricks=played.observe(None).tricks,
    )
